"""V2: is this football, and is it filmed off a screen? Judged frame by frame, with no service.

Measurements of the picture (`pitch`, `screen`, `motion`) and what a small network sees in it
(`image_model`) are weighed by two linear models whose weights lie beside this file. They were
fitted by benchmarks/train_validation.py, which also says how often they are right.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from footy_assets.errors import BadInput
from footy_assets.media.class_names import (
    FOOTBALL_SCORES,
    football_scores,
    named_classes,
    screen_score,
)
from footy_assets.media.content_box import Box, content_box
from footy_assets.media.decode import SAMPLE_EDGE, Scan, Still
from footy_assets.media.image_model import ImageModel, Sight, image_model
from footy_assets.media.motion import MOTION_NAMES, MotionEvidence, motion_evidence
from footy_assets.media.pitch import PITCH_NAMES, PitchEvidence, pitch_evidence
from footy_assets.media.screen import SCREEN_NAMES, ScreenEvidence, screen_evidence

# V2: the first two are asked, the last only when they disagree.
ASKED_AT = (0.25, 0.75, 0.5)
# What to ask `scan` for.
FRAMES_AT = tuple(sorted(ASKED_AT))
# Brightness of a black frame or a plain card varies by less than this: nothing to judge.
FLAT_DEVIATION = 6.0
# Measurements further out than this many deviations count as if they were there.
FURTHEST = 3.0
# A peak in the spectrum that is worth telling; textures of real scenes stay below.
MOIRE_SEEN = 6.0

# A frame that is less green than this shows no grass, and must be this sure to be football.
NO_GRASS, SURE_WITHOUT_GRASS = 0.03, 0.6

FOOTBALL_NAMES = PITCH_NAMES + MOTION_NAMES + FOOTBALL_SCORES
OFF_SCREEN_NAMES = (*SCREEN_NAMES, "screen_classes")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Judge:
    """A linear model: measured values, an embedding of the picture, and where a yes begins."""

    means: Floats
    scales: Floats
    weights: Floats
    embedding: Floats
    bias: float
    threshold: float

    def probability(self, values: Sequence[float], sight: Sight) -> float:
        away = np.clip((np.array(values) - self.means) / self.scales, -FURTHEST, FURTHEST)
        score = self.bias + away @ self.weights + np.sqrt(sight.embedding) @ self.embedding
        return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))


@dataclass(frozen=True, slots=True)
class FrameLook:
    """What was seen in one frame (V5). A frame that cannot be judged has no probabilities."""

    seconds: float
    football: float | None
    off_screen: float | None
    classes: tuple[tuple[str, float], ...]
    pitch: PitchEvidence
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Looks:
    """The answers for a clip; None is a question that its frames leave open (V1: not accepted)."""

    football: bool | None
    off_screen: bool | None
    frames: tuple[FrameLook, ...]
    screen: ScreenEvidence
    motion: MotionEvidence
    reasons: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """V1: only what is known to be football and known not to be filmed off a screen."""
        return self.football is True and self.off_screen is False

    def as_json(self) -> dict[str, Any]:
        return {"accepted": self.accepted, **asdict(self)}


def look(scanned: Scan, cache: Path | None = None) -> Looks:
    """Judge a clip by the stills of its scan nearest to 25 %, 75 % and, if need be, 50 %."""
    if not scanned.stills:
        raise BadInput("a scan without stills cannot be judged", "scan(path, stills_at=FRAMES_AT)")
    stills = [nearest(scanned.stills, part * scanned.probe.duration) for part in ASKED_AT]
    model, box = image_model(cache), content_box(scanned.samples)
    screen, motion = screen_evidence(scanned.samples, stills), motion_evidence(scanned.samples)
    football_judge, screen_judge = judges()
    frames: list[FrameLook] = []
    football = off_screen = None
    for still in stills:
        frames.append(_frame_look(frame_evidence(still, box, model), screen, motion))
        football = decide([_football_vote(frame, football_judge) for frame in frames])
        off_screen = decide([_vote(frame.off_screen, screen_judge) for frame in frames])
        if len(frames) > 1 and football is not None and off_screen is not None:
            break
    return Looks(
        football, off_screen, tuple(frames), screen, motion, _reasons(football, off_screen)
    )


def decide(votes: Sequence[bool | None]) -> bool | None:
    """V2: two frames that agree decide; None while they do not. None never agrees with None."""
    for answer in (True, False):
        if sum(vote is answer for vote in votes) >= 2:
            return answer
    return None


@dataclass(frozen=True, slots=True)
class FrameEvidence:
    """Everything measured of one frame: of the picture inside its borders, and of all of it."""

    seconds: float
    flat: bool
    pitch: PitchEvidence
    inner: Sight
    whole: Sight

    def football_values(self, motion: MotionEvidence) -> list[float]:
        return self.pitch.values() + motion.values() + football_scores(self.inner)

    def off_screen_values(self, screen: ScreenEvidence) -> list[float]:
        return [*screen.values(), screen_score(self.whole)]


def frame_evidence(still: Still, box: Box, model: ImageModel) -> FrameEvidence:
    height, width = still.image.shape[:2]
    rows = slice(round(box.top * height), max(round(box.bottom * height), 1))
    columns = slice(round(box.left * width), max(round(box.right * width), 1))
    inner = still.image[rows, columns]
    luma = cv2.cvtColor(inner, cv2.COLOR_BGR2GRAY)
    sight = model.see(inner)
    return FrameEvidence(
        seconds=still.seconds,
        flat=float(luma.std()) < FLAT_DEVIATION,
        pitch=pitch_evidence(inner),
        inner=sight,
        whole=sight if inner.shape == still.image.shape else model.see(still.image),
    )


def judges(text: str | None = None) -> tuple[Judge, Judge]:
    """For football and for filmed off a screen; `text` stands for the file that ships."""
    if text is None:
        return _shipped_judges()
    told = json.loads(text)
    return (
        _judge(told["football"], FOOTBALL_NAMES),
        _judge(told["off_screen"], OFF_SCREEN_NAMES),
    )


@lru_cache(maxsize=1)
def _shipped_judges() -> tuple[Judge, Judge]:
    return judges(files(__package__).joinpath("looks_weights.json").read_text())


def _judge(told: dict[str, Any], names: Sequence[str]) -> Judge:
    """Each measurement is stored under its name with mean, scale and weight."""
    if set(told["measured"]) != set(names):
        raise BadInput(
            "the weights are for other measurements", "Run benchmarks.train_validation again"
        )
    means, scales, weights = np.array([told["measured"][name] for name in names], np.float32).T
    return Judge(
        means=means,
        scales=scales,
        weights=weights,
        embedding=np.array(told["embedding"], np.float32),
        bias=float(told["bias"]),
        threshold=float(told["threshold"]),
    )


def _football_vote(frame: FrameLook, judge: Judge) -> bool | None:
    """Football without grass is rare: a close-up, the stands, a hall. It must be certain."""
    sure = frame.football is not None and frame.football >= SURE_WITHOUT_GRASS
    if frame.football is not None and frame.pitch.green < NO_GRASS and not sure:
        return False
    return _vote(frame.football, judge)


def _vote(probability: float | None, judge: Judge) -> bool | None:
    return None if probability is None else probability >= judge.threshold


def _frame_look(frame: FrameEvidence, screen: ScreenEvidence, motion: MotionEvidence) -> FrameLook:
    classes = named_classes(frame.inner)
    if frame.flat:
        nothing = ("a flat frame shows nothing to judge",)
        return FrameLook(frame.seconds, None, None, classes, frame.pitch, nothing)
    football_judge, screen_judge = judges()
    football = football_judge.probability(frame.football_values(motion), frame.inner)
    off_screen = screen_judge.probability(frame.off_screen_values(screen), frame.whole)
    told = (
        _told("football", football, football_judge, _pitch_told(frame.pitch, classes)),
        _told("filmed off a screen", off_screen, screen_judge, _screen_told(screen)),
    )
    return FrameLook(
        frame.seconds, round(football, 4), round(off_screen, 4), classes, frame.pitch, told
    )


def _told(what: str, probability: float, judge: Judge, seen: Sequence[str]) -> str:
    verdict = what if probability >= judge.threshold else f"not {what}"
    return f"{verdict} ({probability:.2f}, yes from {judge.threshold:.2f}): {', '.join(seen)}"


def _pitch_told(pitch: PitchEvidence, classes: Sequence[tuple[str, float]]) -> list[str]:
    seen = [f"{pitch.green:.0%} green"]
    if pitch.largest_green > 0.15 and pitch.long_lines > 0.08:
        seen.append("lines on it")
    if pitch.largest_green > 0.15 and pitch.upright_figures > 0.1:
        seen.append("figures on it")
    return seen + [f"{name} {share:.0%}" for name, share in classes]


def _screen_told(screen: ScreenEvidence) -> list[str]:
    seen = [f"frame on {screen.framed:.0f} sides"]
    if screen.most_tilted > 1:
        seen.append(f"tilted by {screen.most_tilted / SAMPLE_EDGE:.1%}")
    if screen.most_shaking > 0.3:
        seen.append(f"shaking by {screen.most_shaking / SAMPLE_EDGE:.1%}")
    if screen.moire > MOIRE_SEEN:
        seen.append(f"moiré {screen.moire:.0f} deviations strong")
    return seen


def _reasons(football: bool | None, off_screen: bool | None) -> tuple[str, ...]:
    """V1: why the clip is not accepted; empty if it is."""
    reasons = []
    if football is None:
        reasons.append("football: the frames do not decide")
    elif not football:
        reasons.append("not football")
    if off_screen is None:
        reasons.append("filmed off a screen: the frames do not decide")
    elif off_screen:
        reasons.append("filmed off a screen")
    return tuple(reasons)


def nearest(stills: Sequence[Still], seconds: float) -> Still:
    return min(stills, key=lambda still: abs(still.seconds - seconds))
