"""H1: the baseline hash, for interchange with older stores.

`dense:0.25:`, then one 64-bit dHash in hex for each quarter second, separated by commas.
"""

import imagehash
from PIL import Image, ImageOps

from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray

INTERVAL = 0.25
PREFIX = f"dense:{INTERVAL}:"
# Brightness of a black, white or one-coloured frame varies by less than this.
FLAT_DEVIATION = 4.0
# What dHash makes of a flat frame anyway; readers that do not know the rule still parse it.
FLAT_HASH = "0" * 16


def dense_string(samples: Gray) -> str:
    """H1: a frame each 0.25 s, histogram equalised, 9×8 gray, dHash. Flat frames are zero."""
    every = round(INTERVAL * SAMPLES_PER_SECOND)
    return PREFIX + ",".join(_frame_hash(sample) for sample in samples[::every])


def _frame_hash(sample: Gray) -> str:
    if float(sample.std()) < FLAT_DEVIATION:
        return FLAT_HASH
    picture = ImageOps.equalize(Image.fromarray(sample))
    return str(imagehash.dhash(picture, hash_size=8))
