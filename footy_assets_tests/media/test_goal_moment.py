"""The poster of a clip is from the goal, where the cuts say when that was."""

import numpy as np
import pytest

from footy_assets.media import Probe, Scan, Still
from footy_assets.media.decode import SAMPLE_EDGE, SAMPLES_PER_SECOND, Gray
from footy_assets.media.examine import STILLS_AT, poster_still
from footy_assets.media.goal_moment import goal_moment

SECONDS = 10


def samples_with(cuts: tuple[float, ...]) -> Gray:
    """Ten seconds; at each cut another picture."""
    rng = np.random.default_rng(1)
    edge = SAMPLE_EDGE // 8
    shots = rng.integers(0, 255, (len(cuts) + 1, edge, edge), np.uint8).repeat(8, 1).repeat(8, 2)
    times = np.arange(SECONDS * SAMPLES_PER_SECOND) / SAMPLES_PER_SECOND
    return np.asarray(shots[np.searchsorted(cuts, times, side="right")], np.uint8)


@pytest.mark.parametrize(
    ("cuts", "moment"),
    [
        ((), None),
        ((4.0, 5.0), 3.0),
        # An opening card of half a second is not the shot of the goal.
        ((0.5, 4.0, 5.0), 3.0),
        # A cut at the very end is no reaction.
        ((9.0,), None),
    ],
)
def test_the_goal_is_just_before_the_first_cut_that_ends_a_longer_shot(
    cuts: tuple[float, ...], moment: float | None
) -> None:
    samples = samples_with(cuts)
    assert goal_moment(samples) == moment
    blank = np.zeros((2, 2, 3), np.uint8)
    probe = Probe(SECONDS, 640, 360, 25, 0, 1.0, "h264", 1, 1, False, 25 * SECONDS)
    scanned = Scan(probe, samples, tuple(Still(part * SECONDS, blank) for part in STILLS_AT))
    expected = SECONDS / 2 if moment is None else moment
    assert poster_still(scanned).seconds == pytest.approx(expected, abs=0.4)
