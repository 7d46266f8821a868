"""Line-ups and squads of API-Football: a player that cannot be read is reported, and spoils no
other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.providers.rules.rosters import FoundLineUps, FoundSquad
from resources.api_football.models import (
    ApiLineUp,
    ApiLineUpEntry,
    ApiListedPlayer,
    ApiSquad,
    ApiTeam,
)
from resources.pieces import read_piece, read_pieces

LINE_UPS, SQUADS = "/fixtures/lineups", "/players/squads"


class ItemsClient(Protocol):
    """The part of the client that rosters need."""

    def items(self, path: str, query: Mapping[str, Any], within: float) -> list[Any]: ...


class ApiFootballRosters:
    """A `RosterFeed`: its ids are ours."""

    def __init__(self, client: ItemsClient) -> None:
        self._client = client

    def line_ups(self, match_id: int, within: float) -> FoundLineUps:
        items = self._client.items(LINE_UPS, {"fixture": match_id}, within)
        teams, unreadable = parse_line_ups(match_id, items)
        line_ups = (LineUp(one.team.id, one.players, one.formation) for one in teams)
        return FoundLineUps(tuple(line_ups), unreadable)

    def squad(self, team_id: int, within: float) -> FoundSquad:
        items = self._client.items(SQUADS, {"team": team_id}, within)
        return parse_squad(team_id, items)


@dataclass(frozen=True, slots=True)
class ListedTeam:
    """A team with its players in one match."""

    team: ApiTeam
    players: tuple[RosterPlayer, ...]
    formation: str | None = None


def parse_line_ups(
    match_id: int | str, items: Iterable[Any]
) -> tuple[tuple[ListedTeam, ...], tuple[Unreadable, ...]]:
    bad: list[Unreadable] = []
    teams = []
    for item in items:
        subject = f"line-up of fixture {match_id}"
        found = read_piece(ApiLineUp, item, subject, bad)
        if found is None:
            continue
        subject = f"{subject}, team {found.team.id}"
        players = [
            _player(entry.player, starts)
            for entries, starts in ((found.starters, True), (found.substitutes, False))
            for entry in read_pieces(ApiLineUpEntry, entries or (), subject, bad)
        ]
        teams.append(ListedTeam(found.team, _named(players), found.formation or None))
    return tuple(teams), tuple(bad)


def parse_squad(team_id: int, items: Iterable[Any]) -> FoundSquad:
    bad: list[Unreadable] = []
    players: list[RosterPlayer] = []
    subject = f"squad of team {team_id}"
    for squad in read_pieces(ApiSquad, items, subject, bad):
        if squad.team.id == team_id:
            listed = read_pieces(ApiListedPlayer, squad.players or (), subject, bad)
            players += [_player(one) for one in listed]
    return FoundSquad(_named(players), tuple(bad))


def _player(listed: ApiListedPlayer, starts: bool = False) -> RosterPlayer:
    player = Player(listed.id or None, (listed.name or "").strip() or None)
    return RosterPlayer(player, listed.number, listed.pos or listed.position or None, starts)


def _named(players: Iterable[RosterPlayer]) -> tuple[RosterPlayer, ...]:
    """Without empty entries, which stand for players that are not known yet."""
    return tuple(one for one in players if one.player.id or one.player.name)
