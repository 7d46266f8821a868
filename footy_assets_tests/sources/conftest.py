"""A second provider and a page of scores beside the main one, on loopback."""

from collections.abc import Iterator

import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import World
from footy_assets.sim.more_sources import MoreSources, Trouble
from footy_assets.sim.seen_through import LensServer


@pytest.fixture(scope="session")
def shared_more(world: World) -> Iterator[MoreSources]:
    with MoreSources(world, ManualClock(world.starts_at)) as running:
        yield running


@pytest.fixture
def more(shared_more: MoreSources, world: World, clock: ManualClock) -> MoreSources:
    shared_more.world, shared_more.clock = world, clock
    shared_more.football_data, shared_more.page = Trouble(), Trouble()
    return shared_more


@pytest.fixture
def main(world: World, clock: ManualClock) -> Iterator[LensServer]:
    with LensServer(world, clock) as running:
        yield running
