"""The median of a few images, pixel by pixel."""

from collections.abc import Sequence

import numpy as np

from footy_assets.media.ocr import Image


def median_image(images: Sequence[Image]) -> Image:
    """Of an even number the higher of the two in the middle. A network of minima and maxima, which
    takes a tenth of `np.median`'s time."""
    rows = [np.array(image) for image in images]
    for end in range(len(rows) - 1, (len(rows) - 1) // 2 - 1, -1):
        for number in range(end):
            one, other = rows[number], rows[number + 1]
            rows[number] = np.minimum(one, other)
            np.maximum(one, other, out=other)
    return np.asarray(rows[len(rows) // 2], np.uint8)
