"""V7: what is known about a goal that a clip's scorebug can confirm or contradict."""

import re
from dataclasses import dataclass

from footy_assets.errors import BadInput
from footy_assets.media.goal_minute import GoalMinute

Score = tuple[int, int]

_SCORE_TEXT = re.compile(r"\s*(\d{1,2})\s*[-:–]\s*(\d{1,2})\s*")


@dataclass(frozen=True, slots=True)
class GoalFacts:
    """The minute, and as far as they are known the names of each side (its own first, then
    aliases and abbreviations), the score after the goal and which side scored it."""

    minute: GoalMinute | None = None
    home: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    score_after: Score | None = None
    home_scored: bool | None = None
    # Where the score is not certain: how it is listed, and how many goals of each side the
    # scorebug may count otherwise.
    listed_score: Score | None = None
    counted_otherwise: tuple[int, int] = (0, 0)
    # What scorebugs of other matches called them.
    learned_home: tuple[str, ...] = ()
    learned_away: tuple[str, ...] = ()

    @property
    def possible_scores(self) -> frozenset[Score]:
        """V7: the scores before and after the goal; empty if the score is not certain."""
        return self._before_and_after(self.score_after) if self.score_after else frozenset()

    @property
    def conceivable_scores(self) -> frozenset[Score]:
        """V7: all other scores refuse a clip; empty if nothing is known."""
        if self.score_after is not None or self.listed_score is None:
            return self.possible_scores
        (home, away), (homes, aways) = self.listed_score, self.counted_otherwise
        return frozenset(
            (max(0, one[0] + more_home), max(0, one[1] + more_away))
            for one in self._before_and_after((home, away))
            for more_home in range(-homes, homes + 1)
            for more_away in range(-aways, aways + 1)
        )

    def _before_and_after(self, score: Score) -> frozenset[Score]:
        home, away = score
        befores = []
        if self.home_scored is not False:
            befores.append((home - 1, away))
        if self.home_scored is not True:
            befores.append((home, away - 1))
        return frozenset({score, *(one for one in befores if min(one) >= 0)})


def parse_score(written: str) -> Score:
    """`2-1`, `2:1`."""
    match = _SCORE_TEXT.fullmatch(written)
    if match is None:
        raise BadInput(f"{written!r} is not a score", "Write it as 2-1, the home side first")
    return int(match[1]), int(match[2])
