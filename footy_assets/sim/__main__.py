"""Run the simulated provider by itself: `python -m footy_assets.sim --speed 60`."""

import argparse
import signal
import sys
import time
from datetime import date
from threading import Event

from footy_assets.clock import ScaledClock
from footy_assets.sim.plans import FREE_PLAN, PAID_PLAN
from footy_assets.sim.server import SimServer
from footy_assets.sim.world import make_world


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footy_assets.sim", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--date", type=date.fromisoformat, default=date(2025, 5, 10))
    parser.add_argument("--speed", type=float, default=60.0, help="simulated seconds per second")
    parser.add_argument("--matches", type=int, help="that many ordinary matches instead")
    parser.add_argument("--key", help="require this x-apisports-key")
    parser.add_argument("--free-plan", action="store_true", help="only what the free plan allows")
    arguments = parser.parse_args()

    stopped = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stopped.set())

    world = make_world(arguments.seed, arguments.date, arguments.matches)
    clock = ScaledClock(world.starts_at, arguments.speed, time.time())
    with SimServer(
        world,
        clock,
        host=arguments.host,
        port=arguments.port,
        key=arguments.key,
        plan=FREE_PLAN if arguments.free_plan else PAID_PLAN,
    ) as server:
        sys.stdout.write(f"{server.url}\n{clock.spec()}\n")
        sys.stdout.flush()
        stopped.wait()


if __name__ == "__main__":
    main()
