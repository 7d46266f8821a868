"""D4: what is stored plays everywhere: MP4 with H.264 and AAC, its index first."""

import os
from fractions import Fraction
from pathlib import Path

import av
import pytest

from footy_assets.media import UnreadableReason, VideoUnreadable, probe, scan
from footy_assets.media import mp4_output as output_module
from footy_assets.media.cell import DecodingCell
from footy_assets.media.cell_messages import AnswerInvalid, read_playable
from footy_assets.media.decode import Still
from footy_assets.media.errors import OutputUnwritable
from footy_assets.media.mp4_boxes import is_faststart
from footy_assets.media.mp4_output import Mp4Output
from footy_assets.media.playable import PlayableFile, PlayableMethod, make_playable_file
from footy_assets.media.probe import LIMITS, DecodeLimits, Probe
from footy_assets.media.transcode import max_fps, output_size
from footy_assets_tests.fixtures.films import RenderFilm
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.media.films import HEIGHT, WIDTH, Film, encode
from footy_assets_tests.media.kinds import KINDS, remuxed_to, write_kind
from footy_assets_tests.media.test_probe import rotated

TS_PACKET = 188


@pytest.fixture
def cell() -> DecodingCell:
    return shared_cell()


def make_here(path: Path, output: Path, limits: DecodeLimits = LIMITS) -> PlayableMethod:
    """In this process, where a test can look at it."""
    with path.open("rb", buffering=0) as file, output.open("w+b", buffering=0) as written:
        mp4 = Mp4Output(written.fileno())
        method = make_playable_file(path, file, mp4, limits)
        os.ftruncate(written.fileno(), mp4.size)
        return method


