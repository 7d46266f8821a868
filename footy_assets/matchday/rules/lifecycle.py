"""From staging to completed: when a match is polled, activated, completed and closed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from footy_assets.matchday.rules.fixture import ClosedBy, Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.observe import Poll
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.rules.statuses import FixtureState, state_of

ACTIVATE_BEFORE_KICKOFF = timedelta(minutes=30)
COMPLETE_AFTER_POLLS = 3
QUARTER_MINUTES = 15


@dataclass(frozen=True, slots=True)
class Deadlines:
    unfinished_after: timedelta = timedelta(hours=48)
    retention: timedelta = timedelta(days=14)


def is_poll_due(last_polled: datetime | None, now: datetime) -> bool:
    """F5: once per wall-clock quarter hour."""
    return last_polled is None or quarter_of(last_polled) != quarter_of(now)


def quarter_of(moment: datetime) -> datetime:
    """F5: the wall-clock quarter hour (:00 :15 :30 :45) of a moment."""
    return moment.replace(
        minute=moment.minute // QUARTER_MINUTES * QUARTER_MINUTES, second=0, microsecond=0
    )


def activates(kickoff: datetime, status: str, now: datetime) -> bool:
    """F6: half an hour before kickoff, or at once when play or its end is reported."""
    if state_of(status) in (FixtureState.ACTIVE, FixtureState.COMPLETED):
        return True
    return kickoff <= now + ACTIVATE_BEFORE_KICKOFF


def first_state(sighting: FixtureSighting, now: datetime) -> FixtureState:
    """The state of a new fixture."""
    active = activates(sighting.kickoff, sighting.status, now)
    return FixtureState.ACTIVE if active else FixtureState.STAGING


def after_poll(
    fixture: Fixture,
    sighting: FixtureSighting,
    events: Iterable[GoalEvent],
    poll: Poll,
    deadlines: Deadlines,
) -> Fixture:
    """F1, F6, F8: the fixture after a poll that saw it; `events` are its goals after that poll."""
    fixture = fixture.updated_from(sighting, poll.at)
    standing = state_of(sighting.status)
    if fixture.state is FixtureState.STAGING:
        if not activates(sighting.kickoff, sighting.status, poll.at):
            return fixture
        fixture = replace(fixture, state=FixtureState.ACTIVE)
    events = [event for event in events if event.live]
    if standing is FixtureState.COMPLETED:
        return _complete_if_confirmed(fixture, sighting, events, poll, deadlines)
    if fixture.completed_polls:
        fixture = replace(fixture, completed_polls=())
    if (
        standing is FixtureState.STAGING
        and not events
        and not activates(sighting.kickoff, sighting.status, poll.at)
    ):
        return replace(fixture, state=FixtureState.STAGING)
    return past_deadline(fixture, poll.at, deadlines)


def past_deadline(fixture: Fixture, now: datetime, deadlines: Deadlines) -> Fixture:
    """F8: a match that never finishes is closed with a reason."""
    if fixture.state is not FixtureState.ACTIVE:
        return fixture
    if now < fixture.kickoff + deadlines.unfinished_after:
        return fixture
    hours = deadlines.unfinished_after / timedelta(hours=1)
    return replace(
        fixture,
        state=FixtureState.COMPLETED,
        completed_at=now,
        closed_because=f"status {fixture.status} more than {hours:g} h after kickoff",
        closed_by=ClosedBy.DEADLINE,
    )


def is_rescheduled(fixture: Fixture, sighting: FixtureSighting, now: datetime) -> bool:
    """Whether a match that a deadline closed has a new kickoff. A match that an operator closed
    stays closed (P5)."""
    return (
        fixture.state is FixtureState.COMPLETED
        and fixture.closed_by is ClosedBy.DEADLINE
        and state_of(sighting.status) is FixtureState.STAGING
        and sighting.kickoff > now
    )


def _complete_if_confirmed(
    fixture: Fixture,
    sighting: FixtureSighting,
    events: list[GoalEvent],
    poll: Poll,
    deadlines: Deadlines,
) -> Fixture:
    """F8. An extra poll (F11) confirms no end."""
    unfinished = [event for event in events if not event.finished]
    if unfinished:
        unfinished_since = max(event.first_seen_at or fixture.kickoff for event in unfinished)
        return _keep_open(replace(fixture, completed_polls=()), unfinished_since, poll, deadlines)
    if poll.extra:
        return fixture
    polls = tuple(dict.fromkeys((*fixture.completed_polls, poll.id)))
    decided = sighting.has_winner and sighting.lists_every_goal
    if not decided and len(polls) < COMPLETE_AFTER_POLLS:
        return replace(fixture, completed_polls=polls)
    return replace(
        fixture, state=FixtureState.COMPLETED, completed_polls=polls, completed_at=poll.at
    )


def _keep_open(fixture: Fixture, since: datetime, poll: Poll, deadlines: Deadlines) -> Fixture:
    """F8: a goal that is never finished does not keep its match open forever.

    The deadline counts from when the goal was first seen, so that past matches can be ingested.
    """
    if poll.at < since + deadlines.unfinished_after:
        return fixture
    hours = deadlines.unfinished_after / timedelta(hours=1)
    return replace(
        fixture,
        state=FixtureState.COMPLETED,
        completed_at=poll.at,
        closed_because=f"a goal still unfinished more than {hours:g} h after it was seen",
        closed_by=ClosedBy.DEADLINE,
    )
