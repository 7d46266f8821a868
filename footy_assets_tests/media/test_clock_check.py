"""V3: what the digit model says about the clock that OCR read."""

from footy_assets.media.clock_check import agrees
from footy_assets.media.digit_model import Digit
from footy_assets.media.ocr import TextBox


def digits(*values: int, probability: float = 0.97, rival: float = 0.0) -> list[Digit]:
    return [
        Digit(value, probability, TextBox(10 * place, 0, 10 * place + 8, 12), rival)
        for place, value in enumerate(values)
    ]


def test_v3_the_same_digits_agree() -> None:
    assert agrees("03:42", digits(0, 3, 4, 2)) is True


def test_v3_another_minute_contradicts() -> None:
    assert agrees("01:42", digits(0, 3, 4, 2)) is False


def test_v3_seconds_are_not_compared() -> None:
    assert agrees("03:42", digits(0, 3, 4, 7)) is True


def test_v3_digits_that_are_not_sure_say_nothing() -> None:
    assert agrees("01:42", digits(0, 3, 4, 2, probability=0.6)) is None
    assert agrees("01:42", digits(0, 3, 4, 2, rival=0.2)) is None
    assert agrees("01:42", digits(3, 4, 2)) is None
