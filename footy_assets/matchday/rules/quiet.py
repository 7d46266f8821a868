"""F10: a poll that finds what the last one found changes no goal, so the rules need not run."""

from collections.abc import Callable, Sequence

from footy_assets.matchday.rules.observe import GoalChange
from footy_assets.matchday.rules.plan import PollInput
from footy_assets.matchday.rules.sighting import FixtureSighting

# More are forgotten all at once.
MOST_REMEMBERED = 4096

# All that `observe` reads of a match, besides the poll.
_Found = tuple[object, ...]


class QuietMatches:
    """The last input of each match that changed no goal.

    A poll that counts changes a goal: it is added to the polls that saw or missed it (E4, E6). So
    where one poll changed none, no later one does until the goals or the sighting differ; the
    comparison is by value, whichever process wrote them.
    """

    def __init__(self, at_most: int = MOST_REMEMBERED) -> None:
        self._found: dict[int, _Found] = {}
        self._at_most = at_most

    def changes(
        self,
        given: PollInput,
        sighting: FixtureSighting,
        observe: Callable[[], Sequence[GoalChange]],
    ) -> Sequence[GoalChange]:
        """What `observe` returns, which is not called if it would return nothing again."""
        id_, found = sighting.fixture_id, _found(given, sighting)
        if self._found.get(id_) == found:
            return ()
        changes = observe()
        if changes:
            self._found.pop(id_, None)
            return changes
        if len(self._found) >= self._at_most:
            self._found.clear()
        self._found[id_] = found
        return changes


def _found(given: PollInput, sighting: FixtureSighting) -> _Found:
    return (
        given.goals,
        given.tombstones,
        sighting.goals,
        sighting.cancellations,
        sighting.goals_complete,
        (sighting.goals_home, sighting.goals_away),
        (sighting.home.id, sighting.away.id),
    )
