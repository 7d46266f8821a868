"""V1, V2, V5: the assessment of single frames, and of the clip."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest

from footy_assets.errors import BadInput
from footy_assets.media import Scan, Still, probe
from footy_assets.media.assessment_models import WEIGHTS_FILE, parse_models
from footy_assets.media.decode import SAMPLE_EDGE
from footy_assets.media.frame_assessment import FRAMES_AT, agreed_answer, assess_frames
from footy_assets.media.image_model import ImageModel, image_model
from footy_assets.media.pitch import pitch_evidence
from footy_assets.media.screen import screen_evidence
from footy_assets_tests.media.films import Film, Take, render

pytestmark = pytest.mark.slow

WIDTH, HEIGHT, MOMENTS = 480, 270, 32
Shot = Callable[[float], np.ndarray]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def any_probe(tmp_path_factory: pytest.TempPathFactory):
    path = render(tmp_path_factory.mktemp("film") / "any.mp4", Film(1), Take(seconds=4))
    return replace(probe(path), duration=4.0)


def pitch(t: float) -> np.ndarray:
    """A wide shot: striped grass, white lines, two teams, a stand."""
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    stripes = (np.arange(WIDTH) + int(30 * t)) // 40 % 2
    picture[:] = (40, 130, 60)
    picture[:, stripes == 1] = (46, 145, 68)
    noise = np.random.default_rng(1).integers(0, 200, (60, WIDTH, 3), dtype=np.uint8)
    picture[:60] = cv2.GaussianBlur(noise, (0, 0), 1.5)
    cv2.rectangle(picture, (0, 52), (WIDTH, 60), (150, 40, 20), -1)
    shift = int(20 * np.sin(t))
    cv2.line(picture, (0, 68), (WIDTH, 68), (240, 240, 240), 2)
    cv2.line(picture, (240 - shift, 68), (200 - shift, HEIGHT), (240, 240, 240), 2)
    cv2.ellipse(picture, (220 - shift, 160), (80, 35), 0, 0, 360, (240, 240, 240), 2)
    for n in range(16):
        x = int(30 * n + 12 * np.sin(2 * t + n)) % WIDTH
        y = 85 + 37 * n % 170
        shirt = (30, 30, 200) if n % 2 else (230, 230, 230)
        cv2.rectangle(picture, (x - 3, y - 16), (x + 3, y - 6), shirt, -1)
        cv2.rectangle(picture, (x - 2, y - 6), (x + 2, y), (40, 40, 40), -1)
        cv2.circle(picture, (x, y - 19), 3, (90, 120, 170), -1)
    return picture


def face(t: float) -> np.ndarray:
    picture = np.full((HEIGHT, WIDTH, 3), (120, 90, 60), np.uint8)
    x = int(240 + 10 * np.sin(t))
    cv2.ellipse(picture, (x, 280), (150, 90), 0, 0, 360, (40, 30, 30), -1)
    cv2.ellipse(picture, (x, 130), (70, 90), 0, 0, 360, (140, 170, 220), -1)
    for side in (-28, 28):
        cv2.circle(picture, (x + side, 115), 9, (250, 250, 250), -1)
        cv2.circle(picture, (x + side, 115), 4, (30, 30, 30), -1)
    cv2.ellipse(picture, (x, 180), (25, int(6 + 5 * np.sin(9 * t))), 0, 0, 360, (60, 60, 160), -1)
    return cv2.GaussianBlur(picture, (0, 0), 1.2)


def filmed_off_a_screen(shot: Shot) -> Shot:
    """The same filmed with a phone off a screen: tilted, in a dark room, moiré, noise."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    whole = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    askew = np.array([[40, 34], [446, 22], [432, 244], [52, 236]], np.float32)

    def filmed(t: float) -> np.ndarray:
        sway = np.array([4 * np.sin(5 * t), 3 * np.sin(7 * t + 1)], np.float32)
        matrix = cv2.getPerspectiveTransform(whole, askew + sway)
        seen = cv2.warpPerspective(shot(t), matrix, (WIDTH, HEIGHT), borderValue=(18, 20, 22))
        seen = cv2.GaussianBlur(seen, (0, 0), 1).astype(np.float32)
        seen += 6 * np.sin(1.1 * x + 0.4 * y)[..., None] + rng.normal(0, 4, seen.shape)
        return np.clip(seen, 0, 255).astype(np.uint8)

    return filmed


def letterboxed(shot: Shot) -> Shot:
    return lambda t: cv2.copyMakeBorder(shot(t), 60, 60, 0, 0, cv2.BORDER_CONSTANT, value=(0, 0, 0))


def black(_: float) -> np.ndarray:
    return np.full((HEIGHT, WIDTH, 3), 16, np.uint8)


