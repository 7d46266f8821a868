"""Damaged files give a result or a `VideoUnreadable`, in bounded time."""

import random
import time
from pathlib import Path

import pytest

from footy_assets.media import DecodeLimits, VideoUnreadable, compare, fingerprint_of, probe, scan
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.films import Take

ROUNDS = 60


def damage(stored: bytes, rng: random.Random) -> bytes:
    changed = bytearray(stored)
    kind = rng.choice(("truncate", "flip", "zero", "header", "repeat"))
    if kind == "truncate":
        return bytes(changed[: rng.randrange(len(changed))])
    if kind == "flip":
        for _ in range(rng.randrange(1, 40)):
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif kind == "zero":
        start = rng.randrange(len(changed))
        length = rng.randrange(1, 2000)
        changed[start : start + length] = bytes(len(changed[start : start + length]))
    elif kind == "header":
        moov = changed.find(b"moov")
        for _ in range(rng.randrange(1, 12)):
            changed[rng.randrange(max(moov, 0), len(changed))] = rng.randrange(256)
    else:
        start = rng.randrange(len(changed))
        changed[start:start] = changed[start : start + rng.randrange(1, 3000)]
    return bytes(changed)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_never_crash(seed: int, render_film: RenderFilm, tmp_path: Path) -> None:
    whole = render_film(1, Take(seconds=3.0))
    stored, original = whole.read_bytes(), fingerprint_of(scan(whole))
    rng = random.Random(seed)
    read = 0
    refusals: list[str] = []
    for number in range(ROUNDS // 4):
        path = tmp_path / f"{number}.mp4"
        path.write_bytes(damage(stored, rng))
        began = time.process_time()
        try:
            probe(path)
            seen = scan(path, stills_at=(0.25, 0.75), limits=DecodeLimits(max_wall_seconds=5))
        except VideoUnreadable as refused:
            refusals.append(refused.sentence())
        else:
            read += 1
            assert len(seen.stills) == 2
            compare(original, fingerprint_of(seen))
        assert time.process_time() - began < 15
    assert read > 0
    assert all(refusals)
