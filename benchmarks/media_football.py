"""Football or not, by kind of scene, on real clips.

usage: python -m benchmarks.media_football --clips DIR [--left-out [DIR...]]

DIR has a labels.tsv with the columns file and kind. Kinds that start with A: are other sports and
look-alikes, all others are football. With --left-out, each clip is judged with a second look that
was fitted without all clips of its repository, on the others and on those of the further folders.
"""

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from benchmarks import scene_fit
from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.scene_fit import LABELS, OTHER_KINDS
from footy_assets.media.decode import scan
from footy_assets.media.frame_assessment import FRAMES_AT, assess_frames
from footy_assets.media.scene_model import SceneModel

COLUMNS = {"kind": "kind", "clips": "clips", "accepted": "called football", "wrong": "wrong clips"}
MOST_OTHER_ACCEPTED, LEAST_RECALL, MOST_SECONDS = 2, 0.97, 1.0


@dataclass(frozen=True, slots=True)
class LabelledClip:
    path: Path
    kind: str
    source: str

    @property
    def football(self) -> bool:
        return not self.kind.startswith(OTHER_KINDS)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge says of a clip. `seconds` are of CPU, without decoding."""

    clip: LabelledClip
    football: bool
    seconds: float

    @property
    def right(self) -> bool:
        return self.football == self.clip.football


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_output_options(parser)
    parser.add_argument("--clips", type=Path, required=True, help="clips with their labels.tsv")
    parser.add_argument("--left-out", type=Path, nargs="*", help="further clips that were fitted")
    parser.add_argument("--work", type=Path, default=Path(".validation"), help="cache")
    parsed = parser.parse_args(arguments)
    machine_note = machine()
    cv2.setNumThreads(1)
    models: dict[str, SceneModel] = {}
    if parsed.left_out is not None:
        folders = [parsed.clips, *parsed.left_out]
        fitted = [
            clip for folder in folders for clip in scene_fit.labelled_clips(folder, parsed.work)
        ]
        models = scene_fit.left_out_models(fitted, scene_fit.drawn_clips())
    answers = [judge(clip, models.get(clip.source)) for clip in labelled_clips(parsed.clips)]
    rows, verdicts = by_kind(answers), checked(answers)
    result = {"machine": machine_note, "rows": rows, "verdicts": verdicts}
    tables = [machine_note, table(rows, COLUMNS), verdict_list(verdicts)]
    publish("media_football", result, tables, parsed)
    return 0 if all(verdicts.values()) else 1


def labelled_clips(folder: Path) -> list[LabelledClip]:
    with (folder / LABELS).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [LabelledClip(folder / row["file"], row["kind"], row["repository"]) for row in rows]


def judge(clip: LabelledClip, scenes: SceneModel | None) -> Answer:
    log_progress(f"judging {clip.path.name}")
    scanned = scan(clip.path, stills_at=FRAMES_AT)
    started = time.process_time()
    football = assess_frames(scanned, scenes=scenes).football is True
    return Answer(clip, football, time.process_time() - started)


def by_kind(answers: Sequence[Answer]) -> list[Row]:
    rows: list[Row] = []
    for kind in sorted({answer.clip.kind for answer in answers}):
        some = [answer for answer in answers if answer.clip.kind == kind]
        wrong = [answer.clip.path.stem for answer in some if not answer.right]
        rows.append(
            {
                "kind": kind,
                "clips": len(some),
                "accepted": sum(answer.football for answer in some),
                "wrong": ", ".join(wrong),
            }
        )
    return rows


def checked(answers: Sequence[Answer]) -> dict[str, bool]:
    football = [answer.football for answer in answers if answer.clip.football]
    others = [answer.football for answer in answers if not answer.clip.football]
    accepted, recall = sum(others), sum(football) / max(len(football), 1)
    seconds = sum(answer.seconds for answer in answers) / max(len(answers), 1)
    return {
        f"{accepted} of {len(others)} other scenes accepted, at most {MOST_OTHER_ACCEPTED}": (
            accepted <= MOST_OTHER_ACCEPTED
        ),
        f"football recall {recall:.3f}, at least {LEAST_RECALL}": recall >= LEAST_RECALL,
        f"an assessment costs {seconds:.2f} CPU-s, at most {MOST_SECONDS}": (
            seconds <= MOST_SECONDS
        ),
    }


if __name__ == "__main__":
    sys.exit(main())
