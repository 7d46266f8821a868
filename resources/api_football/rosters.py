"""Line-ups and squads of API-Football; its ids are ours."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.providers.rules.rosters import FoundLineUps, FoundSquad

Model = TypeVar("Model", bound=BaseModel)

# The provider writes null for an empty list, and 0 or null for a player that it has no id for.
Entries = Annotated[list[Any], BeforeValidator(lambda value: [] if value is None else value)]


class _ApiRosterModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _ApiRosterTeam(_ApiRosterModel):
    id: int


class _ApiLineUpPlayer(_ApiRosterModel):
    id: int | None = None
    name: str | None = None
    number: int | None = None
    pos: str | None = None


class _ApiLineUpEntry(_ApiRosterModel):
    player: _ApiLineUpPlayer


class _ApiLineUp(_ApiRosterModel):
    """`/fixtures/lineups`, one for each team; players are parsed one by one."""

    team: _ApiRosterTeam
    formation: str | None = None
    startXI: Entries = []
    substitutes: Entries = []


class _ApiSquadPlayer(_ApiRosterModel):
    id: int | None = None
    name: str | None = None
    number: int | None = None
    position: str | None = None


class _ApiSquad(_ApiRosterModel):
    """`/players/squads`."""

    team: _ApiRosterTeam
    players: Entries = []


class ItemsClient(Protocol):
    """The part of the client that rosters need."""

    def items(self, path: str, query: Mapping[str, Any], within: float) -> list[Any]: ...


class ApiFootballRosters:
    """A `RosterFeed`."""

    def __init__(self, client: ItemsClient) -> None:
        self._client = client

    def line_ups(self, match_id: int, within: float) -> FoundLineUps:
        items = self._client.items("/fixtures/lineups", {"fixture": match_id}, within)
        return parse_line_ups(match_id, items)

    def squad(self, team_id: int, within: float) -> FoundSquad:
        items = self._client.items("/players/squads", {"team": team_id}, within)
        return parse_squad(team_id, items)


def parse_line_ups(match_id: int, items: Iterable[Any]) -> FoundLineUps:
    """A player that cannot be read is reported, and spoils no other."""
    bad: list[Unreadable] = []
    line_ups = []
    for item in items:
        subject = f"line-up of fixture {match_id}"
        team = _read(_ApiLineUp, item, subject, bad)
        if team is None:
            continue
        subject = f"{subject}, team {team.team.id}"
        players = [
            RosterPlayer(_player(entry.player), entry.player.number, entry.player.pos, starts)
            for entries, starts in ((team.startXI, True), (team.substitutes, False))
            for entry in _read_all(_ApiLineUpEntry, entries, subject, bad)
        ]
        line_ups.append(LineUp(team.team.id, _named(players), team.formation or None))
    return FoundLineUps(tuple(line_ups), tuple(bad))


def parse_squad(team_id: int, items: Iterable[Any]) -> FoundSquad:
    bad: list[Unreadable] = []
    players: list[RosterPlayer] = []
    subject = f"squad of team {team_id}"
    for squad in _read_all(_ApiSquad, items, subject, bad):
        if squad.team.id == team_id:
            players += [
                RosterPlayer(_player(one), one.number, one.position)
                for one in _read_all(_ApiSquadPlayer, squad.players, subject, bad)
            ]
    return FoundSquad(_named(players), tuple(bad))


def _player(person: _ApiLineUpPlayer | _ApiSquadPlayer) -> Player:
    return Player(person.id or None, (person.name or "").strip() or None)


def _named(players: Iterable[RosterPlayer]) -> tuple[RosterPlayer, ...]:
    """Without empty entries, which stand for players that are not known yet."""
    return tuple(one for one in players if one.player.id or one.player.name)


def _read_all(
    model: type[Model], items: Iterable[Any], subject: str, bad: list[Unreadable]
) -> list[Model]:
    return [found for item in items if (found := _read(model, item, subject, bad)) is not None]


def _read(model: type[Model], item: Any, subject: str, bad: list[Unreadable]) -> Model | None:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        bad.append(Unreadable(subject, f"{where}: {first['msg']}"))
        return None
