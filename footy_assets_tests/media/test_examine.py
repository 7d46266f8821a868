"""Everything about a file from one decoding pass, cheap questions first (V1)."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from footy_assets.media import ClipRules, Scan, VideoUnreadable, examine, fingerprint
from footy_assets.media.examine import FileExaminer, Judged
from footy_assets_tests.media.conftest import Rendered

LENIENT = ClipRules(short_edge=90)
YES = Judged(True, True, (), {"football": True})


class Judge:
    def __init__(self, says: Judged = YES) -> None:
        self.says = says
        self.asked: list[tuple[Scan, int, int | None]] = []

    def __call__(self, scanned: Scan, elapsed: int, extra: int | None) -> Judged:
        self.asked.append((scanned, elapsed, extra))
        return self.says


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Which files were decoded, in order."""
    seen: list[Path] = []
    whole = examine.scan

    def counted(path: Path, *more: object) -> Scan:
        seen.append(path)
        return whole(path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(examine, "scan", counted)
    return seen


def test_one_pass_gives_verdict_fingerprint_poster_and_thumbnail(
    rendered: Rendered, passes: list[Path]
) -> None:
    judge, film = Judge(), rendered(1)
    found = FileExaminer(judge, LENIENT).examine(film, 45, 2)
    assert passes == [film]
    ((scanned, elapsed, extra),) = judge.asked
    assert (elapsed, extra) == (45, 2)
    assert len(scanned.stills) == len(examine.STILLS_AT)
    assert found.judged == YES
    assert found.fingerprint == fingerprint(film)
    for picture in (found.poster, found.thumbnail):
        shown = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
        assert shown is not None
        assert shown.shape[1] == 320


def test_v1_what_d2_refuses_is_not_decoded(rendered: Rendered, passes: list[Path]) -> None:
    judge = Judge()
    found = FileExaminer(judge).examine(rendered(1), 10, None)
    assert [broken.sentence() for broken in found.rejections] == ["too small: 180 against 360"]
    assert not passes
    assert not judge.asked


def test_v1_what_the_judge_refuses_is_not_fingerprinted(rendered: Rendered) -> None:
    no = replace(YES, accepted=False, reasons=("not football",))
    found = FileExaminer(Judge(no), LENIENT).examine(rendered(1), 10, None)
    assert found.judged == no
    assert found.fingerprint is None


def test_v1_what_is_no_video_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").write_bytes(b"")
    with pytest.raises(VideoUnreadable):
        FileExaminer(Judge()).examine(tmp_path / "empty.mp4", 10, None)
