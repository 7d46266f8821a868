"""The median of images."""

import numpy as np
import pytest

from footy_assets.media.median_image import median_image


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 15])
def test_it_is_the_middle_of_the_sorted_pixels(count: int) -> None:
    images = np.random.default_rng(count).integers(0, 256, (count, 9, 7, 3)).astype(np.uint8)
    before = images.copy()
    assert (median_image(list(images)) == np.sort(images, axis=0)[count // 2]).all()
    assert (images == before).all()
