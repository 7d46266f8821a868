"""One pass gives samples at a fixed rate and upright stills, for any timing and shape."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from footy_assets.media import (
    DecodeLimits,
    UnreadableReason,
    VideoUnreadable,
    compare,
    fingerprint,
    scan,
)
from footy_assets.media.decode import SAMPLE_EDGE
from footy_assets_tests.fixtures.films import FingerprintFilm, RenderFilm
from footy_assets_tests.media.films import FPS, HEIGHT, WIDTH, Film, Take, encode
from footy_assets_tests.media.test_probe import rotated

pytestmark = pytest.mark.slow


def test_samples_have_a_fixed_rate_at_any_frame_rate(render_film: RenderFilm) -> None:
    for fps in (10, 25, 30, 50):
        samples = scan(render_film(1, Take(fps=fps))).samples
        assert samples.shape == (48, SAMPLE_EDGE, SAMPLE_EDGE)


def test_a_variable_frame_rate_gives_the_same_fingerprint_in_time(
    fingerprint_film: FingerprintFilm, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.choice([20, 33, 40, 90], 150)).tolist()
    film = Film(1)
    path = encode(tmp_path / "vfr.mp4", [film.at(t / 1000) for t in times], times=times)
    seen = scan(path)
    assert seen.samples.shape[0] == pytest.approx(seen.probe.duration * 8, abs=1)
    found = compare(fingerprint_film(1), fingerprint(path))
    assert found.match
    assert found.speed == pytest.approx(1, abs=0.02)


def test_stills_come_from_the_same_pass(render_film: RenderFilm) -> None:
    seen = scan(render_film(1), stills_at=(0.25, 0.5, 0.75, 1.0))
    assert [still.seconds for still in seen.stills] == pytest.approx(
        [1.5, 3.0, 4.5, 5.96], abs=0.03
    )
    for still in seen.stills:
        assert still.image.shape == (HEIGHT, WIDTH, 3)
        expected_picture = Film(1).at(still.seconds)
        assert np.abs(still.image.mean(axis=2) - expected_picture).mean() < 12


def test_a_still_becomes_a_poster_and_a_thumbnail(render_film: RenderFilm) -> None:
    (still,) = scan(render_film(1), stills_at=(0.5,)).stills
    poster = cv2.imdecode(np.frombuffer(still.jpeg(), np.uint8), cv2.IMREAD_COLOR)
    thumbnail = cv2.imdecode(np.frombuffer(still.jpeg(width=160), np.uint8), cv2.IMREAD_COLOR)
    assert poster is not None
    assert poster.shape == (HEIGHT, WIDTH, 3)
    assert thumbnail is not None
    assert thumbnail.shape == (HEIGHT // 2, 160, 3)


def test_a_rotated_file_is_sampled_upright(render_film: RenderFilm, tmp_path: Path) -> None:
    plain = render_film(1)
    turned = scan(rotated(plain, tmp_path / "turned.mp4"), stills_at=(0.5,))
    straight = scan(plain, stills_at=(0.5,))
    clockwise = np.rot90(straight.samples, -1, axes=(1, 2))
    assert np.abs(turned.samples.astype(int) - clockwise).mean() < 1
    assert turned.stills[0].image.shape == (WIDTH, HEIGHT, 3)


def test_odd_pixel_sizes_are_read(tmp_path: Path) -> None:
    pictures = [cv2.resize(Film(1).at(n / FPS), (321, 181)) for n in range(60)]
    odd = encode(tmp_path / "odd.mp4", [np.asarray(p, np.uint8) for p in pictures])
    seen = scan(odd, stills_at=(0.5,))
    assert (seen.probe.width, seen.probe.height) == (321, 181)
    assert seen.stills[0].image.shape == (181, 321, 3)


def test_p3_progress_is_reported_while_decoding(render_film: RenderFilm) -> None:
    progress: list[float] = []
    scan(render_film(1), on_progress=progress.append)
    assert len(progress) == 6
    assert progress == sorted(progress)
    assert progress[-1] <= 1


def test_decoding_stops_at_its_time_limit(render_film: RenderFilm) -> None:
    with pytest.raises(VideoUnreadable) as refused:
        scan(render_film(1), limits=DecodeLimits(max_wall_seconds=0.0))
    assert refused.value.reason in (UnreadableReason.TOO_SLOW, UnreadableReason.TOO_LONG)
