"""F11: a match with a goal that is not certain yet may be polled faster."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.pace import Quota, has_plenty_left, poll_interval

# Polls that count towards stable (E4) are at least so far apart.
COUNTED_APART = timedelta(seconds=10)
SECONDS_BY_DEFAULT = 10.0
# A goal that three polls do not confirm in this time waits for ordinary polls.
CONFIRMED_WITHIN = timedelta(minutes=3)


def counts(last_counted: datetime | None, at: datetime, apart: timedelta) -> bool:
    """Whether a poll counts for a goal for which another one has counted."""
    return last_counted is None or not apart or abs(at - last_counted) >= apart


def is_unconfirmed(goal: GoalEvent) -> bool:
    """Whether more polls make a goal certain. Of an unknown scorer no poll counts (E4)."""
    return goal.live and not goal.stable and goal.player.known


def needs_confirmation(goals: Iterable[GoalEvent], now: datetime) -> bool:
    """Whether a match is polled faster for one of its goals."""
    return any(
        goal.first_seen_at is not None and now - goal.first_seen_at < CONFIRMED_WITHIN
        for goal in goals
        if is_unconfirmed(goal)
    )


def confirmation_seconds(
    wanted: float | None, base: float, quota: Quota | None, calls: int, now: datetime
) -> float | None:
    """Seconds between the polls of a match with an unconfirmed goal; None: as any other match.

    `wanted` is the setting: 0 is off, and if it is unset, the provider must tell that plenty is
    left. `calls` are all requests until the next ordinary poll, `base` seconds after the last.
    """
    seconds = (SECONDS_BY_DEFAULT if has_plenty_left(quota) else 0) if wanted is None else wanted
    if not leaves_room(seconds, base):
        return None
    return seconds if poll_interval(base, quota, calls, now) <= base else None


def leaves_room(seconds: float | None, base: float) -> bool:
    """Whether a poll fits between two ordinary ones, as far from both as polls that count are."""
    seconds = SECONDS_BY_DEFAULT if seconds is None else seconds
    return 0 < 2 * seconds <= base
