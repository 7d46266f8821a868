"""T1, T3: turns the changes of a match in one poll into snapshots, in order of match time.

Times are those of the match (kickoff and minute), not of the poll, and statuses that no poll saw
are included. So a match polled live and the same match ingested a week later give the same
snapshots, as far as the feed is the same.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.observe import GoalChange
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.clock_moments import (
    PATHS,
    last_mark,
    mark_moments,
    status_moments,
)
from footy_assets.triggers.rules.goal_moments import goal_moments
from footy_assets.triggers.rules.incident_moments import corner_moments, incident_moments
from footy_assets.triggers.rules.moments import Moment, Rank
from footy_assets.triggers.rules.snapshot import Snapshot

DATASOURCE = "api-football"
HALF_OF: Mapping[str, int] = {
    MatchStatus.FIRST_HALF: 1,
    MatchStatus.HALF_TIME: 1,
    MatchStatus.SECOND_HALF: 2,
    MatchStatus.FULL_TIME: 2,
    MatchStatus.EXTRA_TIME: 3,
    MatchStatus.EXTRA_TIME_BREAK: 3,
    MatchStatus.AFTER_EXTRA_TIME: 4,
    MatchStatus.SHOOTOUT: 5,
    MatchStatus.AFTER_SHOOTOUT: 5,
}
# When each period starts, in minutes after kickoff, and the match minute it starts with.
STARTS = ((0, 0), (60, 45), (110, 90), (130, 105))


def describe_changes(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    goals: Collection[GoalEvent],
    sighting: FixtureSighting,
) -> tuple[Fixture, tuple[dict[str, Any], ...]]:
    """The match with what its snapshots have reported so far, and the snapshots of this poll."""
    after = with_reported(after, sighting)
    if after == before and not changes:
        return after, ()
    snapshots = snapshots_between(before, after, changes, goals, sighting.elapsed)
    return after, tuple(snapshot.model_dump(exclude_none=True) for snapshot in snapshots)


def with_reported(fixture: Fixture, sighting: FixtureSighting) -> Fixture:
    """The match with what its snapshots have reported once this poll is stored."""
    status = fixture.status.upper()
    reported: dict[str, Any] = {
        "reported_status": status if status in PATHS else fixture.reported_status,
        "reported_minute": max(fixture.reported_minute, last_mark(status, sighting.elapsed)),
        "incidents": fixture.incidents if sighting.incidents is None else sighting.incidents,
        "corners": sighting.corners or fixture.corners,
    }
    if all(getattr(fixture, name) == value for name, value in reported.items()):
        return fixture
    return replace(fixture, **reported)


def snapshots_between(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    goals: Iterable[GoalEvent],
    elapsed: int | None = None,
) -> list[Snapshot]:
    """The snapshots between two successive states of a match.

    `elapsed` is the current minute, for changes that have none of their own.
    """
    live_goals = [goal for goal in goals if goal.live]
    moments = [
        *status_moments(before, after, live_goals),
        *mark_moments(before, after, live_goals),
        *goal_moments(after, changes, live_goals),
        *incident_moments(before, after, changes, live_goals),
        *corner_moments(before, after, live_goals, elapsed),
    ]
    return [_to_snapshot(after, moment) for moment in sorted(moments, key=lambda one: one.order)]


def _to_snapshot(fixture: Fixture, moment: Moment) -> Snapshot:
    home, away = moment.score
    minute = moment.minute
    at_status = moment.rank == Rank.STATUS
    played = minute.elapsed if at_status else minute.elapsed + (minute.extra or 0)
    half = HALF_OF[moment.status] if at_status else minute.period + 1
    return Snapshot(
        id=moment.id,
        datasource=DATASOURCE,
        scope_id=str(fixture.id),
        timestamp=_time(fixture.kickoff, moment),
        options={
            v.STATUS: moment.status,
            v.HALF: half,
            v.MINUTE: played,
            v.SCORE_HOME: home,
            v.SCORE_AWAY: away,
            v.SCORE_TOTAL: home + away,
            v.SCORE_DIFFERENTIAL: home - away,
            **moment.options,
        },
        cancels=moment.cancels,
        replaces=moment.replaces,
    )


def _time(kickoff: datetime, moment: Moment) -> datetime:
    """By the match clock, with a break of a quarter of an hour."""
    after, first = STARTS[moment.minute.period]
    extra = 0 if moment.rank == Rank.STATUS else moment.minute.extra or 0
    if moment.status == MatchStatus.SECOND_HALF and moment.rank == Rank.STATUS:
        after, first = STARTS[1]
    return kickoff + timedelta(minutes=after + moment.minute.elapsed - first + extra)
