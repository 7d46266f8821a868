"""VAR decisions: which goal each cancels, and which listed goals are cancelled ones (E6)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute, minutes_apart
from footy_assets.matchday.rules.sighting import Cancellation, GoalSighting

MAX_MINUTES_BEFORE_DECISION = 5
MAX_MINUTES_OFF_LISTED = 1

# A goal's team, scorer and minute: what a decision says about it.
Spot = tuple[int, int | None, MatchMinute]


class VarDecisions:
    """The decisions listed in one answer, minus those that removed a goal in an earlier poll.

    `surplus` is how many more goals a side lists than the provider's own score gives it.
    """

    def __init__(
        self,
        decisions: Sequence[Cancellation],
        tombstones: Sequence[GoalEvent],
        sighted: Sequence[GoalSighting],
        surplus: Mapping[int, int],
    ) -> None:
        self._surplus = surplus
        listed_now = {decision.key for decision in decisions}
        used = {tombstone.removal.cancellation for tombstone in tombstones if tombstone.removal}
        self._new = [decision for decision in decisions if decision.key not in used]
        self._removed_spots = {
            _spot(tombstone)
            for tombstone in tombstones
            if tombstone.removal and tombstone.removal.cancellation in listed_now
        }
        self._decision_spots = {(d.team_id, d.player_id, d.minute) for d in decisions}
        cancelled_spots = self._removed_spots | self._decision_spots
        self._explained = Counter(
            goal.team_id
            for goal in sighted
            if (goal.team_id, goal.scorer.id, goal.minute) in cancelled_spots
        )

    def find_cancelled(
        self, known: Sequence[GoalEvent], listed: Iterable[GoalEvent]
    ) -> list[tuple[GoalEvent, Cancellation]]:
        """Each new decision cancels at most one goal."""
        still_listed = {event.key for event in listed}
        taken: dict[str, tuple[GoalEvent, Cancellation]] = {}
        for decision in self._new:
            standing = [event for event in known if event.key not in taken]
            event = self._cancelled_goal(decision, standing, still_listed)
            if event is not None:
                taken[event.key] = (event, decision)
        return list(taken.values())

    def is_cancelled(self, goal: GoalSighting, cancelled: Iterable[GoalEvent]) -> bool:
        """Is this listed goal a cancelled one that the provider has not removed from its list yet?

        A decision about a goal that we never saw applies only if the score does not count it.
        """
        spots = self._removed_spots | {_spot(event) for event in cancelled}
        if self._surplus.get(goal.team_id, 0):
            spots |= self._decision_spots
        return any(
            (goal.team_id, goal.scorer.id) == (team_id, player_id)
            and minutes_apart(goal.minute, minute) <= self._max_minutes_off(team_id)
            for team_id, player_id, minute in spots
        )

    def _cancelled_goal(
        self, decision: Cancellation, known: Sequence[GoalEvent], still_listed: set[str]
    ) -> GoalEvent | None:
        """The scorer's goal in that minute; else the nearest earlier one, unlisted goals first."""
        options = []
        for event in known:
            named = bool(decision.player_id and event.player.id)
            if (
                event.team_id != decision.team_id
                or (named and decision.player_id != event.player.id)
                or event.minute.sort_key > decision.minute.sort_key
            ):
                continue
            apart = minutes_apart(event.minute, decision.minute)
            listed = event.key in still_listed
            if listed and not (named and apart <= self._max_minutes_off(event.team_id)):
                continue
            if apart <= MAX_MINUTES_BEFORE_DECISION:
                exact = named and apart == 0
                options.append((not exact, listed, not named, apart, event.key, event))
        return min(options)[-1] if options else None

    def _max_minutes_off(self, team_id: int) -> int:
        """How many minutes off a listed goal may be and still be the cancelled one.

        In the same minute it is. A minute off, it may be the scorer's valid goal next to one that
        we never saw: only a score that does not count it decides.
        """
        uncounted = self._surplus.get(team_id, 0) > self._explained[team_id]
        return MAX_MINUTES_OFF_LISTED if uncounted else 0


def _spot(event: GoalEvent) -> Spot:
    return (event.team_id, event.player.id, event.minute)
