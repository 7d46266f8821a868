"""What is written about a match before it is played: every change the provider will show."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal, NamedTuple

from footy_assets.sim.clubs import NOBODY, Club, League, Person

RemovedBy = Literal["var", "vanished"]

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
SHOOTOUT = "Penalty Shootout"
GOAL_DETAILS = frozenset({"Normal Goal", "Penalty", "Own Goal"})


class Minute(NamedTuple):
    elapsed: int
    extra: int | None = None


@dataclass(frozen=True)
class FeedEvent:
    minute: Minute
    team: Club
    player: Person
    type: str
    detail: str
    assist: Person = NOBODY
    comments: str | None = None

    @property
    def is_shootout_kick(self) -> bool:
        return self.comments == SHOOTOUT

    @property
    def is_goal(self) -> bool:
        return self.type == "Goal" and self.detail in GOAL_DETAILS and not self.is_shootout_kick


@dataclass(frozen=True)
class Form:
    """How a line reads from an instant on; no event means that it is not listed."""

    since: datetime
    event: FeedEvent | None


@dataclass(frozen=True)
class Line:
    """One thing in the events list through all its forms, oldest first."""

    forms: tuple[Form, ...]
    story: str = "ordinary"
    removed_by: RemovedBy | None = None

    def event_at(self, now: datetime) -> FeedEvent | None:
        for form in reversed(self.forms):
            if form.since <= now:
                return form.event
        return None

    @property
    def shown(self) -> tuple[FeedEvent, ...]:
        return tuple(form.event for form in self.forms if form.event is not None)

    @property
    def last_shown(self) -> FeedEvent:
        return self.shown[-1]

    @property
    def settled_at(self) -> datetime:
        return self.forms[-1].since

    def then(self, after: timedelta, story: str, **changes: Any) -> "Line":
        """The same line, changed in place some time after its last form."""
        changed = Form(self.settled_at + after, replace(self.last_shown, **changes))
        return replace(self, forms=(*self.forms, changed), story=story)

    def gone(self, after: timedelta, story: str, removed_by: RemovedBy | None = None) -> "Line":
        form = Form(self.settled_at + after, None)
        return replace(self, forms=(*self.forms, form), story=story, removed_by=removed_by)


@dataclass(frozen=True)
class Phase:
    """A status from an instant on. With `cap` its clock runs from `base`; without, it stands."""

    since: datetime
    status: str
    base: int | None = None
    cap: int | None = None

    def clock_at(self, now: datetime) -> tuple[int | None, int | None]:
        """The elapsed minute and stoppage minute the provider shows."""
        if self.base is None or self.cap is None:
            return self.base, None
        minute = self.base + 1 + max(0, int((now - self.since).total_seconds() // 60))
        return (minute, None) if minute <= self.cap else (self.cap, minute - self.cap)


@dataclass(frozen=True)
class Announcement:
    since: datetime
    kickoff: datetime


@dataclass(frozen=True)
class Timetable:
    announced: tuple[Announcement, ...]
    phases: tuple[Phase, ...]
    awarded: tuple[int, int] | None = None

    def phase_at(self, now: datetime) -> Phase:
        current = self.phases[0]
        for phase in self.phases:
            if phase.since > now:
                break
            current = phase
        return current

    def kickoff_at(self, now: datetime) -> datetime:
        kickoffs = [
            announcement.kickoff for announcement in self.announced if announcement.since <= now
        ]
        return kickoffs[-1] if kickoffs else self.announced[0].kickoff

    def moment(self, minute: Minute, second: int = 0) -> datetime:
        """The instant at which this minute of play begins, and some seconds."""
        for phase in reversed(self.phases):
            if phase.base is None or phase.cap is None:
                continue
            if phase.base < minute.elapsed <= phase.cap:
                played = minute.elapsed - 1 - phase.base + (minute.extra or 0)
                return phase.since + timedelta(minutes=played, seconds=second)
        raise ValueError(f"minute {minute} is not played in this match")

    def starts(self, status: str) -> datetime:
        return next(phase.since for phase in self.phases if phase.status == status)


@dataclass(frozen=True)
class MatchScript:
    fixture_id: int
    league: League
    home: Club
    away: Club
    timetable: Timetable
    lines: tuple[Line, ...] = ()
    title: str = ""
    round: str = "Regular Season - 36"
    referee: str | None = "R. Whistler"

    @property
    def kickoff(self) -> datetime:
        """When it was first announced to begin."""
        return self.timetable.announced[0].kickoff

    @property
    def final_status(self) -> str:
        return str(self.timetable.phases[-1].status)

    @cached_property
    def settled_at(self) -> datetime:
        return max(
            self.timetable.phases[-1].since, *(line.settled_at for line in self.lines), BEGINNING
        )

    def lines_at(self, now: datetime) -> list[tuple[int, Line, FeedEvent]]:
        """What is listed, in order of time: the line, its number, and how it reads."""
        listed = [
            (number, line, event)
            for number, line in enumerate(self.lines)
            if (event := line.event_at(now)) is not None
        ]
        return sorted(listed, key=lambda one: (one[2].minute.elapsed, one[2].minute.extra or 0))

    def events_at(self, now: datetime) -> list[FeedEvent]:
        return [event for _, _, event in self.lines_at(now)]
