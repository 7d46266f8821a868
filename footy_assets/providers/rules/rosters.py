"""Which line-ups and squads to request now, and the interface of a provider that has them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.line_up import NEVER_FETCHED, LastFetch, LineUp, RosterPlayer
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.statuses import (
    CALLED_OFF,
    DECIDED_WITHOUT_PLAY,
    FixtureState,
    MatchStatus,
)

# Teams hand in their line-ups 75 minutes before kickoff.
LINE_UPS_BEFORE_KICKOFF = timedelta(minutes=75)
# T23: players are chosen and followed on the day of the match. A squad is kept long enough that
# one request is enough for it.
SQUADS_BEFORE_KICKOFF = timedelta(hours=12)
REQUEST_EVERY = timedelta(minutes=5)
# Line-ups that are not there by then seldom come.
LATE_AFTER_KICKOFF = timedelta(minutes=30)
LATE_REQUEST_EVERY = timedelta(minutes=30)
SQUAD_KEPT = timedelta(hours=24)
# Requests a day; a free plan has a hundred.
ENOUGH_A_DAY = 1_000
# Of a team with a goal whose scorer was not found in it.
SQUAD_KEPT_IF_UNNAMED = timedelta(hours=12)

NOT_PLAYED = CALLED_OFF | DECIDED_WITHOUT_PLAY | {MatchStatus.POSTPONED}


@dataclass(frozen=True, slots=True)
class FoundLineUps:
    """The line-ups of a match, by our ids; one or none while they are not out."""

    line_ups: tuple[LineUp, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundSquad:
    """The players of a team, by our ids."""

    players: tuple[RosterPlayer, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class RosterFeed(Protocol):
    """Line-ups and squads by our ids, one request each. Each call raises `ProviderError`."""

    def line_ups(self, match_id: int, within: float) -> FoundLineUps: ...

    def squad(self, team_id: int, within: float) -> FoundSquad: ...


class RosterKind(StrEnum):
    LINE_UPS = "line_ups"
    SQUAD = "squad"


@dataclass(frozen=True, slots=True)
class DueRoster:
    """`id` is a fixture's for line-ups, a team's for a squad."""

    kind: RosterKind
    id: int

    @property
    def subject(self) -> str:
        lists_match = self.kind is RosterKind.LINE_UPS
        return f"line-ups of fixture {self.id}" if lists_match else f"squad of team {self.id}"


@dataclass(frozen=True, slots=True)
class RosterTimes:
    """When line-ups, by fixture id, and squads, by team id, were fetched last."""

    line_ups: Mapping[int, LastFetch]
    squads: Mapping[int, LastFetch]


def concerned(fixtures: Iterable[Fixture], now: datetime) -> list[Fixture]:
    """The matches whose squads are of interest, by kickoff, until they are completed."""
    return sorted(
        (
            fixture
            for fixture in fixtures
            if fixture.state is not FixtureState.COMPLETED
            and fixture.status.upper() not in NOT_PLAYED
            and now >= fixture.kickoff - SQUADS_BEFORE_KICKOFF
        ),
        key=lambda fixture: (fixture.kickoff, fixture.id),
    )


def rosters_due(
    fixtures: Iterable[Fixture],
    times: RosterTimes,
    unnamed_teams: Collection[int],
    now: datetime,
    *,
    squads_ahead: bool = True,
) -> list[DueRoster]:
    """L5: what to request now, most urgent first: squads that a goal's scorer is looked for in,
    line-ups by kickoff, the other squads.

    `unnamed_teams` have a goal whose scorer has a name but no id. Without `squads_ahead` only their
    squads are requested.
    """
    played = concerned(fixtures, now)
    teams = dict.fromkeys(side.id for one in played for side in (one.home, one.away))
    urgent = [id_ for id_ in teams if id_ in unnamed_teams]
    rest = [id_ for id_ in teams if id_ not in unnamed_teams] if squads_ahead else []
    return [
        *_squads_due(urgent, times, SQUAD_KEPT_IF_UNNAMED, now),
        *(
            DueRoster(RosterKind.LINE_UPS, one.id)
            for one in played
            if _are_line_ups_due(one, times.line_ups.get(one.id, NEVER_FETCHED), now)
        ),
        *_squads_due(rest, times, SQUAD_KEPT, now),
    ]


def is_squad_fresh(last: LastFetch, kept: timedelta, now: datetime) -> bool:
    return last.fetched_at is not None and now - last.fetched_at < kept


def _squads_due(
    team_ids: Iterable[int], times: RosterTimes, kept: timedelta, now: datetime
) -> Iterator[DueRoster]:
    for id_ in team_ids:
        last = times.squads.get(id_, NEVER_FETCHED)
        if not is_squad_fresh(last, kept, now) and _may_ask(last, REQUEST_EVERY, now):
            yield DueRoster(RosterKind.SQUAD, id_)


def _are_line_ups_due(fixture: Fixture, last: LastFetch, now: datetime) -> bool:
    """Once they are complete they are kept."""
    if now < fixture.kickoff - LINE_UPS_BEFORE_KICKOFF:
        return False
    late = now >= fixture.kickoff + LATE_AFTER_KICKOFF
    every = LATE_REQUEST_EVERY if late else REQUEST_EVERY
    return last.fetched_at is None and _may_ask(last, every, now)


def _may_ask(last: LastFetch, every: timedelta, now: datetime) -> bool:
    return last.asked_at is None or now - last.asked_at >= every


def allows_squads(quota: Quota | None) -> bool:
    """Whether a plan has requests for squads that may never be needed; a free one has not."""
    limit = quota.day_limit if quota is not None else None
    return limit is None or limit >= ENOUGH_A_DAY
