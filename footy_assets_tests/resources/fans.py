"""Posts for tests, and the site that shows them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from footy_assets.clock import ManualClock
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social import SimPost, SocialServer

NOW = datetime(2025, 5, 10, 15, 30, tzinfo=UTC)
QUERY = GoalQuery(("Salah", "Mohamed"), ("Liverpool", "LFC"))
BOTH = frozenset({"x", "bluesky"})


def ago(**time: float) -> datetime:
    return NOW - timedelta(**time)


def window(**time: float) -> Window:
    return Window(ago(**(time or {"minutes": 5})))


def post(number: int, seconds_ago: float = 60, **changes: Any) -> SimPost:
    values: dict[str, Any] = {
        "id": str(1_900_000_000 + number),
        "text": f"GOAL! Salah for Liverpool, take {number}",
        "author": f"fan{number}",
        "posted_at": ago(seconds=seconds_ago),
        "video": f"film{number}",
        "duration": 12.5,
        "sites": BOTH,
        "likes": 10,
        "reposts": 3,
        "views": 1_000,
    }
    return SimPost(**values | changes)


def post_series(count: int, seconds_apart: float = 1.0) -> list[SimPost]:
    """This many posts, newest first."""
    return [post(1_000 - n, seconds_ago=1 + n * seconds_apart) for n in range(count)]


def show(site: SocialServer, posts: Iterable[SimPost]) -> None:
    visible = list(posts)
    site.posts = lambda now: visible


def site() -> SocialServer:
    return SocialServer(lambda now: [], ManualClock(NOW))


def ignore(text: str) -> None:
    """Ignores progress messages."""
