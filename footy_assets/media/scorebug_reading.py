"""V6: what a scorebug says, and when a score is certain."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footy_assets.media.ocr import TextBox
from footy_assets.media.scorebug_layout import Cell

# How many stills must show the same score, and which part of all readable ones may show another.
MIN_SCORE_STILLS, MAX_OTHER_SCORES = 3, 0.15


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A score, home side first, and the seconds of the clip between which it is shown."""

    home: int
    away: int
    first: float
    last: float
    stills: int

    @property
    def pair(self) -> tuple[int, int]:
        return self.home, self.away


@dataclass(frozen=True, slots=True)
class ScorebugReading:
    """What the scorebug says. `names` is empty and `scores` is empty unless they are certain; two
    scores are before and after a change. `box` is where they stand in the stills."""

    names: tuple[str, ...] = ()
    scores: tuple[ShownScore, ...] = ()
    box: TextBox | None = None
    reason: str = ""
    cells: tuple[Cell, ...] = ()
    # V3: the minute of a clock without seconds (67'), from 1. It does not run: weak evidence.
    minute_mark: int | None = None

    def text(self) -> str:
        """As a person would write it: BOC 0-0 UCA."""
        shown = " then ".join(f"{score.home}-{score.away}" for score in self.scores)
        if len(self.names) == 2:
            return f"{self.names[0]} {shown or '?'} {self.names[1]}"
        return shown


NO_SCOREBUG = ScorebugReading()


def choose_scores(readings: Iterable[tuple[float, int, int]]) -> tuple[ShownScore, ...]:
    """The scores that are certain: one, or two if one goal lies between them. Empty if other
    readings contradict them. `readings` are seconds, home, away."""
    ordered = sorted(readings)
    counts = Counter((home, away) for _, home, away in ordered)
    often = [pair for pair, times in counts.items() if times >= MIN_SCORE_STILLS]
    others = sum(times for pair, times in counts.items() if pair not in often)
    if not often or len(often) > 2 or others > MAX_OTHER_SCORES * len(ordered):
        return ()
    shown = sorted((_shown(ordered, pair) for pair in often), key=lambda score: score.first)
    if len(shown) == 2 and not _is_one_goal(*shown):
        return ()
    return tuple(shown)


def _shown(ordered: Sequence[tuple[float, int, int]], pair: tuple[int, int]) -> ShownScore:
    moments = [seconds for seconds, home, away in ordered if (home, away) == pair]
    return ShownScore(*pair, moments[0], moments[-1], len(moments))


def _is_one_goal(before: ShownScore, after: ShownScore) -> bool:
    gained = after.home - before.home, after.away - before.away
    return before.last < after.first and gained in ((1, 0), (0, 1))
