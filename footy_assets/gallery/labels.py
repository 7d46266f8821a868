"""States, statuses and reasons as the pages show them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import (
    STABLE_AFTER_POLLS,
    EventState,
    GoalEvent,
    RemovalReason,
)
from footy_assets.matchday.rules.sighting import GoalDetail, goal_detail
from footy_assets.matchday.rules.statuses import (
    BEFORE_KICKOFF,
    CLOCK_RUNS,
    IN_PROGRESS,
    FixtureState,
    MatchStatus,
)

STATUSES: Mapping[str, str] = {
    MatchStatus.TIME_TO_BE_DECIDED: "Time to be decided",
    MatchStatus.NOT_STARTED: "Not started",
    MatchStatus.FIRST_HALF: "First half",
    MatchStatus.HALF_TIME: "Half-time",
    MatchStatus.SECOND_HALF: "Second half",
    MatchStatus.EXTRA_TIME: "Extra time",
    MatchStatus.EXTRA_TIME_BREAK: "Break before extra time",
    MatchStatus.SHOOTOUT: "Penalty shoot-out",
    MatchStatus.SUSPENDED: "Suspended",
    MatchStatus.INTERRUPTED: "Interrupted",
    MatchStatus.IN_PLAY: "In play",
    MatchStatus.POSTPONED: "Postponed",
    MatchStatus.FULL_TIME: "Full time",
    MatchStatus.AFTER_EXTRA_TIME: "After extra time",
    MatchStatus.AFTER_SHOOTOUT: "After penalties",
    MatchStatus.CANCELLED: "Cancelled",
    MatchStatus.ABANDONED: "Abandoned",
    MatchStatus.AWARDED: "Awarded",
    MatchStatus.WALKOVER: "Walkover",
}
SHORT_STATUSES: Mapping[str, str] = {
    MatchStatus.HALF_TIME: "Half-time",
    MatchStatus.FULL_TIME: "Full time",
    MatchStatus.AFTER_EXTRA_TIME: "After extra time",
    MatchStatus.AFTER_SHOOTOUT: "After penalties",
    MatchStatus.SHOOTOUT: "Penalties",
    MatchStatus.EXTRA_TIME_BREAK: "Break",
    MatchStatus.SUSPENDED: "Suspended",
    MatchStatus.INTERRUPTED: "Interrupted",
    MatchStatus.POSTPONED: "Postponed",
    MatchStatus.CANCELLED: "Cancelled",
    MatchStatus.ABANDONED: "Abandoned",
    MatchStatus.AWARDED: "Awarded",
    MatchStatus.WALKOVER: "Walkover",
}
REMOVALS = {
    RemovalReason.VAR: "Disallowed by VAR",
    RemovalReason.MISSING: "The provider no longer lists it",
    RemovalReason.UNNAMED_VANISHED: "It vanished before its scorer was named",
}
DETAILS: Mapping[GoalDetail | None, str] = {
    GoalDetail.PENALTY: "Penalty",
    GoalDetail.OWN_GOAL: "Own goal",
}
# API-Football's letters; other providers write words or codes, which are shown as they are.
POSITIONS: Mapping[str, str] = {
    "G": "Goalkeeper",
    "D": "Defender",
    "M": "Midfielder",
    "F": "Forward",
}
STATES = {
    EventState.DETECTED: "Just in",
    EventState.DEBOUNCING: "Confirming",
    EventState.STABLE: "Confirmed",
    EventState.SEARCHING: "Looking",
    EventState.COMPLETE: "No clip found",
    EventState.REMOVED: "Removed",
}


def is_playing(fixture: Fixture) -> bool:
    return fixture.state is FixtureState.ACTIVE and fixture.status.upper() in IN_PROGRESS


def status_label(fixture: Fixture, now: datetime) -> str:
    """`67'`, `Half-time`, `Full time`; empty before kickoff."""
    status = fixture.status.upper()
    if status in CLOCK_RUNS and (minute := fixture.minute(now)) is not None:
        return f"{minute}'"
    return SHORT_STATUSES.get(
        status, "" if status in BEFORE_KICKOFF else STATUSES.get(status, status)
    )


def state_label(goal: GoalEvent, clips: int) -> str:
    """The state of a goal in a word or two."""
    if goal.state is EventState.REMOVED:
        return STATES[goal.state]
    if clips:
        return pluralize(clips, "clip")
    if goal.state is EventState.DEBOUNCING:
        return f"{STATES[goal.state]} {len(goal.seen_in_polls)} of {STABLE_AFTER_POLLS}"
    if goal.state is EventState.SEARCHING:
        return f"{STATES[goal.state]}, {goal.attempts_counted} of {goal.attempts_planned}"
    if goal.state is EventState.STABLE and goal.attempts_planned:
        return "Looking for clips"
    return STATES[goal.state]


def state_explanation(goal: GoalEvent, clips: int) -> str:
    """The state of a goal in a sentence."""
    polls = len(goal.seen_in_polls)
    match goal.state:
        case EventState.REMOVED:
            return f"{REMOVALS[goal.removal.reason]}." if goal.removal else "It no longer counts."
        case EventState.DETECTED | EventState.DEBOUNCING:
            if not goal.player.known:
                return "Waiting for the provider to name the scorer."
            return f"Seen by {polls} of the {STABLE_AFTER_POLLS} polls that confirm a goal."
        case EventState.STABLE if not goal.attempts_planned:
            return "Seen by three polls. Searching for clips is off."
        case EventState.COMPLETE:
            found = pluralize(clips, "clip") if clips else "no clip found"
            return f"All {goal.attempts_planned} searches are done: {found}."
        case _:
            done = goal.attempts_counted
            return (
                f"Fans' posts are being searched: {done} of {goal.attempts_planned} times so far."
            )


def detail_label(goal: GoalEvent) -> str:
    """`Penalty`, `Own goal`; empty for an ordinary goal."""
    return DETAILS.get(goal_detail(goal.detail), "")


def position_label(position: str | None) -> str:
    return POSITIONS.get(position or "", position or "")


def scorer(goal: GoalEvent) -> str:
    return goal.player.name if goal.player.known and goal.player.name else "Scorer not named yet"


def pluralize(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"


def format_duration(span: timedelta) -> str:
    """`48 s`, `3 min 20 s`, `2 h 5 min`."""
    seconds = max(0, round(span.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def short_number(number: int) -> str:
    """`980`, `12.4k`, `1.3M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".rstrip("0").rstrip(".") + unit
    return str(number)
