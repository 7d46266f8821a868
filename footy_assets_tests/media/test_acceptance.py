"""D2: which files are rejected, with the reason and the measured value."""

import pytest

from footy_assets.media import ClipRules, Probe, Rejection, RejectionReason, rejections


def clip(duration: float = 20.0, width: int = 1280, height: int = 720) -> Probe:
    return Probe(duration, width, height, 25.0, 0, 1.0, "h264", 2_000_000, 5_000_000, True, 500)


def test_d2_an_ordinary_clip_is_accepted() -> None:
    assert rejections(clip()) == ()
    assert rejections(clip(width=480, height=360)) == ()
    assert rejections(clip(duration=60.0)) == ()


@pytest.mark.parametrize(
    ("probed", "expected"),
    [
        (clip(duration=3.0), Rejection(RejectionReason.TOO_SHORT, 3.0, 3.0)),
        (clip(duration=60.01), Rejection(RejectionReason.TOO_LONG, 60.01, 60.0)),
        (clip(width=638, height=358), Rejection(RejectionReason.TOO_SMALL, 358, 360)),
        (clip(width=720, height=720), Rejection(RejectionReason.TOO_NARROW, 1.0, 1.333)),
        (clip(width=1280, height=500), Rejection(RejectionReason.TOO_WIDE, 2.56, 2.4)),
        (clip(width=720, height=1280), Rejection(RejectionReason.PORTRAIT, 0.562, 1.0)),
    ],
)
def test_d2_each_rejection_has_its_reason_and_number(probed: Probe, expected: Rejection) -> None:
    assert rejections(probed) == (expected,)


def test_d2_all_broken_rules_are_reported() -> None:
    reasons = {r.reason for r in rejections(clip(duration=1, width=300, height=300))}
    assert reasons == {
        RejectionReason.TOO_SHORT,
        RejectionReason.TOO_SMALL,
        RejectionReason.TOO_NARROW,
    }


def test_d2_portrait_only_if_allowed_and_limits_are_configurable() -> None:
    allowed = ClipRules(allow_portrait=True)
    assert rejections(clip(width=720, height=1280), allowed) == ()
    assert rejections(clip(duration=80), ClipRules(up_to=90)) == ()
