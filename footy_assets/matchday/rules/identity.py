"""Matches sighted goals with known ones. A goal keeps its identity (E3, E5)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from footy_assets.matchday.rules.goal import GoalEvent, player_part, sequence_of
from footy_assets.matchday.rules.minute import is_stoppage_added, minutes_apart
from footy_assets.matchday.rules.sighting import Cancellation, GoalSighting, Player
from footy_assets.matchday.rules.var_decisions import VarDecisions

SAME_SCORER_EDIT = 3
FLICKER_EDIT = 1
REATTRIBUTION_WITHIN = 1

Pair = tuple[GoalEvent, GoalSighting]


@dataclass(slots=True)
class Matching:
    """Every known and every sighted goal ends in exactly one of these."""

    same: list[Pair] = field(default_factory=list)
    renamed: list[Pair] = field(default_factory=list)
    new: list[GoalSighting] = field(default_factory=list)
    missing: list[GoalEvent] = field(default_factory=list)
    cancelled: list[tuple[GoalEvent, Cancellation]] = field(default_factory=list)
    ignored: list[GoalSighting] = field(default_factory=list)


def match_goals(
    known: Sequence[GoalEvent],
    sighted: Sequence[GoalSighting],
    cancellations: Sequence[Cancellation] = (),
    tombstones: Sequence[GoalEvent] = (),
    surplus: Mapping[int, int] = MappingProxyType({}),
    complete: bool = True,
) -> Matching:
    """Pair known goals with the goals that the provider lists now.

    `surplus` is how many more goals a side lists than the provider's own score gives it: a goal of
    that side that is listed together with its cancellation has not been removed from the list yet.
    From a list that is not `complete` nothing vanishes, so nothing is re-attributed either.
    """
    matching = Matching()
    left_known, left_sighted = list(known), list(sighted)

    def take(event: GoalEvent, goal: GoalSighting, into: list[Pair]) -> None:
        left_known.remove(event)
        left_sighted.remove(goal)
        into.append((event, goal))

    for event, goal in _same_scorer(left_known, left_sighted):
        take(event, goal, matching.same)

    decisions = VarDecisions(cancellations, tombstones, sighted, surplus)
    matching.cancelled = decisions.find_cancelled(known, [event for event, _ in matching.same])
    cancelled = [event for event, _ in matching.cancelled]
    left_known = [event for event in left_known if event not in cancelled]
    left_sighted += [goal for event, goal in matching.same if event in cancelled]
    matching.same = [pair for pair in matching.same if pair[0] not in cancelled]
    matching.ignored = [goal for goal in left_sighted if decisions.is_cancelled(goal, cancelled)]
    left_sighted = [goal for goal in left_sighted if goal not in matching.ignored]

    for event, goal in _closest_pairs(
        [event for event in left_known if event.player.id is None], left_sighted
    ):
        take(event, goal, matching.renamed if _renames(event, goal) else matching.same)

    present = [event for event in left_known if complete and not event.missing_in_polls]
    for event, goal in _closest_pairs(present, left_sighted):
        take(event, goal, matching.renamed if _renames(event, goal) else matching.same)

    matching.new, matching.missing = left_sighted, left_known
    return matching


def lowest_free_sequence(taken: Iterable[str], player: Player) -> int:
    """E3: the lowest number that no live goal of this player holds."""
    part = player_part(player)
    used = {number for name, number in map(sequence_of, taken) if name == part}
    sequence = 1
    while sequence in used:
        sequence += 1
    return sequence


def _same_scorer(known: Sequence[GoalEvent], sighted: Sequence[GoalSighting]) -> list[Pair]:
    """E3: a scorer's goals are paired in order of time, never crosswise."""
    of_known: dict[tuple[int, int | None], list[GoalEvent]] = defaultdict(list)
    of_sighted: dict[tuple[int, int | None], list[GoalSighting]] = defaultdict(list)
    for event in known:
        of_known[event.team_id, event.player.id].append(event)
    for goal in sighted:
        of_sighted[goal.team_id, goal.scorer.id].append(goal)
    pairs = []
    for key, events in of_known.items():
        events.sort(key=lambda event: event.minute.sort_key)
        goals = sorted(of_sighted[key], key=lambda goal: goal.minute.sort_key)
        pairs += _align(tuple(events), tuple(goals))
    return pairs


def _align(events: tuple[GoalEvent, ...], goals: tuple[GoalSighting, ...]) -> list[Pair]:
    """The alignment with most unmoved goals, then most pairs, then the smallest time edits.

    A goal still listed at its minute stays itself: if 24' vanishes and 29' appears, 26' must not
    become 29'.
    """

    @lru_cache(None)
    def best(i: int, j: int) -> tuple[int, int, float, tuple[tuple[int, int], ...]]:
        if i == len(events) or j == len(goals):
            return 0, 0, 0.0, ()
        options = [best(i + 1, j), best(i, j + 1)]
        if _may_be_edit(events[i], goals[j]):
            unmoved, pairs, cost, path = best(i + 1, j + 1)
            unmoved -= events[i].minute == goals[j].minute
            cost += _edit_cost(events[i], goals[j])
            options.append((unmoved, pairs - 1, cost, ((i, j), *path)))
        return min(options)

    return [(events[i], goals[j]) for i, j in best(0, 0)[3]]


def _may_be_edit(event: GoalEvent, goal: GoalSighting) -> bool:
    apart = minutes_apart(event.minute, goal.minute)
    if event.player.id is None:
        return apart == 0
    if event.missing_in_polls:
        return apart <= FLICKER_EDIT
    return apart <= SAME_SCORER_EDIT or is_stoppage_added(event.minute, goal.minute)


def _edit_cost(event: GoalEvent, goal: GoalSighting) -> float:
    return (
        minutes_apart(event.minute, goal.minute)
        + 0.5 * (event.player.name != goal.scorer.name)
        + 0.25 * (event.detail != goal.detail)
        + 0.125 * (event.assist.id != goal.assist.id)
    )


def _renames(event: GoalEvent, goal: GoalSighting) -> bool:
    """E5: a known scorer is replaced only by another known one."""
    return bool(goal.scorer.id) and (goal.scorer.known or not event.player.known)


def _closest_pairs(events: Sequence[GoalEvent], goals: Sequence[GoalSighting]) -> list[Pair]:
    """E5: one goal vanishes as another appears: same team, at most one minute apart."""
    options = sorted(
        (apart, (event.player.id is None) != (goal.scorer.id is None), i, j)
        for i, event in enumerate(events)
        for j, goal in enumerate(goals)
        if event.team_id == goal.team_id
        and (apart := minutes_apart(event.minute, goal.minute)) <= REATTRIBUTION_WITHIN
    )
    pairs: dict[int, int] = {}
    for _, _, i, j in options:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return [(events[i], goals[j]) for i, j in pairs.items()]
