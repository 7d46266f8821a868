"""The facts of a video file, and the reason if it cannot be read."""

import shutil
import struct
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from footy_assets.errors import NotFound
from footy_assets.media import (
    DecodeLimits,
    Probe,
    UnreadableReason,
    VideoUnreadable,
    fingerprint,
    probe,
)
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.films import HEIGHT, WIDTH, Film, Take, encode

pytestmark = pytest.mark.slow


def test_a_probe_has_the_facts_of_the_file(render_film: RenderFilm) -> None:
    path = render_film(1)
    seen = probe(path)
    assert seen == Probe(
        duration=6.0,
        width=WIDTH,
        height=HEIGHT,
        fps=25.0,
        rotation=0,
        sample_aspect=1.0,
        codec="h264",
        bitrate=int(path.stat().st_size * 8 / 6),
        size=path.stat().st_size,
        has_audio=False,
        frames=150,
    )


def test_the_width_counts_square_pixels(tmp_path: Path) -> None:
    pictures = [Film(1).at(n / 25) for n in range(30)]
    seen = probe(encode(tmp_path / "odd.mp4", pictures, sample_aspect=Fraction(4, 3)))
    assert (seen.width, seen.height) == (round(WIDTH * 4 / 3), HEIGHT)


def test_a_rotated_file_is_probed_upright(render_film: RenderFilm, tmp_path: Path) -> None:
    seen = probe(rotated(render_film(1), tmp_path / "turned.mp4"))
    assert seen.rotation in (90, 270)
    assert (seen.width, seen.height) == (HEIGHT, WIDTH)


def test_a_truncated_file_has_the_duration_of_its_packets(
    render_film: RenderFilm, tmp_path: Path
) -> None:
    whole = tmp_path / "front.mp4"
    with av.open(str(render_film(1))) as source:
        options = {"movflags": "faststart"}
        with av.open(str(whole), "w", options=options) as target:
            stream = target.add_stream_from_template(source.streams.video[0])
            for packet in source.demux(video=0):
                if packet.dts is not None:
                    packet.stream = stream
                    target.mux(packet)
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    assert probe(whole).duration == 6.0
    assert 2.0 < probe(cut).duration < 5.0
    assert fingerprint(cut).duration < 5.0


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        probe(tmp_path / "nowhere.mp4")


def empty(path: Path) -> None:
    path.touch()


def words(path: Path) -> None:
    path.write_text("<html>video removed</html>" * 50)


def playlist(path: Path) -> None:
    path.write_text("#EXTM3U\n#EXTINF:10,\n/etc/passwd\n")


def sound_only(path: Path) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=44100)
        for start in range(0, 44100, 1024):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
            frame.rate, frame.pts = 44100, start
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def one_picture(path: Path) -> None:
    encode(path, [Film(1).at(0)])


def eight_k(path: Path) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("mjpeg", rate=5)
        stream.width, stream.height, stream.pix_fmt = 7680, 4320, "yuvj420p"
        for _ in range(2):
            frame = av.VideoFrame(7680, 4320, "yuvj420p")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def ten_hours(path: Path) -> None:
    pictures = [Film(1).at(n) for n in range(4)]
    encode(path, pictures, times=[0, 1000, 2000, 36_000_000])


def without_samples(path: Path) -> None:
    """A complete header without any picture."""
    encode(path, [Film(1).at(n / 25) for n in range(50)])
    stored = bytearray(path.read_bytes())
    at = stored.index(b"mdat")
    size = struct.unpack(">I", stored[at - 4 : at])[0]
    stored[at + 4 : at - 4 + size] = bytes(size - 8)
    path.write_bytes(stored)


BAD_FILES: dict[UnreadableReason, list[Callable[[Path], None]]] = {
    UnreadableReason.EMPTY: [empty],
    UnreadableReason.NOT_A_VIDEO: [words, playlist],
    UnreadableReason.NO_PICTURE: [sound_only],
    UnreadableReason.NO_FRAME_RATE: [one_picture],
    UnreadableReason.TOO_LARGE: [eight_k],
    UnreadableReason.TOO_LONG: [ten_hours],
    UnreadableReason.BROKEN: [without_samples],
}
CASES = [(reason, make) for reason, makers in BAD_FILES.items() for make in makers]


@pytest.mark.parametrize(("reason", "make"), CASES, ids=[make.__name__ for _, make in CASES])
def test_d2_an_unreadable_file_is_rejected_with_its_reason(
    reason: UnreadableReason, make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "bad.mp4"
    make(path)
    began = time.process_time()
    for read in (probe, fingerprint):
        with pytest.raises(VideoUnreadable) as refused:
            read(path)
        assert refused.value.reason == reason
        assert "bad.mp4" in refused.value.sentence()
        assert refused.value.fix
    assert time.process_time() - began < 10


def test_limits_can_be_narrowed(render_film: RenderFilm) -> None:
    for limits in (DecodeLimits(max_seconds=5), DecodeLimits(max_frames=100)):
        with pytest.raises(VideoUnreadable) as refused:
            probe(render_film(1), limits)
        assert refused.value.reason == UnreadableReason.TOO_LONG
    with pytest.raises(VideoUnreadable) as refused:
        probe(render_film(1), DecodeLimits(max_edge=300))
    assert refused.value.reason == UnreadableReason.TOO_LARGE


def test_a_name_that_looks_like_a_protocol_is_a_file(
    render_film: RenderFilm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = Path("concat:a|b.mp4")
    shutil.copy(render_film(1, Take()), odd)
    assert probe(odd).duration == 6.0


def rotated(source: Path, target: Path) -> Path:
    """The same file with a display matrix that rotates it by 90°."""
    stored = bytearray(source.read_bytes())
    at = stored.index(b"tkhd") + 4 + 40
    turn = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30)
    assert stored[at : at + 4] == struct.pack(">i", 1 << 16)
    stored[at : at + 36] = turn
    target.write_bytes(stored)
    return target
