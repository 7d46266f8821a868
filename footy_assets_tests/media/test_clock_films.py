"""Reads the clock from videos: rendered scorebugs, encoded small, decoded and read by real OCR."""

import sys
from pathlib import Path
from subprocess import run

import pytest

from footy_assets.media import scan
from footy_assets.media.clock import CLOCK_STILLS, ClockReading, read_clock
from footy_assets.media.goal_minute import verify_minute
from footy_assets.media.ocr import OcrFailed, OcrText, text_reader
from footy_assets.sim.scorebug import Design, Scorebug, Style
from footy_assets.sim.scorebug_films import ScorebugFilm, films_without_clock, varied_films

pytestmark = pytest.mark.slow

SECONDS = 8.0


def read(film: ScorebugFilm, folder: Path) -> ClockReading:
    path = film.write(folder / "film.mp4", fps=2)
    return read_clock(scan(path, stills_at=CLOCK_STILLS).stills)


@pytest.mark.parametrize("film", varied_films(10, 11, SECONDS), ids=lambda film: film.kind)
def test_v3_a_clock_of_every_style_is_read_correctly(film: ScorebugFilm, tmp_path: Path) -> None:
    found = read(film, tmp_path)
    assert found.minutes, found.reason
    assert set(found.minutes) <= film.minutes, found.reason


NO_CLOCK = [
    film
    for film in films_without_clock(11, 12, SECONDS)
    if film.kind in ("time of day", "countdown", "90:00 min", "mirrored", "no scorebug")
]


@pytest.mark.parametrize("film", NO_CLOCK, ids=lambda film: film.kind)
def test_v3_no_clock_is_read_if_there_is_none(film: ScorebugFilm, tmp_path: Path) -> None:
    found = read(film, tmp_path)
    assert found.minutes == ()
    assert verify_minute(found, 23) is None


def test_v3_a_film_of_added_time_verifies_its_goal_and_no_other(tmp_path: Path) -> None:
    bug = Scorebug(Design(), Style.ADDED_BESIDE, 45 * 60 + 133)
    found = read(ScorebugFilm(bug, seed=5, seconds=SECONDS), tmp_path)
    assert verify_minute(found, 45, 3) is True
    assert verify_minute(found, 45, 2) is True
    assert verify_minute(found, 23) is False
    assert verify_minute(found, 90, 3) is False


def test_truth_of_rendered_films_counts_added_time() -> None:
    bug = Scorebug(Design(), Style.JOINED, 90 * 60 + 4 * 60 + 58)
    assert ScorebugFilm(bug, 1, 8.0).minutes == {94, 95}
    assert ScorebugFilm(bug, 1, 8.0, mirrored=True).minutes == frozenset()


def test_the_same_seed_is_the_same_film() -> None:
    one, other = varied_films(12, 3), varied_films(12, 3)
    assert one == other
    first, again = next(one[0].pictures()), next(other[0].pictures())
    assert (first == again).all()


def test_an_error_of_the_engine_is_an_ocr_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = text_reader()

    def refuse(*_: object, **__: object) -> OcrText:
        raise RuntimeError("bad shape")

    monkeypatch.setattr(reader, "_engine", refuse)
    with pytest.raises(OcrFailed, match="bad shape"):
        reader.recognize([varied_films(1)[0].pictures().__next__()])


def test_importing_the_media_engine_loads_no_ocr() -> None:
    finished = run(
        [
            sys.executable,
            "-c",
            "import sys, footy_assets.media.goal_minute;"
            "sys.exit('rapidocr' in sys.modules or 'onnxruntime' in sys.modules)",
        ],
        check=False,
    )
    assert finished.returncode == 0
