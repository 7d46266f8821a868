"""`footy clip …`: its JSON, which scripts rely on, and its text output."""

import json
import shutil
from base64 import b64decode
from pathlib import Path
from typing import Any

import cv2
import pytest
from typer.testing import CliRunner

from footy_assets.clips.file_commands import app
from footy_assets.errors import BadInput, NotFound
from footy_assets.media import Fingerprint, VideoUnreadable, fingerprint
from footy_assets.sim.scorebug import Design, Scorebug, Style
from footy_assets.sim.scorebug_films import ScorebugFilm
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media import films
from footy_assets_tests.media.bad_files import late_stream, upside_down, without_start
from footy_assets_tests.media.cells import commands_share_a_cell
from footy_assets_tests.media.films import Take

pytestmark = pytest.mark.slow

__all__ = ["commands_share_a_cell"]


def output_of(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def json_of(*arguments: object) -> Any:
    return json.loads(output_of(*arguments, "--json"))


def test_hash_gives_the_fingerprint_and_the_h1_string(render_film: RenderFilm) -> None:
    row = json_of("hash", render_film(1))
    assert Fingerprint.from_bytes(b64decode(row["fingerprint"])) == fingerprint(render_film(1))
    assert row["dense"].startswith("dense:0.25:0.25=")
    assert row["rejections"] == ["too small: 180 against 360"]
    assert "320×180" in output_of("hash", render_film(1))


def test_compare_gives_the_agreed_fields_and_draws(render_film: RenderFilm, tmp_path: Path) -> None:
    mirrored = render_film(1, Take(edit=films.mirror))
    row = json_of("compare", render_film(1), mirrored, "--plot", tmp_path / "out.png")
    assert row["match"] is True
    assert row["mirrored"] is True
    assert {"match", "score", "offset_seconds", "overlap_seconds", "mirrored"} <= row.keys()
    drawn = cv2.imread(str(tmp_path / "out.png"))
    assert drawn is not None
    assert drawn.shape[1] == 1200
    assert "the same footage" in output_of("compare", render_film(1), mirrored)
    assert "not the same" in output_of(
        "compare", render_film(1), render_film(2), "--plot", tmp_path / "n.png"
    )


@pytest.mark.usefixtures("commands_share_a_cell")
def test_h9_hashes_are_printed_alone_and_compared_as_text_as_files_and_with_videos(
    render_film: RenderFilm, tmp_path: Path
) -> None:
    film, other = render_film(1), render_film(2)
    text = output_of("hash", "--format", "dense", film).strip()
    assert text == json_of("hash", film)["dense"]
    assert json_of("hash", "--format", "dense", film) == {"file": film.name, "dense": text}
    (tmp_path / "stored.txt").write_text(text + "\n")
    same = {"match": True, "frames": 22, "offset_seconds": 0.0}
    for left, right in ((text, text), (text, tmp_path / "stored.txt"), (film, text)):
        assert json_of("compare", left, right) == same
    assert "the same footage (22 frames in a row)" in output_of("compare", text, text)
    assert json_of("compare", text, other)["match"] is False
    assert json_of("compare", film, film)["original"] == same
    assert "the original matcher: not the same footage" in output_of("compare", film, other)
    with pytest.raises(BadInput, match="no pictures to plot"):
        output_of("compare", text, film, "--plot", tmp_path / "out.png")
    with pytest.raises(BadInput, match="frame 1 of the dense: hash is 'x'"):
        output_of("compare", "dense:0.25:x", film)
    with pytest.raises(NotFound, match="nowhere"):
        output_of("compare", tmp_path / "nowhere.mp4", film)


def test_dedup_groups_copies_and_skips_files_that_are_not_videos(
    render_film: RenderFilm, tmp_path: Path
) -> None:
    small = render_film(1, Take(fps=30, size=(240, 136), crf=34))
    for name, path in {"a": small, "b": render_film(1), "c": render_film(2)}.items():
        shutil.copy(path, tmp_path / f"{name}.mp4")
    (tmp_path / "broken.mp4").write_text("gone")
    (tmp_path / "notes.txt").write_text("not looked at")
    row = json_of("dedup", tmp_path)
    assert row["clusters"] == [["a.mp4", "b.mp4"], ["c.mp4"]]
    assert row["winners"] == ["b.mp4", "c.mp4"]
    assert list(row["unreadable"]) == ["broken.mp4"]
    assert "b.mp4" in output_of("dedup", tmp_path)


def test_a_file_that_is_not_a_video_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_text("gone")
    with pytest.raises(VideoUnreadable, match=r"bad\.mp4"):
        output_of("hash", tmp_path / "bad.mp4")


@pytest.mark.usefixtures("commands_share_a_cell")
def test_one_bad_file_is_one_sentence_and_the_others_go_on(
    render_film: RenderFilm, tmp_path: Path
) -> None:
    bad = [
        without_start(tmp_path / "seek.mp4"),
        late_stream(tmp_path / "stream.ts"),
        upside_down(tmp_path / "stride.mkv"),
    ]
    for command in ("hash", "validate"):
        result = CliRunner().invoke(app, [command, *map(str, bad), str(render_film(1)), "--json"])
        assert result.exit_code == VideoUnreadable.exit_code
        rows = json.loads(result.stdout)
        assert [row["file"] for row in rows if "unreadable" in row] == ["stride.mkv"]
        assert len(rows) == 4
        (sentence,) = result.stderr.splitlines()
        assert sentence.startswith("footy: stride.mkv: video of the codec rawvideo.")
    shutil.copy(render_film(1), tmp_path / "good.mp4")
    row = json_of("dedup", tmp_path)
    assert "good.mp4" in row["winners"]
    assert list(row["unreadable"]) == ["stride.mkv"]


@pytest.mark.usefixtures("commands_share_a_cell")
def test_v5_validate_explains_its_verdict(render_film: RenderFilm, tmp_path: Path) -> None:
    fields = {"accepted", "football", "filmed_off_screen", "clock_minutes", "verified"}
    row = json_of("validate", render_film(1), "--minute", "45+2")
    assert fields | {"reasons", "frames"} <= row.keys()
    assert (row["accepted"], row["football"]) == (False, False), "a gray film is no football"
    assert row["reasons"][0] == "not football"
    assert [frame["judge"] for frame in row["frames"]] == ["own", "own"]
    assert "rejected: not football" in output_of("validate", render_film(1))


@pytest.mark.usefixtures("commands_share_a_cell")
def test_v3_validate_reads_the_clock_of_a_match(tmp_path: Path) -> None:
    design = Design(digits=0.045, score=(2, 0), score_mark=" - ")
    bug = Scorebug(design, Style.PLAIN, start=23 * 60 + 5)
    film = ScorebugFilm(bug, seed=5, seconds=8.0).write(tmp_path / "film.mp4", fps=8)
    picture = tmp_path / "frames.png"
    goal = ("--home", "Arsenal", "--away", "Chelsea", "--score", "2-0")
    right = json_of("validate", film, "--minute", "24", *goal, "--plot", picture)
    assert (right["accepted"], right["verified"], right["clock_minutes"]) == (True, True, [23])
    assert (right["verified_by"], right["scorebug"]["text"]) == ("match", "ARS 2-0 CHE")
    assert picture.read_bytes().startswith(b"\x89PNG")
    wrong = json_of("validate", film, "--minute", "45+2", *goal)
    assert (wrong["accepted"], wrong["verified"]) == (False, False)
    assert wrong["reasons"] == ["wrong minute: the clock shows 23, expected 46"]
    other = ("--home", "Boca Juniors", "--away", "Nacional", "--minute", "24")
    said = output_of("validate", film, *other)
    assert "clock: minute 23, verified" in said
    assert "rejected" in said
    assert "wrong match: the scorebug shows ARS 2-0 CHE" in said
