from typing import Any

import pytest

from footy_assets.clip_limits import ClipRules
from footy_assets.clips.batch import is_known_from_post


@pytest.mark.parametrize(
    ("stated", "reason", "known"),
    [
        ({"duration": 80.0}, "too_long", True),
        ({"duration": 20.0}, "too_long", False),
        ({"duration": 80.0}, "not_football", False),
        ({"width": 720, "height": 1280}, "portrait", True),
        ({"aspect": 0.5}, "portrait", True),
        ({"size": 11}, "too_large", True),
        ({"size": 10}, "too_large", False),
        # Stored by a version that kept none of these.
        ({}, "too_small", False),
    ],
)
def test_se6_a_refusal_that_the_post_had_announced_is_known(
    stated: dict[str, Any], reason: str, known: bool
) -> None:
    assert is_known_from_post(stated, reason, ClipRules(max_size=10)) is known
