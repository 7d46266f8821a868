"""From a post until a search finds it in our own store, site by site.

Bluesky: a live stream of a simulated Jetstream at its real speed. r/soccer and a Telegram channel:
simulated sites over HTTP, read by the loop of `footy listen` on a clock that runs faster, so that
what the work itself takes counts as many times over. MongoDB is real.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

from pymongo.database import Database

from benchmarks.figures import Row, add_output_options, log_progress, machine, publish, table
from benchmarks.jetstream import live_latency
from benchmarks.meters import p50, p95
from footy_assets.clock import ScaledClock
from footy_assets.logs import configure_logs
from footy_assets.search.keep_feeds import FeedKeeper
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.settings import settings_of
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.soccer_server import FEED, SoccerServer
from footy_assets.sim.social.telegram_server import TelegramServer
from footy_assets.store.collections import HEARD_POSTS, Document, ensure_indexes
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_feeds import SiteFeeds
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect
from resources.sites.connection import open_sites
from resources.sites.feeds import open_feeds

STARTS_AT = datetime(2026, 9, 12, 15, tzinfo=UTC)
TITLE = "Fulham 1 - [2] Everton - Iliman Ndiaye 67'"
QUERY = GoalQuery(("Ndiaye",), ("Everton",))
LOOK_SECONDS = 0.05
# Seconds within which 95 of 100 posts must be found.
ALLOWED = {"bluesky": 5.0, "reddit": 65.0, "telegram": 65.0}
COLUMNS = {
    "site": "site",
    "posts": "posts",
    "not found": "not found",
    "p50": "s, p50",
    "p95": "s, p95",
    "most": "s, most",
    "requests": "requests",
    "allowed": "s allowed, p95",
}


def main() -> int:
    configure_logs("error")
    arguments = _arguments()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-candidate-")))
        mongo = stack.enter_context(embedded_mongo(folder))
        database = stack.enter_context(connect(mongo.uri, "candidate"))
        ensure_indexes(database)
        rows = [_of_stream(database)]
        log_progress("Bluesky is measured")
        rows += of_feeds(database, arguments.minutes, arguments.posts, arguments.speed)
    note = (
        f"{machine()} Feeds: {arguments.posts} posts in {arguments.minutes:g} min, a clock "
        f"{arguments.speed:g} times as fast."
    )
    publish("post_to_candidate", {"rows": rows}, [note, table(rows, COLUMNS)], arguments)
    good = all(not row["not found"] and row["p95"] < row["allowed"] for row in rows)
    return 0 if good else 1


def _of_stream(database: Database[Document]) -> Row:
    found = live_latency(database)
    posts = database[HEARD_POSTS].count_documents({})
    return {
        "site": "bluesky",
        "posts": posts,
        "not found": found["live posts not found"],
        "p50": found["latency s, p50"],
        "p95": found["latency s, p95"],
        "most": found["latency s, most"],
        "requests": 0,
        "allowed": ALLOWED["bluesky"],
    }


def of_feeds(database: Database[Document], minutes: float, count: int, speed: float) -> list[Row]:
    """A post counts as found when a search returns it; searches send no request."""
    clock = ScaledClock(STARTS_AT, speed, time.time())
    ends = STARTS_AT + timedelta(minutes=minutes)
    numbers = random.Random(7)
    # MongoDB keeps milliseconds.
    times = (numbers.randrange(round(minutes * 60_000)) for _ in range(count))
    posts = [_post(n, STARTS_AT + timedelta(milliseconds=at)) for n, at in enumerate(times)]
    seen: dict[tuple[str, datetime], datetime] = {}

    def is_over() -> bool:
        return len(seen) == 2 * count or clock.now() > ends + timedelta(minutes=5)

    with ExitStack() as stack:
        soccer = stack.enter_context(SoccerServer(lambda now: posts, clock))
        telegram = stack.enter_context(TelegramServer(lambda now: posts, clock))
        telegram.quiet_channels.add("goals")
        settings = settings_of(
            sites=("reddit", "telegram"),
            reddit_url=soccer.url,
            telegram_url=telegram.url,
            telegram_channels=("goals",),
            clip_hosts=("127.0.0.1=streamin", "localhost=streamain"),
        )
        shared = settings, clock, SharedRateLimit(database), SiteFeeds(database)
        feeds = stack.enter_context(open_feeds(*shared))
        sites = stack.enter_context(open_sites(*shared))

        def look() -> None:
            while not is_over():
                for site in sites:
                    found = site.search(QUERY, Window(STARTS_AT), _ignore).posts
                    now = clock.now()
                    for post in found:
                        seen.setdefault((site.name, post.posted_at), now)
                time.sleep(LOOK_SECONDS)

        for feed in feeds:
            feed.keep_fresh(STARTS_AT)
        searcher = Thread(target=look, daemon=True)
        searcher.start()
        FeedKeeper(feeds, lambda: True, clock).run(is_over)
        searcher.join()
        requests = {
            "reddit": len(soccer.requests_to(FEED)),
            "telegram": len(telegram.requests_to("/s/")),
        }
    return [_row(site, posts, seen, number) for site, number in requests.items()]


def _row(
    site: str, posts: list[SimPost], seen: dict[tuple[str, datetime], datetime], requests: int
) -> Row:
    waits = [
        (seen[site, post.posted_at] - post.posted_at).total_seconds()
        for post in posts
        if (site, post.posted_at) in seen
    ]
    measured: dict[str, Callable[[list[float]], float]] = {"p50": p50, "p95": p95, "most": max}
    return {
        "site": site,
        "posts": len(posts),
        "not found": len(posts) - len(waits),
        **{name: round(measure(waits), 1) for name, measure in measured.items()},
        "requests": requests,
        "allowed": ALLOWED[site],
    }


def _post(number: int, at: datetime) -> SimPost:
    sites = frozenset({"reddit", "telegram"})
    return SimPost(f"{number:x}", TITLE, "goals", at, video="film", duration=20, sites=sites)


def _ignore(text: str) -> None:
    """Ignores progress messages."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.post_to_candidate", description=__doc__
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="how long fans post")
    parser.add_argument("--posts", type=int, default=200)
    parser.add_argument("--speed", type=float, default=20.0, help="of the clock of the feeds")
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
