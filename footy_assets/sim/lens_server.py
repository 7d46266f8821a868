"""API-Football with late, frozen or invented data."""

from datetime import datetime

from footy_assets.clock import Clock
from footy_assets.sim.feed import Json
from footy_assets.sim.lens import Lens
from footy_assets.sim.provider import Provider
from footy_assets.sim.server import SimServer
from footy_assets.sim.world import World


class LensProvider(Provider):
    def __init__(self, world: World, lens: Lens) -> None:
        super().__init__(world)
        self.lens = lens

    def fixture(self, fixture_id: int, now: datetime, events: bool = True) -> Json | None:
        found = super().fixture(fixture_id, self.lens.time(now), events)
        return None if found is None else self.lens.apply(found)


class LensServer(SimServer):
    """API-Football whose `lens` delays, freezes or falsifies its data."""

    def __init__(self, world: World, clock: Clock, lens: Lens | None = None) -> None:
        super().__init__(world, clock)
        self.lens = lens or Lens()
        self._provider = LensProvider(world, self.lens)
