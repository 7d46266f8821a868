"""V3: notices that a clip was mirrored, by a clock that reads only in a mirror."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footy_assets.media.clock_text import parse_times
from footy_assets.media.decode import Still
from footy_assets.media.ocr import TextReader
from footy_assets.media.text_regions import TextRegion, crop

# Texts that stay are looked at, the likeliest first.
MAX_LOOKED_AT = 6


def mirrored(stills: Sequence[Still]) -> list[Still]:
    return [replace(one, image=np.ascontiguousarray(one.image[:, ::-1])) for one in stills]


def shows_mirrored_time(
    stills: Sequence[Still], regions: Sequence[TextRegion], reader: TextReader
) -> bool:
    """Whether a text that is none as it stands is a clear time in a mirror. It costs a few short
    lines of OCR."""
    if not stills or any(region.shows_clear_time for region in regions):
        return False
    image = stills[len(stills) // 2].image
    staying = [region for region in regions if region.seen_in > 1][:MAX_LOOKED_AT]
    lines = reader.recognize(
        [np.ascontiguousarray(crop(image, region.box)[:, ::-1]) for region in staying]
    )
    return any(time.clear for line in lines for time in parse_times(line.text))
