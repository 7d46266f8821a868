"""D6: the pictures of HEVC, VP9 and AV1 as they are, in an MP4 of their own."""

import struct
from contextlib import suppress
from pathlib import Path

import av
import pytest

from benchmarks.fuzz_media import encode_film
from footy_assets.media import UnreadableReason, VideoUnreadable, probe
from footy_assets.media.cell import DecodingCell
from footy_assets.media.cell_messages import AnswerInvalid, read_rendition, read_written
from footy_assets.media.mp4_boxes import is_faststart
from footy_assets.media.mp4_codecs import CodecsUnknown, codecs_of
from footy_assets.media.rendition import RenditionFile
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.media.kinds import remuxed_to, write_kind
from footy_assets_tests.media.test_playable import packets_of


@pytest.fixture
def cell() -> DecodingCell:
    return shared_cell()


def streams_of(made: RenditionFile) -> list[tuple[str, str]]:
    with av.open(str(made.path)) as container:
        return [
            (stream.codec_context.codec.canonical_name, stream.codec_context.codec_tag)
            for stream in container.streams
        ]


@pytest.mark.parametrize(
    ("kind", "codec", "codecs"),
    [
        ("HEVC", "hevc", "hvc1.1.6.L30.90,mp4a.40.2"),
        ("VP9 with MP3", "vp9", "vp09.00.10.08,mp4a.40.2"),
        ("AV1", "av1", "av01.0.00M.08,mp4a.40.2"),
    ],
)
def test_d6_pictures_are_copied_with_their_sound_as_aac(
    kind: str, codec: str, codecs: str, cell: DecodingCell, tmp_path: Path
) -> None:
    path = tmp_path / "video"
    if kind == "VP9 with MP3":
        encode_film(path, ("matroska", "libvpx-vp9", "yuv420p", "libmp3lame"), 1.2)
    else:
        write_kind(path, kind)
    made = cell.make_rendition(path, tmp_path / "rendition.mp4")
    assert (made.codec, made.codecs) == (codec, codecs)
    assert streams_of(made) == [(codec, codecs[:4]), ("aac", "mp4a")]
    assert packets_of(made.path) == packets_of(path)
    assert made.probe == probe(made.path)
    with made.path.open("rb", buffering=0) as file:
        assert is_faststart(file)


def test_d6_pictures_without_sound_have_one_codec(cell: DecodingCell, tmp_path: Path) -> None:
    path = write_kind(tmp_path / "video", "WebM")
    assert cell.make_rendition(path, tmp_path / "r.mp4").codecs == "vp09.00.10.08"


def test_d6_hevc_of_a_transport_stream_has_its_parameter_sets_in_the_index(
    cell: DecodingCell, tmp_path: Path
) -> None:
    source = write_kind(tmp_path / "video", "HEVC")
    stream = remuxed_to(source, tmp_path / "video.ts", "mpegts")
    made = cell.make_rendition(stream, tmp_path / "r.mp4")
    assert made.codecs == "hvc1.1.6.L30.90"
    assert made.probe.frames == probe(source).frames


def test_d6_there_is_no_rendition_of_other_codecs(cell: DecodingCell, tmp_path: Path) -> None:
    with pytest.raises(VideoUnreadable, match="no rendition is kept of h264") as refusal:
        cell.make_rendition(write_kind(tmp_path / "video", "MKV"), tmp_path / "r.mp4")
    assert refusal.value.reason is UnreadableReason.CODEC


def test_the_same_file_gives_the_same_rendition(cell: DecodingCell, tmp_path: Path) -> None:
    path = write_kind(tmp_path / "video", "WebM")
    first, second = (cell.make_rendition(path, tmp_path / f"{n}.mp4").path for n in (1, 2))
    assert first.read_bytes() == second.read_bytes()


def test_hevc_without_parameter_sets_in_the_index_is_refused(
    cell: DecodingCell, tmp_path: Path
) -> None:
    made = cell.make_rendition(write_kind(tmp_path / "video", "HEVC"), tmp_path / "r.mp4")
    content = bytearray(made.path.read_bytes())
    content[content.index(b"hvcC") + 4 + 22] = 0
    assert_no_codecs(tmp_path, bytes(content), "parameter sets")


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_a_damaged_index_is_refused_or_read(at: int, cell: DecodingCell, tmp_path: Path) -> None:
    content = bytearray(rendition_of_vp9(cell, tmp_path))
    start = content.index(b"moov")
    content[start + at] ^= 0xFF
    damaged = tmp_path / "damaged.mp4"
    damaged.write_bytes(content)
    with damaged.open("rb", buffering=0) as file, suppress(CodecsUnknown):
        assert codecs_of(file).startswith("vp09.")


VP9: list[bytes] = []


def rendition_of_vp9(cell: DecodingCell, folder: Path) -> bytes:
    if not VP9:
        path = write_kind(folder / "video", "WebM")
        VP9.append(cell.make_rendition(path, folder / "r.mp4").path.read_bytes())
    return VP9[0]


@pytest.mark.parametrize("content", [b"", struct.pack(">I4s", 8, b"moov")])
def test_a_file_without_tracks_has_no_codecs(content: bytes, tmp_path: Path) -> None:
    assert_no_codecs(tmp_path, content, "no tracks")


def assert_no_codecs(folder: Path, content: bytes, reason: str) -> None:
    path = folder / "stated.mp4"
    path.write_bytes(content)
    with path.open("rb", buffering=0) as file, pytest.raises(CodecsUnknown, match=reason):
        codecs_of(file)


@pytest.mark.parametrize("size", [None, 0, 101, "10", True, -1])
def test_a_cell_that_lies_about_what_it_wrote_is_not_believed(size: object) -> None:
    with pytest.raises(AnswerInvalid):
        read_written({"size": size}, written=100)


@pytest.mark.parametrize(
    "codecs", [None, "", "avc1.640028", 'vp09.00.10.08"><script>', "vp09", "hvc1.1,mp4a.40.2,x"]
)
def test_codecs_that_no_rendition_has_are_not_believed(codecs: object) -> None:
    with pytest.raises(AnswerInvalid):
        read_rendition({"codecs": codecs})
