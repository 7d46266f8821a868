"""D6: when the original pictures of a transcoded video are kept beside its H.264."""

from dataclasses import dataclass

from footy_assets.media import Probe

# Differences below these come from rounding: even sizes, the time of the last picture.
CLEARLY_MORE = 1.05
SAME_LENGTH_SECONDS = 0.5
# A saving that is worth a second object.
CLEARLY_FEWER_BYTES = 0.8


@dataclass(frozen=True, slots=True)
class ClipRendition:
    """Another object of a clip: its pictures as they were posted. `codecs` is what a player must
    know to show it."""

    key: str
    codec: str
    codecs: str
    md5: str
    width: int
    height: int
    size: int

    @property
    def content_type(self) -> str:
        return rendition_type(self.codecs)


def rendition_type(codecs: str) -> str:
    """The content type by which a player decides whether to fetch it."""
    return f'video/mp4; codecs="{codecs}"'


def is_better_rendition(original: Probe, transcode: Probe, max_size: int | None) -> bool:
    """D6: more pixels or more pictures a second than the transcode, or the same in clearly fewer
    bytes; of the same length, and never beyond the size limit."""
    if max_size is not None and original.size > max_size:
        return False
    if abs(original.duration - transcode.duration) > SAME_LENGTH_SECONDS:
        return False
    pixels = original.width * original.height / (transcode.width * transcode.height)
    rate = original.fps / transcode.fps
    if min(pixels, rate) * CLEARLY_MORE < 1:
        return False
    if max(pixels, rate) > CLEARLY_MORE:
        return True
    return original.size <= CLEARLY_FEWER_BYTES * transcode.size