def scan_of(any_probe, *shots: Shot) -> Scan:
    """A clip of 4 s of one shot, or of one shot for each still."""
    shots = shots * len(FRAMES_AT) if len(shots) == 1 else shots
    moments = np.linspace(0, 4, MOMENTS, endpoint=False)
    samples = [
        cv2.resize(
            cv2.cvtColor(shots[min(2, int(3 * n / MOMENTS))](t), cv2.COLOR_BGR2GRAY),
            (SAMPLE_EDGE, SAMPLE_EDGE),
            interpolation=cv2.INTER_AREA,
        )
        for n, t in enumerate(moments)
    ]
    stills = [Still(4 * part, shot(4 * part)) for part, shot in zip(FRAMES_AT, shots, strict=True)]
    return Scan(any_probe, np.stack(samples), tuple(stills))


@pytest.mark.parametrize("votes", list(itertools.product([True, False, None], repeat=2)))
def test_v2_two_frames_decide_if_they_agree(votes) -> None:
    agreed = votes[0] == votes[1] and votes[0] is not None
    assert agreed_answer(votes) is (votes[0] if agreed else None)


@pytest.mark.parametrize("votes", list(itertools.product([True, False, None], repeat=3)))
def test_v2_two_of_three_agreed_answer(votes) -> None:
    counts = {answer: list(votes).count(answer) for answer in (True, False)}
    expected = next((answer for answer, count in counts.items() if count >= 2), None)
    assert agreed_answer(votes) is expected


def test_v2_the_middle_frame_is_assessed_only_if_the_others_disagree(any_probe, cache) -> None:
    agreed = assess_frames(scan_of(any_probe, pitch), cache)
    assert [frame.seconds for frame in agreed.frames] == [1.0, 3.0]
    split = assess_frames(scan_of(any_probe, pitch, pitch, black), cache)
    assert [frame.seconds for frame in split.frames] == [1.0, 3.0, 2.0]


def test_a_pitch_is_football_and_a_face_is_not(any_probe, cache) -> None:
    wide = assess_frames(scan_of(any_probe, pitch), cache)
    assert wide.football is True
    assert wide.off_screen is False
    talking = assess_frames(scan_of(any_probe, face), cache)
    assert talking.football is False


def test_a_filmed_screen_is_detected_and_a_letterbox_is_no_screen(any_probe, cache) -> None:
    filmed = assess_frames(scan_of(any_probe, filmed_off_a_screen(pitch)), cache)
    assert filmed.off_screen is True
    boxed = assess_frames(scan_of(any_probe, letterboxed(pitch)), cache)
    assert boxed.off_screen is False


def test_v1_black_frames_leave_both_questions_open(any_probe, cache) -> None:
    dark = assess_frames(scan_of(any_probe, black), cache)
    assert (dark.football, dark.off_screen) == (None, None)
    assert all(frame.football is None for frame in dark.frames)
    with pytest.raises(BadInput, match="without stills"):
        assess_frames(replace(scan_of(any_probe, pitch), stills=()), cache)


def test_v5_each_frame_carries_its_evidence(any_probe, cache) -> None:
    frame = assess_frames(scan_of(any_probe, pitch), cache).frames[0]
    assert 0.5 < frame.pitch.green < 1
    assert len(frame.classes) <= 3
    assert "green" in frame.reasons[0]


def test_grass_lines_and_figures_are_measured() -> None:
    wide, talking = pitch_evidence(pitch(0)), pitch_evidence(face(0))
    assert wide.largest_green > 0.6 > 0.1 > talking.largest_green
    assert wide.long_lines > 0.1 > talking.long_lines
    assert wide.upright_figures > 0.3 > talking.upright_figures


def test_a_filmed_screen_is_tilted_and_shakes_and_a_letterbox_is_not(any_probe) -> None:
    filmed, boxed = (
        screen_evidence(clip.samples, clip.stills)
        for clip in (
            scan_of(any_probe, filmed_off_a_screen(pitch)),
            scan_of(any_probe, letterboxed(pitch)),
        )
    )
    assert filmed.framed == 4
    assert filmed.most_tilted > 2 > 0.4 > boxed.most_tilted
    assert filmed.shaking > 1 > 0.2 > boxed.shaking
    assert filmed.moire > 6 > boxed.moire
    assert boxed.straight_and_still == 2


def test_weights_of_other_measurements_are_rejected() -> None:
    weights = json.loads(files("footy_assets.media").joinpath(WEIGHTS_FILE).read_text())
    weights["football"]["measured"].pop("green")
    with pytest.raises(BadInput, match="other measurements"):
        parse_models(json.dumps(weights))


def test_a_process_opens_one_model(cache: Path) -> None:
    assert isinstance(image_model(cache), ImageModel)
    assert image_model(cache) is image_model(cache)
