"""One poll of one match: from known goals and a sighting to changed goals."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from footy_assets.matchday.rules.confirm import counts
from footy_assets.matchday.rules.goal import (
    REMOVED_AFTER_MISSES,
    STABLE_AFTER_POLLS,
    EventState,
    FormerIdentity,
    GoalEvent,
    Removal,
    RemovalReason,
    RenameReason,
    event_id,
)
from footy_assets.matchday.rules.identity import lowest_free_sequence, match_goals
from footy_assets.matchday.rules.score import with_scores
from footy_assets.matchday.rules.sighting import FixtureSighting, GoalSighting


@dataclass(frozen=True, slots=True)
class Poll:
    """One monitor cycle. An `extra` one comes between two ordinary ones, to confirm goals (F11)."""

    id: str
    at: datetime
    extra: bool = False
    # How far apart the polls are that count towards stable.
    apart: timedelta = timedelta(0)


class ChangeKind(StrEnum):
    """As logged and as counted for a poll."""

    NEW = "new"
    REMOVED = "removed"
    RENAMED = "renamed"
    STABLE = "stable"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class GoalChange:
    """`before` is None for a new goal."""

    before: GoalEvent | None
    after: GoalEvent

    @property
    def kind(self) -> ChangeKind:
        before, after = self.before, self.after
        if before is None:
            return ChangeKind.NEW
        if not after.live:
            return ChangeKind.REMOVED
        if before.event_id != after.event_id:
            return ChangeKind.RENAMED
        if after.state is EventState.STABLE and before.state is not EventState.STABLE:
            return ChangeKind.STABLE
        return ChangeKind.UPDATED


def observe(
    known: Sequence[GoalEvent],
    tombstones: Sequence[GoalEvent],
    sighting: FixtureSighting,
    poll: Poll,
    new_key: Callable[[], str],
    search_attempts: int = 0,
) -> list[GoalChange]:
    """E2–E8 for one match: the goals that this poll changes."""
    if sighting.goals is None:
        return []
    surplus = _surplus(sighting)
    goals = _without_repeats(sighting.goals, surplus)
    matching = match_goals(
        known,
        goals,
        sighting.cancellations,
        tombstones,
        surplus,
        sighting.goals_complete,
    )
    after: dict[str, GoalEvent] = {}
    for event, decision in matching.cancelled:
        removal = Removal(poll.at, RemovalReason.VAR, poll.id, decision.key, decision.detail)
        after[event.key] = replace(event, removal=removal)
    for event in matching.missing:
        after[event.key] = _after_miss(event, poll) if sighting.goals_complete else event
    for event, goal in matching.same:
        after[event.key] = _after_sighting(event, goal, poll, search_attempts)

    # A sequence number that a rename frees is available from the next poll on, so that the order of
    # writes never matters; that of a removed goal is available at once.
    taken = [e.event_id for e in known if e.key not in after or after[e.key].live]
    for event, goal in sorted(matching.renamed, key=lambda pair: pair[1].minute.sort_key):
        identity = _new_identity(event.fixture_id, goal, taken)
        after[event.key] = _after_rename(event, goal, identity, poll, search_attempts)
    order = {id(goal): index for index, goal in enumerate(sighting.goals)}
    for goal in sorted(matching.new, key=lambda g: (g.minute.sort_key, order.get(id(g), 0))):
        identity = _new_identity(sighting.fixture_id, goal, taken)
        new_goal = GoalEvent(
            key=new_key(),
            event_id=identity,
            fixture_id=sighting.fixture_id,
            team_id=goal.team_id,
            player=goal.scorer,
            minute=goal.minute,
            detail=goal.detail,
            first_seen_at=poll.at,
        )
        after[new_goal.key] = _after_sighting(new_goal, goal, poll, search_attempts)

    scored = with_scores(after.values(), sighting)
    before = {event.key: event for event in known}
    return [
        GoalChange(before.get(key), event)
        for key, event in scored.items()
        if event != before.get(key)
    ]


def _after_sighting(
    event: GoalEvent, goal: GoalSighting, poll: Poll, search_attempts: int
) -> GoalEvent:
    """E4: the poll counts once, if the scorer is known and the goal is not stable yet; and only if
    the last one that counted is long enough ago (F11)."""
    seen = replace(event.updated_from(goal), missing_in_polls=())
    if seen.stable or not goal.scorer.known or poll.id in seen.seen_in_polls:
        return seen
    if not counts(seen.last_counted_at, poll.at, poll.apart):
        return seen
    polls = (*seen.seen_in_polls, poll.id)
    seen = replace(seen, seen_in_polls=polls, last_counted_at=poll.at)
    if len(seen.seen_in_polls) < STABLE_AFTER_POLLS:
        return seen
    return replace(seen, stable_at=poll.at, attempts_planned=search_attempts)


def _after_miss(event: GoalEvent, poll: Poll) -> GoalEvent:
    """E6: three misses in a row remove a goal; an unnamed one is removed at once. An extra poll
    counts no miss, so that a goal that flickers is removed no sooner than without it (F11)."""
    if poll.extra:
        return event
    misses = tuple(dict.fromkeys((*event.missing_in_polls, poll.id)))
    missed = replace(event, missing_in_polls=misses)
    if not event.player.known:
        reason = RemovalReason.UNNAMED_VANISHED
        return replace(missed, removal=Removal(poll.at, reason, poll.id))
    if len(misses) >= REMOVED_AFTER_MISSES:
        return replace(missed, removal=Removal(poll.at, RemovalReason.MISSING, poll.id))
    return missed


def _after_rename(
    event: GoalEvent, goal: GoalSighting, identity: str, poll: Poll, search_attempts: int
) -> GoalEvent:
    """E5: the goal keeps everything under its new identity."""
    reason = RenameReason.REATTRIBUTED if event.player.id else RenameReason.NAMED
    former = FormerIdentity(event.event_id, poll.at, poll.id, reason)
    moved = replace(
        event, event_id=identity, player=goal.scorer, formerly=(*event.formerly, former)
    )
    return _after_sighting(moved, goal, poll, search_attempts)


def _new_identity(fixture_id: int, goal: GoalSighting, taken: list[str]) -> str:
    sequence = lowest_free_sequence(taken, goal.scorer)
    identity = event_id(fixture_id, goal.team_id, goal.scorer, sequence)
    taken.append(identity)
    return identity


def _surplus(sighting: FixtureSighting) -> Counter[int]:
    """How many more goals a side lists than the provider's own score gives it, by team id."""
    listed = sighting.listed or (0, 0)
    return +Counter(
        {
            side.id: count - scored
            for side, count, scored in (
                (sighting.home, listed[0], sighting.goals_home),
                (sighting.away, listed[1], sighting.goals_away),
            )
            if scored is not None
        }
    )


def _without_repeats(goals: Sequence[GoalSighting], surplus: Counter[int]) -> list[GoalSighting]:
    """A goal listed twice is one goal, if its side has a surplus.

    Each repeat that is left out reduces the surplus by one.
    """
    kept: list[GoalSighting] = []
    for goal in goals:
        repeat = any(
            (goal.team_id, goal.scorer.id, goal.minute)
            == (other.team_id, other.scorer.id, other.minute)
            for other in kept
        )
        if repeat and goal.scorer.id and surplus[goal.team_id] > 0:
            surplus[goal.team_id] -= 1
        else:
            kept.append(goal)
    return kept
