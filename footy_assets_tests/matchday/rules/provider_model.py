"""A simulated provider that does everything providers do to goals, with the expected result.

The model creates the goals, so it knows which is which. It stays within what the rules decide:
goals of one side are at least four minutes apart, except where a rule distinguishes them (E5, E6).
The stored goals must agree with the model after every poll.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from footy_assets.matchday.rules.goal import GoalEvent, sequence_of
from footy_assets.matchday.rules.sighting import (
    NOBODY,
    Cancellation,
    FixtureSighting,
    GoalSighting,
    Player,
)
from footy_assets_tests.matchday.rules.polled_match import AWAY, HOME, at, scorer, sighting

# The minutes that one goal may be edited to; two slots are at least four minutes apart.
SLOTS: tuple[tuple[str, ...], ...] = (
    *((str(m - 1), str(m), str(m + 1)) for m in (6, 12, 18, 24, 30, 36)),
    ("45", "45+1", "45+2"),
    *((str(m - 1), str(m), str(m + 1)) for m in (54, 60, 66, 72, 78, 84)),
    ("90", "90+1", "90+2"),
)
PLAYERS = (234, 7, 9)
HIDDEN_NAMES = (NOBODY, Player(None, "Unknown"))


@dataclass(eq=False)
class RealGoal:
    """One goal of the provider; `key` is the key under which it is stored."""

    number: int
    team: int
    slot: int
    minute: str
    player: Player
    listed_player: Player
    listed: bool = True
    follows: bool = False
    back_in: int | None = None
    cancelled: Cancellation | None = None
    # What must be stored.
    key: str | None = None
    expected_player: Player = NOBODY
    seen: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    removed_because: str | None = None
    was_stable: bool = False

    @property
    def gone(self) -> bool:
        return self.removed_because is not None

    @property
    def is_steady(self) -> bool:
        """Listed, stored, and not missing from the last poll."""
        return self.listed and not self.gone and self.key is not None and not self.misses

    def sighting(self) -> GoalSighting:
        return GoalSighting(self.team, self.listed_player, at(self.minute), "Normal Goal")


class ProviderMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.numbers = count(1)
        self.goals: list[RealGoal] = []
        self.verdicts: list[Cancellation] = []
        self.touched: set[RealGoal] = set()
        self.repeated: RealGoal | None = None
        self.score_lags = False
        self.polls: list[str] = []
        self.before: dict[str, GoalEvent] = {}
        self.history: list[str] = []

    def teardown(self) -> None:
        note("\n".join(self.history))

    def poll_provider(self, seen: FixtureSighting) -> str:
        """Polls once; returns the poll's id."""
        raise NotImplementedError

    def known(self) -> dict[str, GoalEvent]:
        """All stored goals by key, including removed ones."""
        raise NotImplementedError

    # -- events on the pitch and edits by the provider ---------------------------------------

    def pick(self, data: st.DataObject, goals: Iterable[RealGoal]) -> RealGoal:
        chosen: RealGoal = data.draw(st.sampled_from(sorted(goals, key=lambda g: g.number)))
        self.touched.add(chosen)
        return chosen

    def untouched(self, *, named: bool | None = None) -> list[RealGoal]:
        return [
            goal
            for goal in self.goals
            if goal.is_steady
            and goal not in self.touched
            and (named is None or goal.expected_player.known is named)
        ]

    def editable(self, *, named: bool | None = None) -> list[RealGoal]:
        """Leaves out goals next to a cancelled goal: an edit could make them equal to it."""
        return [goal for goal in self.untouched(named=named) if not goal.follows]

    def free_slots(self, team: int) -> list[int]:
        taken = {goal.slot for goal in self.goals if goal.team == team}
        return [slot for slot in range(len(SLOTS)) if slot not in taken]

    def add(
        self, team: int, slot: int, minute: str, player: Player, listed_player: Player
    ) -> RealGoal:
        goal = RealGoal(next(self.numbers), team, slot, minute, player, listed_player)
        self.goals.append(goal)
        self.touched.add(goal)
        return goal

    @initialize()
    def kickoff(self) -> None:
        self.goals.clear()

    @rule(data=st.data(), team=st.sampled_from((HOME, AWAY)), player=st.sampled_from(PLAYERS))
    def a_goal_is_scored(self, data: st.DataObject, team: int, player: int) -> None:
        slots = self.free_slots(team)
        if slots:
            slot = data.draw(st.sampled_from(slots))
            minute = data.draw(st.sampled_from(SLOTS[slot]))
            self.add(team, slot, minute, scorer(player), scorer(player))

    @rule(
        data=st.data(),
        team=st.sampled_from((HOME, AWAY)),
        player=st.sampled_from(PLAYERS),
        hidden_name=st.sampled_from(HIDDEN_NAMES),
    )
    def a_goal_without_a_scorer(
        self, data: st.DataObject, team: int, player: int, hidden_name: Player
    ) -> None:
        slots = self.free_slots(team)
        if slots:
            slot = data.draw(st.sampled_from(slots))
            self.add(team, slot, SLOTS[slot][1], scorer(player), hidden_name)

    @precondition(lambda self: self.untouched(named=False))
    @rule(data=st.data())
    def a_scorer_becomes_known(self, data: st.DataObject) -> None:
        goal = self.pick(data, self.untouched(named=False))
        goal.listed_player = goal.player

    @precondition(lambda self: self.untouched(named=True))
    @rule(data=st.data(), hidden_name=st.sampled_from((*HIDDEN_NAMES, None)))
    def a_known_name_is_lost_or_found(
        self, data: st.DataObject, hidden_name: Player | None
    ) -> None:
        goal = self.pick(data, self.untouched(named=True))
        goal.listed_player = goal.player if hidden_name is None else hidden_name

    @precondition(lambda self: self.editable(named=True))
    @rule(data=st.data(), player=st.sampled_from(PLAYERS))
    def a_goal_is_reattributed(self, data: st.DataObject, player: int) -> None:
        goal = self.pick(data, self.editable(named=True))
        goal.player = goal.listed_player = scorer(player)

    @precondition(lambda self: len(self.editable(named=True)) > 1)
    @rule(data=st.data())
    def two_scorers_are_swapped(self, data: st.DataObject) -> None:
        one = self.pick(data, self.editable(named=True))
        same_side = [goal for goal in self.editable(named=True) if goal.team == one.team]
        if same_side:
            other = self.pick(data, same_side)
            one.player, other.player = other.player, one.player
            one.listed_player, other.listed_player = one.player, other.player

    @precondition(lambda self: self.editable())
    @rule(data=st.data())
    def a_minute_is_edited(self, data: st.DataObject) -> None:
        goal = self.pick(data, self.editable())
        options = SLOTS[goal.slot]
        index = options.index(goal.minute)
        # Without a scorer only one minute is tolerated; with one, three.
        plain = goal.listed_player.known and goal.expected_player.known
        near = options if plain else options[max(0, index - 1) : index + 2]
        goal.minute = data.draw(st.sampled_from(near))

    @precondition(lambda self: self.untouched())
    @rule(data=st.data(), polls=st.integers(1, 2))
    def a_goal_flickers(self, data: st.DataObject, polls: int) -> None:
        goal = self.pick(data, self.untouched())
        goal.listed, goal.back_in = False, polls
        goal.listed_player = goal.player if goal.expected_player.known else goal.listed_player

    @precondition(lambda self: self.untouched())
    @rule(data=st.data())
    def a_goal_vanishes(self, data: st.DataObject) -> None:
        self.pick(data, self.untouched()).listed = False

    @precondition(lambda self: self.untouched(named=True))
    @rule(data=st.data(), later=st.integers(0, 2), clears=st.booleans(), lags=st.booleans())
    def a_goal_is_disallowed(
        self, data: st.DataObject, later: int, clears: bool, lags: bool
    ) -> None:
        """The goal leaves the list at once, or stays listed next to its cancellation."""
        goal = self.pick(data, self.untouched(named=True))
        minute = at(goal.minute)
        if clears:
            shift = (minute.extra or 0) + later if minute.extra else later
            decision_minute = (
                type(minute)(minute.elapsed, shift)
                if minute.elapsed in (45, 90) and shift
                else type(minute)(minute.elapsed + later, minute.extra)
            )
        else:
            decision_minute = minute
        # The same text at the same minute would be the old decision (E6: used up).
        words = (
            f"Goal Disallowed - {('offside', 'foul', 'handball')[goal.number % 3]} {goal.number}"
        )
        goal.cancelled = Cancellation(goal.team, goal.expected_player.id, decision_minute, words)
        goal.player = goal.listed_player = goal.expected_player
        goal.listed = not clears
        self.score_lags = lags
        self.verdicts.append(goal.cancelled)

    @precondition(lambda self: any(g.cancelled and g.listed and g.gone for g in self.goals))
    @rule()
    def cancelled_goals_are_cleared_from_the_list(self) -> None:
        for goal in self.goals:
            if goal.cancelled and goal.gone:
                goal.listed = False

    def ended(self) -> list[RealGoal]:
        """Removed goals whose slot no other goal has taken since."""
        last = {(goal.team, goal.slot): goal for goal in self.goals}
        return [goal for goal in last.values() if goal.gone and not goal.listed]

    @precondition(lambda self: self.ended())
    @rule(data=st.data())
    def a_removed_goal_comes_back(self, data: st.DataObject) -> None:
        """The goal is given after all: its cancellation leaves the list."""
        old = self.pick(data, self.ended())
        if old.cancelled in self.verdicts:
            self.verdicts.remove(old.cancelled)
        self.add(old.team, old.slot, old.minute, old.player, old.player)

    @precondition(lambda self: self.ended())
    @rule(data=st.data(), player=st.sampled_from(PLAYERS))
    def a_real_goal_follows_a_minute_after_a_removed_one(
        self, data: st.DataObject, player: int
    ) -> None:
        """A disallowed 1-0 at 30', a valid one at 31' by any player, the decision still listed."""
        old = self.pick(data, self.ended())
        options = SLOTS[old.slot]
        index = options.index(old.minute)
        if index + 1 < len(options):
            minute = options[index + 1]
            self.add(old.team, old.slot, minute, scorer(player), scorer(player)).follows = True

    @precondition(lambda self: not self.verdicts and self.untouched(named=True))
    @rule(data=st.data())
    def a_goal_is_listed_twice(self, data: st.DataObject) -> None:
        goal = self.pick(data, self.untouched(named=True))
        goal.listed_player = goal.player
        self.repeated = goal

    @rule()
    def the_provider_is_polled(self) -> None:
        for goal in self.goals:
            if goal.back_in is not None and not goal.listed and not goal.gone:
                goal.back_in -= 1
                goal.listed = goal.back_in < 0
                goal.back_in = None if goal.listed else goal.back_in
        seen = self.answer()
        self.before = self.known()
        self.history.append(_line(seen))
        poll = self.poll_provider(seen)
        self.polls.append(poll)
        self.expect_after_poll(poll, seen)
        self.touched.clear()
        self.repeated = None
        self.score_lags = False

    def answer(self) -> FixtureSighting:
        listed = [goal for goal in self.goals if goal.listed]
        # Only the score distinguishes a scorer's new goal from his cancelled one: while the goal is
        # new, the score of his side counts all listed goals.
        lags = self.score_lags or any(goal.key is None and goal.follows for goal in listed)
        counted = [g.team for g in listed if lags or g.cancelled is None]
        goals = [goal.sighting() for goal in listed]
        if self.repeated is not None and self.repeated.listed:
            goals.append(self.repeated.sighting())
        return sighting(
            *sorted(goals, key=lambda goal: goal.minute.sort_key),
            cancelled=self.verdicts,
            score=(counted.count(HOME), counted.count(AWAY)),
        )

    # -- what must be stored -----------------------------------------------------------------

    def expect_after_poll(self, poll: str, seen: FixtureSighting) -> None:
        new_events = [event for key, event in self.known().items() if key not in self.before]
        for goal in self.goals:
            if goal.gone:
                continue
            if goal.listed and goal.cancelled is None:
                self._present(goal, poll, new_events)
            elif goal.key is not None:
                self._absent(goal, poll)
        assert new_events == [], "a goal was stored that the provider never listed"

    def _present(self, goal: RealGoal, poll: str, new_events: list[GoalEvent]) -> None:
        if goal.key is None:
            [mine] = [
                event
                for event in new_events
                if (event.team_id, event.player.id, event.minute)
                == (goal.team, goal.listed_player.id, at(goal.minute))
            ]
            new_events.remove(mine)
            goal.key, goal.expected_player = mine.key, goal.listed_player
        goal.misses.clear()
        if goal.listed_player.known:
            goal.expected_player = goal.listed_player
            if len(goal.seen) < 3:
                goal.seen.append(poll)

    def _absent(self, goal: RealGoal, poll: str) -> None:
        if goal.cancelled is not None:
            goal.removed_because = "var"
        elif not goal.expected_player.known:
            goal.misses.append(poll)
            goal.removed_because = "unnamed_vanished"
        else:
            goal.misses.append(poll)
            if len(goal.misses) == 3:
                goal.removed_because = "missing"

    @invariant()
    def E3_no_two_goals_that_stand_share_an_identity(self) -> None:
        held = [event.event_id for event in self.known().values() if event.live]
        assert len(held) == len(set(held)), held

    @invariant()
    def E3_every_goal_keeps_the_key_it_was_created_with(self) -> None:
        """All data under a key stays with its goal: scorer, polls, misses, removal."""
        known = self.known()
        by_key = {goal.key: goal for goal in self.goals if goal.key is not None}
        assert set(known) == set(by_key)
        for key, goal in by_key.items():
            event = known[key]
            assert event.team_id == goal.team
            assert (event.player.id, event.player.known) == (
                goal.expected_player.id,
                goal.expected_player.known,
            )
            assert event.seen_in_polls == tuple(goal.seen), goal
            assert event.missing_in_polls == tuple(goal.misses), goal
            assert (event.removal.reason if event.removal else None) == goal.removed_because
            assert sequence_of(event.event_id)[0] == str(event.player.id or "unknown")

    @invariant()
    def E4_the_set_of_polls_is_a_set_of_polls_that_were(self) -> None:
        for event in self.known().values():
            assert len(set(event.seen_in_polls)) == len(event.seen_in_polls) <= 3
            assert set(event.seen_in_polls) <= set(self.polls)
            assert event.player.known or not event.seen_in_polls

    @invariant()
    def E4_a_stable_goal_stays_stable_and_an_unnamed_one_never_is(self) -> None:
        for goal in self.goals:
            if goal.key is None:
                continue
            event = self.known()[goal.key]
            assert event.stable or not goal.was_stable
            assert not event.stable or event.player.known
            assert event.stable == (event.stable_at is not None)
            goal.was_stable = event.stable

    @invariant()
    def E3_a_new_identity_takes_the_lowest_free_number(self) -> None:
        now = self.known()
        for key, event in now.items():
            old = self.before.get(key)
            if not event.live or (old is not None and old.event_id == event.event_id):
                continue
            assert old is None or old.player.id != event.player.id, "renamed without a reason"
            player, number = sequence_of(event.event_id)
            # The number of a renamed goal is free only from the next poll on.
            held = _numbers(self.before.values(), player) | _numbers(now.values(), player)
            assert held >= set(range(1, number)), event.event_id

    @invariant()
    def E5_former_identities_list_every_name_a_goal_has_had(self) -> None:
        for key, event in self.known().items():
            old = self.before.get(key)
            if old is not None and old.event_id != event.event_id:
                assert [f.event_id for f in event.formerly][-1] == old.event_id

    @invariant()
    def E8_the_score_is_counted_from_the_goals_that_stand(self) -> None:
        standing: Sequence[GoalEvent] = [e for e in self.known().values() if e.live]
        if standing:
            highest = max(sum(e.score_after or (0, 0)) for e in standing)
            assert highest == len(standing)


def _line(seen: FixtureSighting) -> str:
    goals = [f"{g.minute} {g.scorer.id} ({g.team_id})" for g in seen.goals or ()]
    verdicts = [f"{c.minute} {c.player_id} ({c.team_id})" for c in seen.cancellations]
    return f"{seen.goals_home}-{seen.goals_away}: {', '.join(goals)}; VAR: {', '.join(verdicts)}"


def _numbers(events: Iterable[GoalEvent], player: str) -> set[int]:
    named = (sequence_of(event.event_id) for event in events if event.live)
    return {number for name, number in named if name == player}
