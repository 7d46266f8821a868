"""The operations page's times to the first clip."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from footy_assets.clips.store.figures import Latency
from footy_assets.gallery.board import Board, in_real_time
from footy_assets.gallery.health import Status
from footy_assets.gallery.rendering import environment

NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
MINUTES = (20, 104, 200)


@pytest.mark.parametrize(
    ("speed", "shown"),
    [(1.0, ["1 h 44 min</b> typically"]), (60.0, ["1 min 44 s</b> typically", "60 times as fast"])],
)
def test_times_to_the_first_clip_are_those_of_the_readers_clock(
    speed: float, shown: list[str]
) -> None:
    found = [Latency(NOON, timedelta(minutes=n), f"goal {n}") for n in MINUTES]
    status = Status("ok", "0.1.0", ())
    board = Board(status, (), (), in_real_time(found, speed), None, speed)
    page = environment().get_template("operations_piece.html")
    text = page.render(board=board, plot="plot", most=1, labels=SimpleNamespace())
    for words in shown:
        assert words in text
    assert ("times as fast" in text) is (speed != 1)
