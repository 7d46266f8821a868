"""D5: which of several files of a video is fetched."""

from collections.abc import Sequence
from dataclasses import dataclass

WANTED_HEIGHT = 1080
MAX_SIZE = 100_000_000


@dataclass(frozen=True, slots=True)
class Rendition:
    """One file of a video: pixels, bits a second, bytes. None is unknown."""

    url: str
    width: int | None = None
    height: int | None = None
    bitrate: int | None = None
    size: int | None = None

    @property
    def short_edge(self) -> int | None:
        """Which is the height, unless the video is portrait."""
        return min(self.width, self.height) if self.width and self.height else self.height

    def estimated_size(self, duration: float | None) -> int | None:
        if self.size is None and self.bitrate and duration:
            return round(self.bitrate * duration / 8)
        return self.size


@dataclass(frozen=True, slots=True)
class RenditionLimits:
    """The height that is wanted, and the bytes that a download may have."""

    height: int = WANTED_HEIGHT
    max_size: int = MAX_SIZE


def choose_rendition(
    renditions: Sequence[Rendition], duration: float | None, limits: RenditionLimits
) -> Rendition | None:
    """D5: of those within the size limit, the highest up to the wanted height; if all are higher,
    the lowest. If none is within the size limit, the smallest, which is then refused or cut off.
    """
    if not renditions:
        return None
    sizes = {one: one.estimated_size(duration) for one in renditions}
    fitting = [one for one, size in sizes.items() if size is None or size <= limits.max_size]
    if not fitting:
        return min(renditions, key=lambda one: sizes[one] or 0)
    low_enough = [one for one in fitting if (one.short_edge or 0) <= limits.height]
    if low_enough:
        return max(low_enough, key=_quality)
    return min(fitting, key=_quality)


def _quality(rendition: Rendition) -> tuple[int, int, int]:
    return rendition.short_edge or 0, rendition.bitrate or 0, rendition.size or 0