def packets_of(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


def assert_plays_everywhere(made: PlayableFile, has_sound: bool) -> None:
    with made.path.open("rb", buffering=0) as file:
        assert is_faststart(file)
    with av.open(str(made.path)) as container:
        assert container.format.name.startswith("mov,mp4")
        assert container.metadata["major_brand"] == "isom"
        codecs = [stream.codec_context.name for stream in container.streams]
        assert codecs == (["h264", "aac"] if has_sound else ["h264"])
        assert container.streams.video[0].codec_context.pix_fmt == "yuv420p"
        shown = [p.pts for p in container.demux(video=0) if p.pts is not None]
        assert min(shown) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_d4_a_file_of_every_kind_becomes_an_mp4(
    kind: str, cell: DecodingCell, tmp_path: Path
) -> None:
    path = write_kind(tmp_path / "video", kind)
    (_, _, _, sound), method = KINDS[kind]
    before = probe(path)
    made = cell.make_playable(path, tmp_path / "playable.mp4")
    assert made.method is method
    assert_plays_everywhere(made, has_sound=sound is not None)
    assert made.probe == probe(made.path)
    assert made.probe.frames == before.frames
    assert made.probe.duration == pytest.approx(before.duration, abs=0.05)
    again = cell.make_playable(made.path, tmp_path / "again.mp4")
    assert (again.method, again.path) == (PlayableMethod.UNCHANGED, made.path)
    assert not (tmp_path / "again.mp4").exists()


@pytest.mark.parametrize("kind", ["MP4 with its index last", "MKV"])
def test_d4_a_remuxed_picture_is_the_same_to_the_byte(kind: str, tmp_path: Path) -> None:
    path = write_kind(tmp_path / "video", kind)
    make_here(path, tmp_path / "playable.mp4")
    assert packets_of(tmp_path / "playable.mp4") == packets_of(path)


@pytest.mark.parametrize("kind", ["HLS", "WebM"])
def test_the_same_file_gives_the_same_bytes(kind: str, cell: DecodingCell, tmp_path: Path) -> None:
    """A batch that is repeated after a kill overwrites the object that it left."""
    path = write_kind(tmp_path / "video", kind)
    first, second = (cell.make_playable(path, tmp_path / f"{n}.mp4").path for n in (1, 2))
    assert first.read_bytes() == second.read_bytes()


def test_an_mp4_in_fragments_becomes_one_with_an_index(cell: DecodingCell, tmp_path: Path) -> None:
    whole = write_kind(tmp_path / "whole", "MP4 with its index last")
    path = remuxed_to(whole, tmp_path / "x", "mp4", movflags="frag_keyframe+empty_moov")
    made = cell.make_playable(path, tmp_path / "playable.mp4")
    assert made.method is PlayableMethod.REMUXED
    assert_plays_everywhere(made, has_sound=False)


def test_other_streams_and_what_others_wrote_into_a_file_are_left_out(
    cell: DecodingCell, tmp_path: Path
) -> None:
    source, path = write_kind(tmp_path / "source", "MKV"), tmp_path / "video"
    with (
        av.open(str(source)) as file,
        av.open(str(path), "w", format="mp4", container_options={"movflags": "faststart"}) as out,
    ):
        out.metadata["title"] = "follow me"
        streams = [out.add_stream_from_template(file.streams.video[0])]
        streams += [out.add_stream_from_template(file.streams.audio[0]) for _ in range(2)]
        for packet in file.demux(video=0):
            if packet.dts is not None:
                packet.stream = streams[0]
                out.mux(packet)
    made = cell.make_playable(path, tmp_path / "playable.mp4")
    assert made.method is PlayableMethod.REMUXED
    assert b"follow me" in path.read_bytes()
    assert b"follow me" not in made.path.read_bytes()
    with av.open(str(made.path)) as container:
        assert len(container.streams.audio) <= 1


def test_a_recording_that_starts_between_key_pictures_starts_at_the_next(
    cell: DecodingCell, tmp_path: Path
) -> None:
    path = write_kind(tmp_path / "video", "HLS", seconds=3.0)
    stored = path.read_bytes()
    path.write_bytes(stored[len(stored) // TS_PACKET // 5 * TS_PACKET :])
    made = cell.make_playable(path, tmp_path / "playable.mp4")
    assert_plays_everywhere(made, has_sound=True)
    assert 1.0 <= made.probe.duration < 2.6
    assert len(scan(made.path).samples) == pytest.approx(8 * made.probe.duration, abs=1)


def test_a_rotated_video_stays_upright(
    cell: DecodingCell, render_film: RenderFilm, tmp_path: Path
) -> None:
    turned = rotated(render_film(1), tmp_path / "turned.mp4")
    made = cell.make_playable(turned, tmp_path / "playable.mp4")
    assert made.method is PlayableMethod.REMUXED
    assert (made.probe.width, made.probe.height) == (HEIGHT, WIDTH)
    assert_same_picture(turned, made.path)


def test_a_rotated_video_that_is_encoded_again_is_stored_upright(
    cell: DecodingCell, tmp_path: Path
) -> None:
    # 97 × 65, which libx264 takes as 4:4:4 only.
    pictures = [Film(1).at(n / 25)[:65, :97] for n in range(30)]
    turned = rotated(encode(tmp_path / "odd.mp4", pictures), tmp_path / "turned.mp4")
    made = cell.make_playable(turned, tmp_path / "playable.mp4")
    assert made.method is PlayableMethod.TRANSCODED
    assert (made.probe.width, made.probe.height, made.probe.rotation) == (64, 96, 0)
    assert_same_picture(turned, made.path)


@pytest.mark.parametrize(("side", "method"), [(180, "remuxed"), (179, "transcoded")])
def test_pixels_that_are_not_square_show_the_same_shape(
    side: int, method: str, cell: DecodingCell, tmp_path: Path
) -> None:
    pictures = [Film(1).at(n / 25)[:side] for n in range(30)]
    wide = encode(tmp_path / "wide.mp4", pictures, sample_aspect=Fraction(4, 3))
    made = cell.make_playable(wide, tmp_path / "playable.mp4")
    assert made.method == method
    assert made.probe.width == pytest.approx(WIDTH * 4 / 3, abs=1.5)
    assert made.probe.aspect == pytest.approx(probe(wide).aspect, abs=0.02)


@pytest.mark.parametrize(
    ("size", "fps", "seconds", "expected"),
    [
        ((1281, 721), 25, 20, (1280, 720, 60)),
        ((3840, 2160), 25, 6, (1920, 1080, 60)),
        ((2160, 3840), 25, 6, (1080, 1920, 60)),
        ((1920, 1080), 25, 40, (1920, 1080, 60)),
        ((1920, 1080), 60, 60, (1280, 720, 30)),
    ],
)
def test_what_is_encoded_again_is_bounded(
    size: tuple[int, int], fps: int, seconds: int, expected: tuple[int, int, int]
) -> None:
    """So that the longest video that is accepted is encoded in the time that a file has."""
    width, height = size
    seen = Probe(seconds, width, height, fps, 0, 1.0, "vp9", 1, 1, False, fps * seconds)
    assert (*output_size(seen), max_fps(seen)) == expected


def test_times_that_jump_back_cost_no_picture(cell: DecodingCell, tmp_path: Path) -> None:
    one = write_kind(tmp_path / "one", "HLS").read_bytes()
    path = tmp_path / "twice.ts"
    path.write_bytes(one + one)
    made = cell.make_playable(path, tmp_path / "playable.mp4")
    assert_plays_everywhere(made, has_sound=True)
    assert made.probe.frames >= 55


def test_progress_is_reported(cell: DecodingCell, tmp_path: Path) -> None:
    path = write_kind(tmp_path / "video", "HLS", seconds=3.0)
    parts: list[float] = []
    cell.make_playable(path, tmp_path / "playable.mp4", parts.append)
    assert parts
    assert all(0 <= part <= 1 for part in parts)


def test_a_damaged_file_is_refused_for_itself(cell: DecodingCell, tmp_path: Path) -> None:
    whole = write_kind(tmp_path / "whole", "MP4 with its index last")
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(VideoUnreadable) as refusal:
        cell.make_playable(cut, tmp_path / "playable.mp4")
    assert refusal.value.reason is UnreadableReason.NOT_A_VIDEO
    assert cell.make_playable(whole, tmp_path / "playable.mp4").method == "remuxed"


def test_a_truncated_file_is_stored_with_its_true_length(
    cell: DecodingCell, tmp_path: Path
) -> None:
    whole = write_kind(tmp_path / "whole", "MP4 with its index last", seconds=3.0)
    made = cell.make_playable(whole, tmp_path / "front.mp4")
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(made.path.read_bytes()[: made.probe.size * 2 // 3])
    repaired = cell.make_playable(cut, tmp_path / "playable.mp4")
    assert repaired.method is PlayableMethod.REMUXED
    with av.open(str(repaired.path)) as container:
        assert (container.duration or 0) / av.time_base < 2.9


def test_a_full_disk_says_nothing_about_the_file(cell: DecodingCell, tmp_path: Path) -> None:
    with pytest.raises(OutputUnwritable, match="No space left"):
        cell.make_playable(write_kind(tmp_path / "video", "HLS"), Path("/dev/full"))


def test_an_output_has_a_limit_of_size_and_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_kind(tmp_path / "video", "HLS")
    slow = DecodeLimits(max_wall_seconds=0)
    with pytest.raises(VideoUnreadable) as refusal:
        make_here(path, tmp_path / "out.mp4", slow)
    assert refusal.value.reason is UnreadableReason.TOO_SLOW
    monkeypatch.setattr(output_module, "MAX_OUTPUT_BYTES", 1000)
    with pytest.raises(VideoUnreadable) as refusal:
        make_here(path, tmp_path / "out.mp4")
    assert refusal.value.reason is UnreadableReason.TOO_LARGE


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"playable": "magic", "size": 1},
        {"playable": "remuxed"},
        {"playable": "remuxed", "size": 0},
        {"playable": "remuxed", "size": 101},
        {"playable": "remuxed", "size": "10"},
    ],
)
def test_a_cell_that_lies_about_its_output_is_not_believed(answer: dict[str, object]) -> None:
    with pytest.raises(AnswerInvalid):
        read_playable(answer, written=100)


def assert_same_picture(a: Path, b: Path) -> None:
    first: tuple[Still, Still] = scan(a, [0.5]).stills[0], scan(b, [0.5]).stills[0]
    shapes = [still.image.shape for still in first]
    height, width = (min(shape[n] for shape in shapes) for n in (0, 1))
    before, after = (still.image[:height, :width].astype(int) for still in first)
    assert abs(before - after).mean() < 12
