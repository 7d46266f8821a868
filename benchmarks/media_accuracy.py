"""How often matchers are right on rendered variants of real clips, also on clips left out.

VARIANTS_DIR is what media-eval/make_variants.py makes, the pairs are those of its evaluate.py. H1
and vPDQ (where it is installed) are judged beside us. Both of our bounds are then chosen again
without some clips, and those applied to the pairs that involve them.
"""

import argparse
import itertools
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Row, add_output_options, machine, publish, say, table, verdict_list
from benchmarks.media_contenders import VpdqFrame, vpdq_frames, vpdq_match
from footy_assets.media import Fingerprint, compare, fingerprint_of, scan
from footy_assets.media.baseline import baseline_match, dense_string
from footy_assets.media.compare import MIN_AGREEMENT, MIN_ELSEWHERE, MIN_SURPRISE
from footy_assets.media.library import Library

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
WRONG = ("hard", "cross", "trap")
# How the two bounds are chosen: the agreement is the one that finds most, the surprise is so far
# above that of any wrong pair. On all clips that gives 2.1, as shipped.
AGREEMENTS = tuple(step / 100 for step in range(30, 52, 2))
MARGIN = 1.1
FOLDS = 5

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
Judged = dict["Pair", bool]


@dataclass(frozen=True, slots=True)
class Prints:
    """What the matchers know of a file."""

    ours: bytes
    dense: str
    vpdq: list[VpdqFrame] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files, and how well we find that they agree."""

    a: Name
    b: Name
    kind: str
    score: float
    surprise: float
    elsewhere: float

    def involves(self, clips: Iterable[str]) -> bool:
        return not {clip_of(self.a), clip_of(self.b)}.isdisjoint(clips)

    def over(self, agreement: float, surprise: float) -> bool:
        over = self.score >= agreement and self.surprise >= surprise
        return over and self.elsewhere >= MIN_ELSEWHERE


def main() -> int:
    asked = parse_arguments()
    where = machine()
    segments = sorted(path.parent.name for path in asked.variants.glob("*/done"))
    if not segments:
        raise SystemExit(f"{asked.variants} holds no finished segment: run make_variants.py")
    files = dict(read(asked.variants, segments, asked.keep))
    ours = {name: Fingerprint.from_bytes(known.ours) for name, known in files.items()}
    pairs = compared(segments, ours)
    clips = sorted({clip_of(p.a) for p in pairs})
    full = judged(pairs, lambda p: p.over(MIN_AGREEMENT, MIN_SURPRISE))
    searched = in_library(pairs, ours)
    h1 = judged(pairs, lambda p: baseline_match(files[p.a].dense, files[p.b].dense))
    one = left_out(pairs, ([clip] for clip in clips))
    some = left_out(pairs, (clips[n::FOLDS] for n in range(FOLDS)))
    rows = [
        figures("H1 (dHash, 3 consecutive ≤10)", h1),
        *vpdq_rows(pairs, files),
        figures("footy_assets.media, `compare`", full),
        figures("the same, each clip left out", one),
        figures("the same, a fifth of the clips left out", some),
        figures("footy_assets.media, `Library`", searched),
    ]
    verdicts = verdicts_on(rows, full, searched)
    missed = [f"{p.b[0]} {p.b[1]}" for p, says in full.items() if p.kind == "same" and not says]
    wrong = max((p for p in pairs if p.kind != "same"), key=lambda p: p.surprise)
    told = (
        f"{len(segments)} segments of {len(clips)} clips, {len(pairs):,} pairs. "
        f"Missed by `compare`: {', '.join(missed) or 'none'}. The most surprising wrong pair is "
        f"{' '.join(wrong.a)} and {' '.join(wrong.b)}: {wrong.surprise:.2f} "
        f"(the bound is {MIN_SURPRISE}), agreement {wrong.score:.2f} ({MIN_AGREEMENT}). "
        f"False with clips left out: {', '.join(false_clips(one, some)) or 'none'}."
    )
    result = {"machine": where, "rows": rows, "missed": missed, "verdicts": verdicts}
    tables = [where, table(rows, COLUMNS), told, verdict_list(verdicts)]
    publish("media_accuracy", result, tables, asked)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.media_accuracy", description=__doc__
    )
    parser.add_argument("variants", type=Path, metavar="VARIANTS_DIR")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep what was read of each segment here, and do not read it again",
    )
    add_output_options(parser)
    return parser.parse_args()


def read(root: Path, segments: list[str], keep: Path | None) -> Iterator[tuple[Name, Prints]]:
    for number, segment in enumerate(segments, 1):
        kept = keep / f"{segment}.pickle" if keep else None
        if kept is not None and kept.exists():
            known = pickle.loads(kept.read_bytes())
        else:
            say(f"reading {number} of {len(segments)}: {segment}")
            known = {v: prints(root / segment / f"{v}.mp4") for v in ("base", *VARIANTS)}
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(pickle.dumps(known))
        yield from (((segment, variant), of_file) for variant, of_file in known.items())


def prints(path: Path) -> Prints:
    scanned = scan(path)
    ours = fingerprint_of(scanned).to_bytes()
    return Prints(ours, dense_string(scanned.samples), vpdq_frames(path))


def compared(segments: list[str], ours: dict[Name, Fingerprint]) -> list[Pair]:
    say("comparing")
    pairs = []
    for a, b, kind in asked_pairs(segments):
        found = compare(ours[a], ours[b])
        pairs.append(Pair(a, b, kind, found.score, found.surprise, found.elsewhere))
    return pairs


def in_library(pairs: list[Pair], ours: dict[Name, Fingerprint]) -> Judged:
    """Every file is looked up among all. The same footage counts if each finds the other, other
    footage if one does."""
    say("searching")
    library = Library(ours.items())
    found = {(name, hit.key) for name in ours for hit in library.search(ours[name])}

    def says(p: Pair) -> bool:
        ways = [(p.a, p.b) in found, (p.b, p.a) in found]
        return all(ways) if p.kind == "same" else any(ways)

    return judged(pairs, says)


def asked_pairs(segments: list[str]) -> Iterator[tuple[Name, Name, str]]:
    """evaluate.py's pairs: each base against every variant of every segment, and the traps."""
    for i, j, variant in itertools.product(segments, segments, VARIANTS):
        yield (i, "base"), (j, variant), kind_of(i, j)
    for (i, j), variant in itertools.product(itertools.combinations(segments, 2), TRAPS):
        yield (i, variant), (j, variant), "trap"


