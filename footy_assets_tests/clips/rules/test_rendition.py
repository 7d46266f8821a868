"""D6: which original pictures are kept."""

from dataclasses import replace

import pytest

from footy_assets.clips.rules.rendition import is_better_rendition
from footy_assets.media import Probe

TRANSCODE = Probe(20.0, 1280, 720, 30.0, 0, 1.0, "h264", 4_000_000, 10_000_000, True, 600)


@pytest.mark.parametrize(
    ("difference", "is_kept"),
    [
        ({"width": 1920, "height": 1080, "size": 30_000_000}, True),
        ({"fps": 60.0, "size": 12_000_000}, True),
        ({"size": 8_000_000}, True),
        ({"size": 8_000_001}, False),
        ({"size": 20_000_000}, False),
        ({"width": 1281, "height": 721}, False),
        ({"fps": 30.3}, False),
        ({"width": 1920, "height": 1080, "fps": 25.0}, False),
        ({"width": 640, "height": 360, "size": 1_000_000}, False),
        ({"width": 1920, "height": 1080, "size": 50_000_001}, False),
        ({"size": 5_000_000, "duration": 19.4}, False),
        ({"size": 5_000_000, "duration": 19.6}, True),
    ],
)
def test_d6_a_better_original_is_kept(difference: dict[str, float], is_kept: bool) -> None:
    original = replace(TRANSCODE, codec="hevc", **difference)
    assert is_better_rendition(original, TRANSCODE, max_size=50_000_000) is is_kept


def test_d6_without_a_limit_every_size_is_allowed() -> None:
    original = replace(TRANSCODE, width=3840, height=2160, size=200_000_000)
    assert is_better_rendition(original, TRANSCODE, max_size=None)
