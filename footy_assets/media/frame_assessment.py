"""V2: is this football, and is it filmed off a screen? Assessed frame by frame, with no service.

Two logistic models (`assessment_models`) weigh measurements of the picture (`pitch`, `screen`,
`motion`) and the output of a small network (`image_model`). What they take for football is looked
at again by a larger network (`scene_model`), which knows other sports and scenes on green: only a
frame that both take for football counts as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2

from footy_assets.errors import BadInput
from footy_assets.media.assessment_models import LogisticModel, assessment_models
from footy_assets.media.class_names import football_scores, named_classes, screen_score
from footy_assets.media.content_box import Box, content_box
from footy_assets.media.decode import SAMPLE_EDGE, Scan, Still
from footy_assets.media.image_model import (
    Floats,
    Image,
    ImageFeatures,
    ImageModel,
    image_model,
)
from footy_assets.media.motion import MotionEvidence, motion_evidence
from footy_assets.media.pitch import PitchEvidence, pitch_evidence
from footy_assets.media.scene_model import SceneModel, scene_embedding, scene_model
from footy_assets.media.screen import ScreenEvidence, screen_evidence

# V2: positions of the frames in the clip, in this order; the last only if the others disagree.
ASSESSED_AT = (0.25, 0.75, 0.5)
# The same positions, as `scan` takes them.
FRAMES_AT = tuple(sorted(ASSESSED_AT))
# The brightness of a black frame or a plain card varies by less than this: nothing to assess.
FLAT_DEVIATION = 6.0
# A peak in the spectrum that is worth a mention; textures of real scenes stay below.
VISIBLE_MOIRE = 6.0

# A frame with less green than this shows no grass, and needs this probability to be football.
NO_GRASS, SURE_WITHOUT_GRASS = 0.03, 0.6


@dataclass(frozen=True, slots=True)
class FrameAssessment:
    """What one frame shows (V5). A flat frame has no probabilities; `scene` is the second look at a
    frame that may be football."""

    seconds: float
    football: float | None
    off_screen: float | None
    classes: tuple[tuple[str, float], ...]
    pitch: PitchEvidence
    reasons: tuple[str, ...]
    scene: float | None = None


@dataclass(frozen=True, slots=True)
class ClipAssessment:
    """The answers for a clip. None is a question that its frames leave open (V1: not accepted)."""

    football: bool | None
    off_screen: bool | None
    frames: tuple[FrameAssessment, ...]


def assess_frames(
    scanned: Scan, cache: Path | None = None, scenes: SceneModel | None = None
) -> ClipAssessment:
    """Assess a clip by its stills nearest to 25 % and 75 %, and to 50 % if those disagree."""
    if not scanned.stills:
        raise BadInput("a scan without stills cannot be judged", "scan(path, stills_at=FRAMES_AT)")
    stills = [nearest(scanned.stills, part * scanned.probe.duration) for part in ASSESSED_AT]
    model, box = image_model(cache), content_box(scanned.samples)
    screen, motion = screen_evidence(scanned.samples, stills), motion_evidence(scanned.samples)
    models, scenes = assessment_models(), scenes or scene_model()
    frames: list[FrameAssessment] = []
    football = off_screen = None
    for still in stills:
        frame = _assess_frame(frame_evidence(still, box, model), screen, motion)
        if _football_vote(frame, models.football, scenes):
            embedding = scene_embedding(inner_picture(still, box), cache)
            frame = _second_look(frame, embedding, scenes)
        frames.append(frame)
        football = agreed_answer(
            [_football_vote(frame, models.football, scenes) for frame in frames]
        )
        off_screen = agreed_answer([_vote(frame.off_screen, models.off_screen) for frame in frames])
        if len(frames) > 1 and football is not None and off_screen is not None:
            break
    return ClipAssessment(football, off_screen, tuple(frames))


def agreed_answer(votes: Sequence[bool | None]) -> bool | None:
    """V2: the answer of two frames that agree; None while no two do. None agrees with nothing."""
    for answer in (True, False):
        if sum(vote is answer for vote in votes) >= 2:
            return answer
    return None


@dataclass(frozen=True, slots=True)
class FrameEvidence:
    """All measurements of one frame: `inner` is the picture inside its borders."""

    seconds: float
    flat: bool
    pitch: PitchEvidence
    inner: ImageFeatures
    whole: ImageFeatures

    def football_values(self, motion: MotionEvidence) -> list[float]:
        return self.pitch.values() + motion.values() + football_scores(self.inner)

    def off_screen_values(self, screen: ScreenEvidence) -> list[float]:
        return [*screen.values(), screen_score(self.whole)]


def inner_picture(still: Still, box: Box) -> Image:
    """The picture inside its borders."""
    height, width = still.image.shape[:2]
    rows = slice(round(box.top * height), max(round(box.bottom * height), 1))
    columns = slice(round(box.left * width), max(round(box.right * width), 1))
    return still.image[rows, columns]


def frame_evidence(still: Still, box: Box, model: ImageModel) -> FrameEvidence:
    inner = inner_picture(still, box)
    luma = cv2.cvtColor(inner, cv2.COLOR_BGR2GRAY)
    features = model.features(inner)
    return FrameEvidence(
        seconds=still.seconds,
        flat=float(luma.std()) < FLAT_DEVIATION,
        pitch=pitch_evidence(inner),
        inner=features,
        whole=features if inner.shape == still.image.shape else model.features(still.image),
    )


def nearest(stills: Sequence[Still], seconds: float) -> Still:
    return min(stills, key=lambda still: abs(still.seconds - seconds))


def _second_look(frame: FrameAssessment, embedding: Floats, model: SceneModel) -> FrameAssessment:
    scene = model.probability(embedding)
    answer = "a football scene" if scene >= model.threshold else "another scene"
    reason = f"{answer} ({scene:.2f}, yes from {model.threshold:.2f})"
    return replace(frame, scene=round(scene, 4), reasons=(*frame.reasons, reason))


def _football_vote(frame: FrameAssessment, model: LogisticModel, scenes: SceneModel) -> bool | None:
    """V8: None where the second look disagrees: the picture is not sure, and is not accepted.

    Football without grass is rare: a close-up, the stands, a hall. It needs more certainty.
    """
    if frame.scene is not None and frame.scene < scenes.threshold:
        return None
    sure = frame.football is not None and frame.football >= SURE_WITHOUT_GRASS
    if frame.football is not None and frame.pitch.green < NO_GRASS and not sure:
        return False
    return _vote(frame.football, model)


def _vote(probability: float | None, model: LogisticModel) -> bool | None:
    return None if probability is None else probability >= model.threshold


def _assess_frame(
    frame: FrameEvidence, screen: ScreenEvidence, motion: MotionEvidence
) -> FrameAssessment:
    classes = named_classes(frame.inner)
    if frame.flat:
        reasons = ("a flat frame shows nothing to judge",)
        return FrameAssessment(frame.seconds, None, None, classes, frame.pitch, reasons)
    models = assessment_models()
    football = models.football.probability(frame.football_values(motion), frame.inner)
    off_screen = models.off_screen.probability(frame.off_screen_values(screen), frame.whole)
    return FrameAssessment(
        seconds=frame.seconds,
        football=round(football, 4),
        off_screen=round(off_screen, 4),
        classes=classes,
        pitch=frame.pitch,
        reasons=(
            _reason("football", football, models.football, _pitch_findings(frame.pitch, classes)),
            _reason("filmed off a screen", off_screen, models.off_screen, _screen_findings(screen)),
        ),
    )


def _reason(label: str, probability: float, model: LogisticModel, findings: Sequence[str]) -> str:
    answer = label if probability >= model.threshold else f"not {label}"
    return f"{answer} ({probability:.2f}, yes from {model.threshold:.2f}): {', '.join(findings)}"


def _pitch_findings(pitch: PitchEvidence, classes: Sequence[tuple[str, float]]) -> list[str]:
    findings = [f"{pitch.green:.0%} green"]
    if pitch.largest_green > 0.15 and pitch.long_lines > 0.08:
        findings.append("lines on it")
    if pitch.largest_green > 0.15 and pitch.upright_figures > 0.1:
        findings.append("figures on it")
    return findings + [f"{name} {share:.0%}" for name, share in classes]


def _screen_findings(screen: ScreenEvidence) -> list[str]:
    findings = [f"frame on {screen.framed:.0f} sides"]
    if screen.most_tilted > 1:
        findings.append(f"tilted by {screen.most_tilted / SAMPLE_EDGE:.1%}")
    if screen.most_shaking > 0.3:
        findings.append(f"shaking by {screen.most_shaking / SAMPLE_EDGE:.1%}")
    if screen.moire > VISIBLE_MOIRE:
        findings.append(f"moiré {screen.moire:.0f} deviations strong")
    return findings
