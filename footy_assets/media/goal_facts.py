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

    @property
    def possible_scores(self) -> frozenset[Score]:
        """V7: the scores before and after the goal; empty if the score is not known."""
        if self.score_after is None:
            return frozenset()
        home, away = self.score_after
        befores = []
        if self.home_scored is not False:
            befores.append((home - 1, away))
        if self.home_scored is not True:
            befores.append((home, away - 1))
        return frozenset({self.score_after, *(one for one in befores if min(one) >= 0)})


def parse_score(written: str) -> Score:
    """`2-1`, `2:1`."""
    match = _SCORE_TEXT.fullmatch(written)
    if match is None:
        raise BadInput(f"{written!r} is not a score", "Write it as 2-1, the home side first")
    return int(match[1]), int(match[2])
