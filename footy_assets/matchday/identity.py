"""Which sighted goal is which known one. Identities stay with their goals (E3, E5)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from footy_assets.matchday.goal import GoalEvent, player_part, sequence_of
from footy_assets.matchday.minute import minutes_apart, stoppage_filled_in
from footy_assets.matchday.sighting import Cancellation, GoalSighting, Player

SAME_SCORER_EDIT = 3
FLICKER_EDIT = 1
REATTRIBUTION_WITHIN = 1
CANCELLED_WITHIN = 5
CANCELLED_WHILE_LISTED_WITHIN = 1


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
    """Pair what we know with what is listed now.

    `surplus` says how many more goals a side lists than the provider's own score gives it: there,
    a goal listed beside its own cancellation has not been cleared away yet. From a list that is
    not `complete` nothing vanishes, so nothing is re-attributed either.
    """
    matching = Matching()
    left_known, left_sighted = list(known), list(sighted)

    def take(event: GoalEvent, goal: GoalSighting, into: list[Pair]) -> None:
        left_known.remove(event)
        left_sighted.remove(goal)
        into.append((event, goal))

    for event, goal in _same_scorer(left_known, left_sighted):
        take(event, goal, matching.same)

    current = {decision.key for decision in cancellations}
    stones = {
        (stone.team_id, stone.player.id, stone.minute)
        for stone in tombstones
        if stone.removal and stone.removal.cancellation in current
    }
    verdicts = {(d.team_id, d.player_id, d.minute) for d in cancellations}
    explained = Counter(
        goal.team_id
        for goal in sighted
        if (goal.team_id, goal.scorer.id, goal.minute) in stones | verdicts
    )

    def listed_within(team_id: int) -> int:
        """How far from what was cancelled a goal still listed may be and be it (E6).

        At that very minute it is. A minute off it may as well be the scorer's real goal beside
        one that we never saw: only a score that does not count it tells.
        """
        uncounted = surplus.get(team_id, 0) > explained[team_id]
        return CANCELLED_WHILE_LISTED_WITHIN if uncounted else 0

    spent = {stone.removal.cancellation for stone in tombstones if stone.removal}
    for decision in cancellations:
        if decision.key in spent:
            continue
        listed = {id(event): goal for event, goal in matching.same}
        already = {id(event) for event, _ in matching.cancelled}
        victim = _cancelled_by(decision, known, listed, already, listed_within(decision.team_id))
        if victim is None:
            continue
        matching.cancelled.append((victim, decision))
        if id(victim) in listed:
            goal = listed[id(victim)]
            matching.same.remove((victim, goal))
            left_sighted.append(goal)
        else:
            left_known.remove(victim)

    # A verdict on a goal we do not know hides one only where the score does not count it.
    hidden = stones | {(e.team_id, e.player.id, e.minute) for e, _ in matching.cancelled}
    hidden |= {verdict for verdict in verdicts if surplus.get(verdict[0], 0)}
    for goal in list(left_sighted):
        if any(
            (goal.team_id, goal.scorer.id) == (team_id, player_id)
            and minutes_apart(goal.minute, minute) <= listed_within(team_id)
            for team_id, player_id, minute in hidden
        ):
            left_sighted.remove(goal)
            matching.ignored.append(goal)

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
    """E3: a scorer's goals are paired by time and never cross each other."""
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
    """Goals that did not move first, then most pairs, then the smallest change of time, in order.

    A goal still listed at its minute is itself: 24' that vanishes while 29' appears must not
    push 26' on to 29'.
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
    return apart <= SAME_SCORER_EDIT or stoppage_filled_in(event.minute, goal.minute)


def _edit_cost(event: GoalEvent, goal: GoalSighting) -> float:
    return (
        minutes_apart(event.minute, goal.minute)
        + 0.5 * (event.player.name != goal.scorer.name)
        + 0.25 * (event.detail != goal.detail)
        + 0.125 * (event.assist.id != goal.assist.id)
    )


def _renames(event: GoalEvent, goal: GoalSighting) -> bool:
    """E5: whom we know is replaced only by someone who is known, too."""
    return bool(goal.scorer.id) and (goal.scorer.known or not event.player.known)


def _closest_pairs(events: Sequence[GoalEvent], goals: Sequence[GoalSighting]) -> list[Pair]:
    """E5: one vanishes as the other appears, same team, same minute within one."""
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


def _cancelled_by(
    decision: Cancellation,
    known: Sequence[GoalEvent],
    listed: dict[int, GoalSighting],
    already: set[int],
    listed_within: int,
) -> GoalEvent | None:
    """E6: the goal a VAR decision takes back.

    The scorer's at that very minute; else unlisted before listed, nearest before it.
    """
    options = []
    for event in known:
        if id(event) in already or event.team_id != decision.team_id:
            continue
        named = bool(decision.player_id and event.player.id)
        if named and decision.player_id != event.player.id:
            continue
        if event.minute.sort_key > decision.minute.sort_key:
            continue
        apart = minutes_apart(event.minute, decision.minute)
        still_listed = id(event) in listed
        if still_listed and not (named and apart <= listed_within):
            continue
        if apart <= CANCELLED_WITHIN:
            exact = named and apart == 0
            options.append((not exact, still_listed, not named, apart, event.key, event))
    return min(options)[-1] if options else None
