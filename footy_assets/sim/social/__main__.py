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

EVERY = timedelta(seconds=30)
SHOWN = 60
BOTH = frozenset({"x", "bluesky"})


def fan_posts(now: datetime) -> list[SimPost]:
    """A post each half minute of the last half hour, every tenth of them an ad."""
    tick = int(now.timestamp() // EVERY.total_seconds())
    return [
        SimPost(
            id=str(n),
            text=f"GOAL! Salah scores for Liverpool ({n})",
            author=f"fan{n % 7}",
            posted_at=datetime.fromtimestamp(n * EVERY.total_seconds(), now.tzinfo),
            video="film",
            duration=8.0 + n % 20,
            sources=BOTH,
            likes=n % 100,
            is_ad=n % 10 == 0,
        )
        for n in range(tick - SHOWN, tick + 1)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m footy_assets.sim.social", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--password", default="sesame")
    parser.add_argument("--film", type=Path, help="the mp4 that all posts show")
    asked = parser.parse_args()

    over = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: over.set())

    with SocialServer(
        fan_posts,
        SystemClock(),
        films=lambda film_id: Film(asked.film) if asked.film else None,
        host=asked.host,
        port=asked.port,
        password=asked.password,
    ) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        over.wait()


if __name__ == "__main__":
    main()
