"""V6: when the digits of a score are certain."""

from dataclasses import dataclass

from footy_assets.media.digit_model import Digit
from footy_assets.media.scorebug_layout import ScoreLayout

# A digit is told from this probability on, and if no other digit is likelier than that in its
# place; a weaker one still shows where the score stands.
SURE_DIGIT, MAX_RIVAL = 0.82, 0.05
# A 1 between the names, beside a digit that is sure: all it may be confused with is a bar, and a
# bar would stand between two digits.
SURE_ONE = 0.5


@dataclass(frozen=True, slots=True)
class ScoreDigits:
    """The score's digits in one still."""

    seconds: float
    home: Digit
    away: Digit

    def is_sure(self, layout: ScoreLayout) -> bool:
        digits = self.home, self.away
        if any(digit.rival > MAX_RIVAL for digit in digits):
            return False
        weaker, stronger = sorted(digits, key=lambda digit: digit.probability)
        is_one = layout is ScoreLayout.BETWEEN and weaker.value == 1
        least = SURE_ONE if is_one else SURE_DIGIT
        return stronger.probability >= SURE_DIGIT and weaker.probability >= least
