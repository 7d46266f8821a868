"""T1: the moments that the match clock brings: statuses, and a mark every five minutes."""

from collections.abc import Collection, Iterator, Mapping

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.statuses import BEGINS_AT, BREAKS, PLAYED_TO_THE_END, MatchStatus
from footy_assets.triggers.rules.moments import Moment, Rank, score_at

# The statuses that a match passes on its way to each status.
REGULAR = (MatchStatus.FIRST_HALF, MatchStatus.HALF_TIME, MatchStatus.SECOND_HALF)
PATHS: Mapping[str, tuple[str, ...]] = {
    **{status: REGULAR[: REGULAR.index(status) + 1] for status in REGULAR},
    MatchStatus.FULL_TIME: (*REGULAR, MatchStatus.FULL_TIME),
    MatchStatus.EXTRA_TIME: (*REGULAR, MatchStatus.EXTRA_TIME),
    MatchStatus.EXTRA_TIME_BREAK: (*REGULAR, MatchStatus.EXTRA_TIME, MatchStatus.EXTRA_TIME_BREAK),
    MatchStatus.AFTER_EXTRA_TIME: (*REGULAR, MatchStatus.EXTRA_TIME, MatchStatus.AFTER_EXTRA_TIME),
    MatchStatus.SHOOTOUT: (*REGULAR, MatchStatus.EXTRA_TIME, MatchStatus.SHOOTOUT),
    MatchStatus.AFTER_SHOOTOUT: (
        *REGULAR,
        MatchStatus.EXTRA_TIME,
        MatchStatus.SHOOTOUT,
        MatchStatus.AFTER_SHOOTOUT,
    ),
}
# Play is stopped: the provider's score is the score, even if its list of goals is incomplete.
SCORE_IS_FINAL = BREAKS | {MatchStatus.SHOOTOUT} | PLAYED_TO_THE_END
# Marks let "two ahead after 80'" fire though nothing happens. Breaks are statuses instead.
MARKS = tuple(minute for minute in range(5, 120, 5) if minute not in (45, 90, 105))
# The first and last minute that a match may have reached in each status.
REACHED: Mapping[str, tuple[int, int]] = {
    MatchStatus.FIRST_HALF: (0, 44),
    MatchStatus.HALF_TIME: (44, 44),
    MatchStatus.SECOND_HALF: (44, 89),
    MatchStatus.FULL_TIME: (89, 89),
    MatchStatus.EXTRA_TIME: (89, 119),
    MatchStatus.EXTRA_TIME_BREAK: (104, 104),
    MatchStatus.AFTER_EXTRA_TIME: (119, 119),
    # Not every shoot-out comes after extra time.
    MatchStatus.SHOOTOUT: (89, 119),
    MatchStatus.AFTER_SHOOTOUT: (89, 119),
}


def last_mark(status: str, elapsed: int | None) -> int:
    """The last mark that a match has passed."""
    first, last = REACHED.get(status, (0, 0))
    minute = max(first, min(elapsed or 0, last))
    return max((mark for mark in MARKS if mark <= minute), default=0)


def status_moments(
    before: Fixture, after: Fixture, live_goals: Collection[GoalEvent]
) -> Iterator[Moment]:
    """One for each status passed since the last poll, including those that no poll saw."""
    if after.reported_status == before.reported_status or after.reported_status is None:
        return
    path = PATHS[after.reported_status]
    passed = PATHS.get(before.reported_status or "", ())
    for status in path:
        if status in passed:
            continue
        minute = MatchMinute(BEGINS_AT[status], None)
        score = score_at(live_goals, MatchMinute(minute.elapsed, 99))
        if status == after.reported_status and status in SCORE_IS_FINAL and None not in after.goals:
            score = (after.goals[0] or 0, after.goals[1] or 0)
        # Sorts after all stoppage time, and a half after the break before it.
        place = MatchMinute(
            minute.elapsed, 0 if status == MatchStatus.FIRST_HALF else 100 + path.index(status)
        )
        yield Moment(place, Rank.STATUS, f"{after.id}/status/{status}", status, score, {})


def mark_moments(
    before: Fixture, after: Fixture, live_goals: Collection[GoalEvent]
) -> Iterator[Moment]:
    for minute in MARKS:
        if before.reported_minute < minute <= after.reported_minute:
            mark = MatchMinute(minute)
            # A goal of this minute comes after the mark, and is often not listed yet.
            score = score_at(live_goals, MatchMinute(minute - 1, 99))
            id = f"{after.id}/minute/{minute}"
            yield Moment(mark, Rank.MARK, id, mark.status, score, {})
