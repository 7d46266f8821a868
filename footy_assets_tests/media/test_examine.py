"""Everything about a file from one decoding pass, cheap steps first (V1)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from footy_assets.media import ClipRules, Probe, Scan, VideoUnreadable, examine, fingerprint
from footy_assets.media.decode import Progress
from footy_assets.media.examine import FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.validation import Refusal, RefusalReason, ValidationResult
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.cells import shared_cell

GOAL = GoalFacts(GoalMinute(45, 2))
LENIENT = ClipRules(short_edge=90)
ACCEPTED = ValidationResult(accepted=True, football=True, clock_matches=True)


class FakeValidator:
    def __init__(self, result: ValidationResult = ACCEPTED) -> None:
        self.result = result
        self.calls: list[tuple[Scan, GoalFacts]] = []

    def __call__(self, scanned: Scan, goal: GoalFacts) -> ValidationResult:
        self.calls.append((scanned, goal))
        return self.result


class RecordingReader:
    """Reads in a cell; `decoded` are the files that were decoded, in order."""

    def __init__(self) -> None:
        self.decoded: list[Path] = []

    def scan_if_accepted(
        self,
        path: Path,
        rules: ClipRules,
        stills_at: Sequence[float] = (),
        on_progress: Progress | None = None,
    ) -> Scan | Probe:
        found = shared_cell().scan_if_accepted(path, rules, stills_at, on_progress)
        if isinstance(found, Scan):
            self.decoded.append(path)
        return found


def test_one_pass_gives_validation_fingerprint_poster_and_thumbnail(
    render_film: RenderFilm,
) -> None:
    validate, reader, film = FakeValidator(), RecordingReader(), render_film(1)
    found = FileExaminer(validate, reader, LENIENT).examine(film, GOAL)
    assert reader.decoded == [film]
    ((scanned, goal),) = validate.calls
    assert goal == GOAL
    assert len(scanned.stills) == len(examine.STILLS_AT)
    assert found.validation == ACCEPTED
    assert found.fingerprint == fingerprint(film)
    for picture in (found.poster, found.thumbnail):
        decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
        assert decoded is not None
        assert decoded.shape[1] == 320


def test_v1_a_file_that_d2_rejects_is_not_decoded(render_film: RenderFilm) -> None:
    validate, reader = FakeValidator(), RecordingReader()
    found = FileExaminer(validate, reader).examine(render_film(1), GOAL)
    assert [broken.sentence() for broken in found.rejections] == ["too small: 180 against 360"]
    assert not reader.decoded
    assert not validate.calls


def test_v1_a_clip_that_is_refused_is_not_fingerprinted(render_film: RenderFilm) -> None:
    refused = replace(ACCEPTED, accepted=False, refusals=(Refusal(RefusalReason.NOT_FOOTBALL),))
    examiner = FileExaminer(FakeValidator(refused), shared_cell(), LENIENT)
    found = examiner.examine(render_film(1), GOAL)
    assert found.validation == refused
    assert found.fingerprint is None


def test_v1_a_file_that_is_no_video_raises(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").write_bytes(b"")
    with pytest.raises(VideoUnreadable):
        FileExaminer(FakeValidator(), shared_cell()).examine(tmp_path / "empty.mp4", GOAL)
