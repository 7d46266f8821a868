"""Run the simulated site by itself: `python -m footy_assets.sim.social`.

Prints its address; any name and the password log in. Without films the videos are missing.
"""

import argparse
import signal
import sys
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event

from footy_assets.clock import SystemClock
from footy_assets.sim.social.media import Film
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.server import SocialServer

POST_INTERVAL = timedelta(seconds=30)
POST_COUNT = 60
BOTH = frozenset({"x", "bluesky"})


def fan_posts(now: datetime) -> list[SimPost]:
    """A post each half minute of the last half hour, every tenth of them an ad."""
    tick = int(now.timestamp() // POST_INTERVAL.total_seconds())
    return [
        SimPost(
            id=str(n),
            text=f"GOAL! Salah scores for Liverpool ({n})",
            author=f"fan{n % 7}",
            posted_at=datetime.fromtimestamp(n * POST_INTERVAL.total_seconds(), now.tzinfo),
            video="film",
            duration=8.0 + n % 20,
            sites=BOTH,
            likes=n % 100,
            is_ad=n % 10 == 0,
        )
        for n in range(tick - POST_COUNT, tick + 1)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footy_assets.sim.social", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--password", default="sesame")
    parser.add_argument("--film", type=Path, help="the mp4 that all posts show")
    arguments = parser.parse_args()

    stopped = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stopped.set())

    with SocialServer(
        fan_posts,
        SystemClock(),
        films=lambda film_id: Film(arguments.film) if arguments.film else None,
        host=arguments.host,
        port=arguments.port,
        password=arguments.password,
    ) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        stopped.wait()


if __name__ == "__main__":
    main()
