"""How often the matcher is right on rendered variants of real clips, also on clips left out.

usage: python -m benchmarks.media_accuracy VARIANTS_DIR [--json] [--into FILE]

VARIANTS_DIR is what media-eval/make_variants.py makes. The pairs are those of its evaluate.py; here
H1 is judged beside us, and the one bound that was chosen on these clips is chosen again without
each clip and applied to the pairs that involve it.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Row, add_output_options, machine, publish, say, table
from footy_assets.media import Fingerprint, compare, fingerprint_of, scan
from footy_assets.media.baseline import baseline_match, dense_string
from footy_assets.media.compare import MIN_AGREEMENT

VARIANTS = [
    "t360",
    "fps",
    "crop5",
    "crop10",
    "crop20",
    "letterbox",
    "wm",
    "bc",
    "mirror",
    "off113",
    "trim",
    "speed110",
    "speed125",
    "pip",
    "caption",
    "phone",
    "combo",
    "vcrop",
    "outro",
    "black",
]
TRAPS = ("outro", "black", "caption", "wm")
# How far above the most surprising wrong pair the bound is put: 1.90 on all clips makes it 2.1.
MARGIN = 1.1

COLUMNS = {
    "matcher": "matcher",
    "recall": "recall",
    "precision": "precision",
    "f1": "F1",
    "hard": "false: hard",
    "cross": "false: cross",
    "trap": "false: trap",
}
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files and what each matcher says of them."""

    a: Name
    b: Name
    kind: str
    ours: bool
    score: float
    surprise: float
    h1: bool

    def involves(self, clip: str) -> bool:
        return clip in (clip_of(self.a), clip_of(self.b))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", type=Path, metavar="VARIANTS_DIR")
    add_output_options(parser)
    asked = parser.parse_args(arguments)
    where = machine()
    segments = sorted(path.parent.name for path in asked.variants.glob("*/done"))
    if not segments:
        raise SystemExit(f"{asked.variants} holds no finished segment: run make_variants.py")
    pairs = compared(asked.variants, segments)
    rows = [
        figures("H1 (dHash, 3 consecutive ≤10)", [(p, p.h1) for p in pairs]),
        figures("footy_assets.media", [(p, p.ours) for p in pairs]),
        figures("the same, each clip left out", left_out(pairs)),
    ]
    missed = [f"{p.b[0]} {p.b[1]}" for p in pairs if p.kind == "same" and not p.ours]
    nearest = {
        kind: max((p.surprise for p in pairs if p.kind == kind), default=0.0)
        for kind in ("hard", "cross", "trap")
    }
    told = f"Missed: {', '.join(missed) or 'none'}. Most surprising wrong pairs: {nearest}."
    result = {"machine": where, "rows": rows, "missed": missed, "nearest": nearest}
    publish("media_accuracy", result, [where, table(rows, COLUMNS), told], asked)


def compared(root: Path, segments: list[str]) -> list[Pair]:
    prints: dict[Name, Fingerprint] = {}
    dense: dict[Name, str] = {}
    for number, segment in enumerate(segments, 1):
        say(f"reading {number} of {len(segments)}: {segment}")
        for variant in ("base", *VARIANTS):
            scanned = scan(root / segment / f"{variant}.mp4")
            prints[segment, variant] = fingerprint_of(scanned)
            dense[segment, variant] = dense_string(scanned.samples)
    say("comparing")
    return [
        Pair(
            a, b, kind, found.match, found.score, found.surprise, baseline_match(dense[a], dense[b])
        )
        for a, b, kind in asked_pairs(segments)
        for found in [compare(prints[a], prints[b])]
    ]


def asked_pairs(segments: list[str]) -> list[tuple[Name, Name, str]]:
    """evaluate.py's pairs: each base against every variant of every segment, and the traps."""
    pairs: list[tuple[Name, Name, str]] = [
        ((i, "base"), (j, variant), kind_of(i, j))
        for i in segments
        for j in segments
        for variant in VARIANTS
    ]
    pairs += [
        ((i, variant), (j, variant), "trap")
        for i, j in itertools.combinations(segments, 2)
        for variant in TRAPS
    ]
    return pairs


def kind_of(i: str, j: str) -> str:
    if i == j:
        return "same"
    return "hard" if clip_of((i, "")) == clip_of((j, "")) else "cross"


def clip_of(name: Name) -> str:
    return name[0].rsplit(".", 1)[0]


def left_out(pairs: list[Pair]) -> list[tuple[Pair, bool]]:
    """Each clip's pairs, judged by a bound that was chosen without it.

    A pair of two clips is judged twice, and counts as false if either time says so.
    """
    judged: dict[Pair, bool] = {}
    for clip in sorted({clip_of(p.a) for p in pairs}):
        known = [p.surprise for p in pairs if p.kind != "same" and not p.involves(clip)]
        bound = MARGIN * max(known)
        for p in pairs:
            if p.involves(clip):
                says = p.score >= MIN_AGREEMENT and p.surprise >= bound
                before = judged.get(p, says)
                judged[p] = before and says if p.kind == "same" else before or says
    return list(judged.items())


def figures(matcher: str, judged: list[tuple[Pair, bool]]) -> Row:
    def count(kind: str) -> int:
        return sum(says for p, says in judged if p.kind == kind)

    right, wrong = count("same"), {kind: count(kind) for kind in ("hard", "cross", "trap")}
    recall = right / sum(p.kind == "same" for p, _ in judged)
    precision = right / max(1, right + sum(wrong.values()))
    f1 = 2 * recall * precision / max(1e-9, recall + precision)
    return {
        "matcher": matcher,
        "recall": f"{recall:.4f}",
        "precision": f"{precision:.4f}",
        "f1": f"{f1:.4f}",
        **wrong,
    }


if __name__ == "__main__":
    sys.exit(main())
