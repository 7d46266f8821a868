"""Labelled clips, and the fit of the second look at them (footy_assets/media/scene_model.py)."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import log_progress
from benchmarks.validation_scenes import NOT_FOOTBALL, drawn_pitch
from footy_assets.media.content_box import content_box
from footy_assets.media.decode import scan
from footy_assets.media.frame_assessment import FRAMES_AT, inner_picture
from footy_assets.media.scene_model import SceneModel, scene_embedding

Floats = NDArray[np.float64]

LABELS, OTHER_KINDS = "labels.tsv", "A:"
# The ridge penalty, relative to the mean size of an embedding.
PENALTY = 0.1
# This share of the left-out football clips stays above the threshold.
RECALL = 0.97
# Drawn scenes: pitches, and of each kind that is not football.
PITCHES, DRAWN_OF_EACH = 12, 2
# How much probabilities change with the score.
GAIN = 4.0


@dataclass(frozen=True, slots=True)
class Clip:
    name: str
    source: str
    football: bool
    embeddings: Floats


@dataclass(frozen=True, slots=True)
class Fit:
    weights: Floats
    bias: float

    def scores(self, embeddings: Floats) -> Floats:
        return np.asarray(embeddings @ self.weights + self.bias)


def labelled_clips(folder: Path, work: Path) -> list[Clip]:
    with (folder / LABELS).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        Clip(
            name=row["file"],
            source=row["repository"],
            football=not row["kind"].startswith(OTHER_KINDS),
            embeddings=clip_embeddings(folder / row["file"], work),
        )
        for row in rows
    ]


def clip_embeddings(path: Path, work: Path) -> Floats:
    """One row for each still; kept in `work`, which is emptied when the measuring code changes."""
    kept = work / "scenes" / f"{path.parent.name}-{path.stem}.npy"
    if not kept.exists():
        log_progress(f"measuring {path.name}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        scanned = scan(path, stills_at=FRAMES_AT)
        box = content_box(scanned.samples)
        rows = [scene_embedding(inner_picture(still, box)) for still in scanned.stills]
        np.save(kept, np.array(rows))
    return np.asarray(np.load(kept), float)


def drawn_clips() -> list[Clip]:
    """Drawn football, as in demos, and drawn scenes of other kinds; a picture each."""
    scenes = [("pitch", drawn_pitch, seed) for seed in range(PITCHES)]
    scenes += [(kind, draw, n) for kind, draw in NOT_FOOTBALL.items() for n in range(DRAWN_OF_EACH)]
    return [
        Clip(
            name=f"drawn {kind} {seed}",
            source="pitch" if kind == "pitch" else f"drawn-{kind}",
            football=kind == "pitch",
            embeddings=np.asarray(scene_embedding(next(draw(seed)))[None], float),
        )
        for kind, draw, seed in scenes
    ]


def left_out_scores(clips: Sequence[Clip], drawn: Sequence[Clip]) -> Floats:
    """Each clip's median score by a model that was fitted without all clips of its source."""
    scores = np.zeros(len(clips))
    for source in {clip.source for clip in clips}:
        fit = fit_model([clip for clip in (*clips, *drawn) if clip.source != source])
        for number, clip in enumerate(clips):
            if clip.source == source:
                scores[number] = np.median(fit.scores(clip.embeddings))
    return scores


def threshold(scores: Floats, clips: Sequence[Clip]) -> float:
    """A bound that keeps RECALL of the football clips, half way to the next one below."""
    football = np.sort(scores[[clip.football for clip in clips]])
    kept = int((1 - RECALL) * len(football))
    return float(football[kept] + football[max(kept - 1, 0)]) / 2


def fit_model(clips: Sequence[Clip]) -> Fit:
    """Weighted ridge regression on +1 and -1, solved in the space of stills: there are fewer of
    them than dimensions. Football and the others weigh the same, and a source of n clips √n."""
    inputs = np.concatenate([clip.embeddings for clip in clips])
    stills = [len(clip.embeddings) for clip in clips]
    signs = np.repeat([1.0 if clip.football else -1.0 for clip in clips], stills)
    weights = np.repeat(_clip_weights(clips), stills)
    weights *= len(weights) / weights.sum()
    centre = inputs.mean(axis=0)
    rows = inputs - centre
    products = rows @ rows.T
    size = np.trace(products) / len(rows)
    system = np.ones((len(rows) + 1, len(rows) + 1))
    system[:-1, :-1] = products / size + np.diag(PENALTY / weights)
    system[-1, -1] = 0
    *duals, bias = np.linalg.solve(system, np.append(signs, 0))
    found = rows.T @ np.array(duals) / size
    return Fit(found, float(bias - centre @ found))


def _clip_weights(clips: Sequence[Clip]) -> Floats:
    groups = [(clip.football, clip.source) for clip in clips]
    weights = np.array([groups.count(group) ** -0.5 for group in groups])
    for football in (True, False):
        these = np.array([clip.football is football for clip in clips])
        weights[these] /= weights[these].sum()
    return weights


def to_scene_model(fit: Fit, bound: float) -> SceneModel:
    return SceneModel(
        weights=np.asarray(GAIN * fit.weights, np.float32),
        bias=GAIN * fit.bias,
        threshold=float(1 / (1 + np.exp(-GAIN * bound))),
    )


def left_out_models(clips: Sequence[Clip], drawn: Sequence[Clip]) -> dict[str, SceneModel]:
    """For each source, the model fitted without it. The bound is that of all left-out scores."""
    bound = threshold(left_out_scores(clips, drawn), clips)
    known = [*clips, *drawn]
    return {
        source: to_scene_model(fit_model([clip for clip in known if clip.source != source]), bound)
        for source in {clip.source for clip in clips}
    }
