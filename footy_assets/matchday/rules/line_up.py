"""The players of a team: those of one match, its line-up, and all it has, its squad."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.sighting import Player


@dataclass(frozen=True, slots=True)
class RosterPlayer:
    """The player's id is ours; None if the provider gives the player none.

    `position` is in the provider's words, such as `G` or `Midfielder`.
    """

    player: Player
    number: int | None = None
    position: str | None = None
    starts: bool = False


@dataclass(frozen=True, slots=True)
class LineUp:
    """The players of one team in one match, by our id of the team."""

    team_id: int
    players: tuple[RosterPlayer, ...]
    formation: str | None = None

    @property
    def starters(self) -> tuple[RosterPlayer, ...]:
        return tuple(one for one in self.players if one.starts)

    @property
    def substitutes(self) -> tuple[RosterPlayer, ...]:
        return tuple(one for one in self.players if not one.starts)


@dataclass(frozen=True, slots=True)
class MatchRosters:
    """What is known of the players of a match: line-ups, and squads by team id."""

    line_ups: tuple[LineUp, ...] = ()
    squads: Mapping[int, Sequence[RosterPlayer]] = field(default_factory=dict)

    def of(self, team_id: int) -> list[Player]:
        """A team's players, those of its line-up first; one that is in both comes twice."""
        listed = [one.players for one in self.line_ups if one.team_id == team_id]
        return [one.player for part in (*listed, self.squads.get(team_id, ())) for one in part]


@dataclass(frozen=True, slots=True)
class LastFetch:
    """When a roster was requested last, and when it last arrived; of line-ups, both of them."""

    asked_at: datetime | None = None
    fetched_at: datetime | None = None


NEVER_FETCHED = LastFetch()


def are_complete(line_ups: Sequence[LineUp], fixture: Fixture) -> bool:
    """Whether both teams have named who starts; until then more may come."""
    out = {one.team_id for one in line_ups if one.starters}
    return {fixture.home.id, fixture.away.id} <= out
