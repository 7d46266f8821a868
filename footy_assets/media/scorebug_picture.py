"""V5: the part of the picture in which clock, names and score were read, for people to check."""

from collections.abc import Sequence

import cv2
import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.frame_assessment import nearest
from footy_assets.media.mirrored_text import mirrored
from footy_assets.media.ocr import Image, TextBox, surround
from footy_assets.media.screen_text import ScreenText

# Around the texts, in parts of the height of all of them.
MARGIN = 0.5
# The same picture twice would only be larger.
MAX_MOMENTS = 2


def text_box_of(shown: ScreenText) -> TextBox | None:
    """Around all that was read; None if nothing was."""
    clock = shown.clock.region if shown.clock.minutes else None
    boxes = [box for box in (clock, shown.scorebug.box) if box is not None]
    return surround(boxes) if boxes else None


def moments_of(shown: ScreenText) -> tuple[float, ...]:
    """Seconds of the clip at which the texts stand there: of each score the last, or of the clock
    the middle reading."""
    scores = [score.last for score in shown.scorebug.scores]
    if scores:
        return tuple(scores[:MAX_MOMENTS])
    readings = [reading.seconds for reading in shown.clock.frames]
    return (readings[len(readings) // 2],) if readings else ()


def draw_scorebug(
    stills: Sequence[Still],
    box: TextBox | None,
    moments: Sequence[float],
    *,
    is_mirrored: bool = False,
) -> bytes:
    """A JPEG of that part of the stills at these moments, one below the other; empty if nothing
    was read. Stills of a mirrored clip are mirrored back."""
    if box is None or not stills:
        return b""
    margin = round(MARGIN * box.height)
    top, left = max(0, box.top - margin), max(0, box.left - margin)
    pictures = [
        _image(nearest(stills, seconds), is_mirrored)[
            top : box.bottom + margin, left : box.right + margin
        ]
        for seconds in moments or (stills[len(stills) // 2].seconds,)
    ]
    _, encoded = cv2.imencode(".jpg", np.vstack(pictures), [cv2.IMWRITE_JPEG_QUALITY, 88])
    return encoded.tobytes()


def _image(still: Still, is_mirrored: bool) -> Image:
    return mirrored([still])[0].image if is_mirrored else still.image