def kind_of(i: str, j: str) -> str:
    if i == j:
        return "same"
    return "hard" if clip_of((i, "")) == clip_of((j, "")) else "cross"


def clip_of(name: Name) -> str:
    return name[0].rsplit(".", 1)[0]


def judged(pairs: list[Pair], says: Callable[[Pair], bool]) -> Judged:
    return {p: says(p) for p in pairs}


def left_out(pairs: list[Pair], folds: Iterable[list[str]]) -> Judged:
    """Pairs that involve a clip left out, by bounds chosen on the pairs that involve none.

    A pair of two clips may be judged twice: it is missed if missed once, and false if false once.
    """
    says: Judged = {}
    for clips in folds:
        bounds = chosen_bounds([p for p in pairs if not p.involves(clips)])
        for p in pairs:
            if p.involves(clips):
                now = p.over(*bounds)
                before = says.get(p, now)
                says[p] = before and now if p.kind == "same" else before or now
    return says


def false_clips(*judgements: Judged) -> list[str]:
    """The clips of all false matches."""
    says = itertools.chain.from_iterable(each.items() for each in judgements)
    false = (p for p, said in says if said and p.kind != "same")
    return sorted({" and ".join(sorted((clip_of(p.a), clip_of(p.b)))) for p in false})


def chosen_bounds(pairs: list[Pair]) -> tuple[float, float]:
    """Of equally good agreements the strictest."""

    def surprise_for(agreement: float) -> float:
        wrong = (p.surprise for p in pairs if p.kind != "same" and p.score >= agreement)
        return MARGIN * max(wrong, default=1.0)

    def found(bounds: tuple[float, float]) -> int:
        return sum(p.over(*bounds) for p in pairs if p.kind == "same")

    bounds = [(agreement, surprise_for(agreement)) for agreement in AGREEMENTS]
    return max(bounds, key=lambda b: (found(b), b[0]))


def vpdq_rows(pairs: list[Pair], files: dict[Name, Prints]) -> list[Row]:
    frames = {name: known.vpdq for name, known in files.items() if known.vpdq is not None}
    if len(frames) < len(files):
        unknown = dict.fromkeys(COLUMNS, "not installed")
        return [unknown | {"matcher": "vPDQ"}]
    says = judged(pairs, lambda p: vpdq_match(frames[p.a], frames[p.b]))
    return [figures("vPDQ (≤31, 80 % of either's frames)", says)]


def figures(matcher: str, says: Judged) -> Row:
    def count(kind: str) -> int:
        return sum(said for p, said in says.items() if p.kind == kind)

    right, wrong = count("same"), {kind: count(kind) for kind in WRONG}
    recall = right / sum(p.kind == "same" for p in says)
    precision = right / max(1, right + sum(wrong.values()))
    f1 = 2 * recall * precision / max(1e-9, recall + precision)
    shares = {"recall": recall, "precision": precision, "f1": f1}
    return {"matcher": matcher, **{k: f"{v:.4f}" for k, v in shares.items()}, **wrong}


def verdicts_on(rows: list[Row], full: Judged, searched: Judged) -> dict[str, bool]:
    by_name = {row["matcher"]: row for row in rows}
    ours = by_name["footy_assets.media, `compare`"]
    lost = sum(p.kind == "same" and said and not searched[p] for p, said in full.items())
    return {
        "F1 ≥ 0.985": float(ours["f1"]) >= 0.985,
        "no hard negative and no trap matches": ours["hard"] == ours["trap"] == 0,
        "F1 ≥ 0.95 on clips left out": all(
            float(row["f1"]) >= 0.95 for name, row in by_name.items() if "left out" in name
        ),
        f"the library finds what `compare` does ({lost} lost)": lost == 0,
    }


if __name__ == "__main__":
    sys.exit(main())
