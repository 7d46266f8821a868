"""What VAR took back: which goal a decision means, and which listed goals it hides (E6)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.minute import MatchMinute, minutes_apart
from footy_assets.matchday.sighting import Cancellation, GoalSighting

CANCELLED_WITHIN = 5
CANCELLED_WHILE_LISTED_WITHIN = 1

# A goal's side, scorer and minute: all that a decision says of it.
Spot = tuple[int, int | None, MatchMinute]


class Verdicts:
    """The decisions listed in one answer, and what earlier polls made of them.

    `surplus` says how many more goals a side lists than the provider's own score gives it.
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
        spent = {stone.removal.cancellation for stone in tombstones if stone.removal}
        self._fresh = [decision for decision in decisions if decision.key not in spent]
        self._gone = {
            _spot(stone)
            for stone in tombstones
            if stone.removal and stone.removal.cancellation in listed_now
        }
        self._named = {(d.team_id, d.player_id, d.minute) for d in decisions}
        cancelled_spots = self._gone | self._named
        self._explained = Counter(
            goal.team_id
            for goal in sighted
            if (goal.team_id, goal.scorer.id, goal.minute) in cancelled_spots
        )

    def takes_back(
        self, known: Sequence[GoalEvent], listed: Iterable[GoalEvent]
    ) -> list[tuple[GoalEvent, Cancellation]]:
        """Each decision that was not used up takes back one goal at the most."""
        still_listed = {event.key for event in listed}
        taken: dict[str, tuple[GoalEvent, Cancellation]] = {}
        for decision in self._fresh:
            standing = [event for event in known if event.key not in taken]
            event = self._meant_by(decision, standing, still_listed)
            if event is not None:
                taken[event.key] = (event, decision)
        return list(taken.values())

    def hides(self, goal: GoalSighting, taken_back: Iterable[GoalEvent]) -> bool:
        """Is this listed goal one that was taken back, and not cleared away yet?

        A decision on a goal that we never knew hides one only where the score leaves it out.
        """
        spots = self._gone | {_spot(event) for event in taken_back}
        if self._surplus.get(goal.team_id, 0):
            spots |= self._named
        return any(
            (goal.team_id, goal.scorer.id) == (team_id, player_id)
            and minutes_apart(goal.minute, minute) <= self._listed_within(team_id)
            for team_id, player_id, minute in spots
        )

    def _meant_by(
        self, decision: Cancellation, known: Sequence[GoalEvent], still_listed: set[str]
    ) -> GoalEvent | None:
        """The scorer's goal at that very minute; else unlisted before listed, nearest before it."""
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
            if listed and not (named and apart <= self._listed_within(event.team_id)):
                continue
            if apart <= CANCELLED_WITHIN:
                exact = named and apart == 0
                options.append((not exact, listed, not named, apart, event.key, event))
        return min(options)[-1] if options else None

    def _listed_within(self, team_id: int) -> int:
        """How far from what was taken back a goal still listed may be, and be it.

        At that very minute it is. A minute off it may as well be the scorer's real goal beside
        one that we never saw: only a score that does not count it tells.
        """
        uncounted = self._surplus.get(team_id, 0) > self._explained[team_id]
        return CANCELLED_WHILE_LISTED_WITHIN if uncounted else 0


def _spot(event: GoalEvent) -> Spot:
    return (event.team_id, event.player.id, event.minute)
