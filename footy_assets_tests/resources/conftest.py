from collections.abc import Iterator

import pytest

from footy_assets.sim.loopback import Loopback
from footy_assets.sim.social.server import SocialServer
from footy_assets_tests.resources.fans import post, show
from footy_assets_tests.resources.fans import site as make_site
from footy_assets_tests.resources.internet import Internet


@pytest.fixture(scope="module")
def site() -> Iterator[SocialServer]:
    """A site with one post, for tests that do not change its posts."""
    with make_site() as running:
        show(running, [post(1)])
        yield running


@pytest.fixture(scope="module")
def served_internet() -> Iterator[Internet]:
    internet = Internet()
    running = Loopback(internet.app(), ("127.0.0.1", 0))
    internet.port = running.address[1]
    yield internet
    running.stop()


@pytest.fixture
def internet(served_internet: Internet) -> Internet:
    served_internet.reset()
    return served_internet
