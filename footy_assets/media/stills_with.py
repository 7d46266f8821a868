"""The stills of a clip that show its scorebug."""

from collections.abc import Collection, Sequence

import numpy as np

from footy_assets.media.decode import Still
from footy_assets.media.ocr import Image, TextBox

# A still shows the bug if its anchor looks at least this much like the reference.
MIN_LIKENESS = 0.55


def stills_with(
    stills: Sequence[Still], anchor: Sequence[TextBox], known: Collection[float]
) -> list[Still]:
    """The stills that show the anchor: they look there like most of the others, or it is known."""
    looks = np.array([_look(still.image, anchor) for still in stills], np.float64)
    looks -= looks.mean(axis=1, keepdims=True)
    looks /= np.linalg.norm(looks, axis=1, keepdims=True) + 1e-9
    alike = looks @ looks.T
    reference = alike[int(np.median(alike, axis=1).argmax())]
    return [
        still
        for still, like in zip(stills, reference, strict=True)
        if like >= MIN_LIKENESS or still.seconds in known
    ]


def _look(image: Image, boxes: Sequence[TextBox]) -> Image:
    crops = (image[box.top : box.bottom, box.left : box.right] for box in boxes)
    return np.concatenate([crop.mean(axis=2).ravel() for crop in crops])
