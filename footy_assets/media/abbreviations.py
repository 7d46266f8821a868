"""V7: what a clip that is surely of a match teaches about the abbreviations of its sides."""

from dataclasses import dataclass

from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.scorebug_reading import ScorebugReading
from footy_assets.media.teams_shown import fits_side, letters_of


@dataclass(frozen=True, slots=True)
class ShownAbbreviation:
    """What the scorebug called the home or the away side."""

    is_home: bool
    text: str


def abbreviation_shown(bug: ScorebugReading, goal: GoalFacts) -> ShownAbbreviation | None:
    """The one name that no known name explains, beside one that is surely the other side's and with
    the goal's score in that order. Learned abbreviations are not looked at: none supports another.

    The clip's clock must show the goal's minute, too, which the caller knows.
    """
    if len(bug.names) != 2 or not bug.scores or not goal.possible_scores:
        return None
    sides = goal.home, goal.away
    fits = [[fits_side(name, side) for side in sides] for name in bug.names]
    sure = [(name, side) for name in (0, 1) for side in (0, 1) if fits[name][side] is True]
    if len(sure) != 1:
        return None
    ((name, side),) = sure
    swapped = name != side
    scores = [score.pair[::-1] if swapped else score.pair for score in bug.scores]
    text = letters_of(bug.names[1 - name])
    if not goal.possible_scores.issuperset(scores) or not text.isascii():
        return None
    return ShownAbbreviation(is_home=side == 1, text=text)
