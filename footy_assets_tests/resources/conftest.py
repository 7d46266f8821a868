from collections.abc import Iterator

import pytest

from footy_assets.sim.social.server import SocialServer
from footy_assets_tests.resources.fans import post, show
from footy_assets_tests.resources.fans import site as make_site


@pytest.fixture(scope="module")
def site() -> Iterator[SocialServer]:
    """A site with one post, for tests that do not change its posts."""
    with make_site() as running:
        show(running, [post(1)])
        yield running
