"""Encodes decoded pictures as H.264 and decoded sound as AAC, on one thread."""

from collections.abc import Iterator
from fractions import Fraction

import av
import numpy as np
from av import AudioFrame, VideoFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.filter import Graph
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import ColorRange

from footy_assets.media.probe import Probe

TICKS = 90_000
# What is encoded at most. A file with more pixels than 40 s of 1080p at 25 pictures a second would
# take longer than a file may, and becomes 720p at 30.
SHORT_EDGE, MAX_FPS = 1080, 60
MANY_PIXELS = 1920 * 1080 * 25 * 40
SHORT_EDGE_OF_MANY, MAX_FPS_OF_MANY = 720, 30
KEY_PICTURE_SECONDS = 2
# `threads`: a confined process can start none. The rate bounds the size: 60 MB a minute.
X264 = {
    "preset": "veryfast",
    "crf": "21",
    "maxrate": "8M",
    "bufsize": "16M",
    "threads": "1",
    "x264-params": "sync-lookahead=0:lookahead-threads=1",
}
SOUND_RATE, SOUND_BITRATE, SOUND_FRAME = 48_000, 128_000, 1024
# Silence that is kept, so that what follows stays with its pictures.
GAP_SECONDS = 0.2


def output_size(probe: Probe) -> tuple[int, int]:
    """Upright, square pixels, even."""
    short, long = sorted((probe.width, probe.height))
    edge = SHORT_EDGE_OF_MANY if _has_many_pixels(probe) else SHORT_EDGE
    shrink = min(1.0, edge / short, edge * 16 / 9 / long)
    width, height = (max(2, 2 * round(side * shrink / 2)) for side in (probe.width, probe.height))
    return width, height


def max_fps(probe: Probe) -> int:
    return MAX_FPS_OF_MANY if _has_many_pixels(probe) else MAX_FPS


def _has_many_pixels(probe: Probe) -> bool:
    return probe.width * probe.height * probe.frames > MANY_PIXELS


class PictureEncoder:
    """Takes pictures with their seconds, and muxes them into a container."""

    def __init__(self, container: OutputContainer, probe: Probe, source: VideoCodecContext) -> None:
        self._container, self._rotation = container, probe.rotation
        self._size = output_size(probe)
        fps = min(max(probe.fps, 1.0), max_fps(probe))
        self._interval = round(TICKS / fps)
        # Pictures of a variable rate may follow each other faster than they do on average.
        self._shortest = TICKS / max_fps(probe)
        self._last = -1
        self._shift = 0
        self._stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        self._stream.width, self._stream.height = self._size
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = dict(X264)
        context = self._stream.codec_context
        context.time_base = Fraction(1, TICKS)
        context.gop_size = max(1, round(fps * KEY_PICTURE_SECONDS))
        context.color_range = ColorRange.MPEG
        context.colorspace = source.colorspace
        context.color_primaries = source.color_primaries
        context.color_trc = source.color_trc

    def add(self, frame: VideoFrame, seconds: float) -> None:
        at = round(seconds * TICKS) + self._shift
        if at <= self._last:
            # The file's times jump back: its pictures follow each other all the same.
            self._shift += self._last + self._interval - at
            at = self._last + self._interval
        elif self._last >= 0 and at - self._last < 0.9 * self._shortest:
            return
        picture = self._converted(frame)
        picture.pts, picture.time_base, self._last = at, Fraction(1, TICKS), at
        self._container.mux(self._stream.encode(picture))

    def finish(self) -> None:
        self._container.mux(self._stream.encode())

    def _converted(self, frame: VideoFrame) -> VideoFrame:
        sideways = self._rotation in (90, 270)
        width, height = reversed(self._size) if sideways else self._size
        picture = frame.reformat(
            width, height, "yuv420p", dst_color_range=ColorRange.MPEG, threads=1
        )
        if not self._rotation:
            # A frame that needed no conversion is the decoder's own, with its kind of picture.
            picture.pict_type = av.video.frame.PictureType.NONE
            return picture
        image = picture.to_ndarray()
        planes = np.split(image.reshape(-1), [width * height, width * height * 5 // 4])
        shapes = [(height, width), (height // 2, width // 2), (height // 2, width // 2)]
        upright = [
            np.rot90(plane.reshape(shape), self._rotation // 90).reshape(-1)
            for plane, shape in zip(planes, shapes, strict=True)
        ]
        turned = np.concatenate(upright).reshape(-1, self._size[0])
        return VideoFrame.from_ndarray(np.ascontiguousarray(turned), format="yuv420p")


class SoundEncoder:
    """Takes sound with the seconds of its first sample, and muxes it as stereo AAC."""

    def __init__(self, container: OutputContainer) -> None:
        self._container = container
        self._stream: AudioStream = container.add_stream("aac", rate=SOUND_RATE, layout="stereo")
        self._stream.bit_rate = SOUND_BITRATE
        self._graph: Graph | None = None
        self._form: tuple[str, str, int] | None = None
        self._next = 0
        self._heard_until = 0.0

    @property
    def is_empty(self) -> bool:
        return self._graph is None

    def add(self, frame: AudioFrame, seconds: float) -> None:
        form = frame.format.name, frame.layout.name, frame.sample_rate
        if self._graph is None:
            self._graph, self._form = _resampling(*form), form
            self._next = max(0, round(seconds * SOUND_RATE))
        elif form != self._form:
            return
        elif seconds - self._heard_until > GAP_SECONDS:
            self._next += round((seconds - self._heard_until) * SOUND_RATE)
        self._heard_until = seconds + frame.samples / frame.sample_rate
        frame.pts = None
        self._graph.push(frame)
        self._encode(self._graph)

    def finish(self) -> None:
        if self._graph is not None:
            self._graph.push(None)
            self._encode(self._graph)
            self._container.mux(self._stream.encode())

    def _encode(self, graph: Graph) -> None:
        for frame in _pulled(graph):
            frame.pts, frame.time_base = self._next, Fraction(1, SOUND_RATE)
            self._next += frame.samples
            self._container.mux(self._stream.encode(frame))


def _resampling(sample_format: str, layout: str, rate: int) -> Graph:
    """As `av.AudioResampler`, which starts threads."""
    graph = Graph()
    graph.threads = 1
    graph.link_nodes(
        graph.add_abuffer(sample_rate=rate, format=sample_format, layout=layout),
        graph.add(
            "aformat",
            sample_rates=str(SOUND_RATE),
            sample_fmts="fltp",
            channel_layouts="stereo",
        ),
        graph.add("abuffersink"),
    ).configure()
    graph.set_audio_frame_size(SOUND_FRAME)
    return graph


def _pulled(graph: Graph) -> Iterator[AudioFrame]:
    while True:
        try:
            frame = graph.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
        assert isinstance(frame, AudioFrame)
        yield frame
