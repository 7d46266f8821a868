"""A day of Bluesky's posts as fast as they can be read, with bursts and breaks: what is lost, and
what it costs.

The simulated Jetstream is another process; MongoDB is real. Then a live stream at its real speed:
how long from a post until a search finds it.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread

import psutil
from pymongo.database import Database

from benchmarks.figures import Row, add_output_options, log_progress, machine, publish, table
from benchmarks.meters import p50, p95
from footy_assets.clock import SystemClock
from footy_assets.logs import configure_logs
from footy_assets.search.listen import PostListener
from footy_assets.search.rules.heard import position_of
from footy_assets.search.rules.posts import Window
from footy_assets.search.store.heard_posts import HeardPosts
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.stream import Version, iso_time
from footy_assets.store.collections import HEARD_POSTS, Document, ensure_indexes
from resources.bluesky.jetstream import Jetstream
from resources.embedded.mongod import embedded_mongo
from resources.mongo.connection import connect

STARTS_AT = datetime(2026, 8, 15, tzinfo=UTC)
PER_SECOND, BURST_PER_SECOND, BURST_SECONDS = 50, 500, 60
BREAKS = 20
VIDEO_EVERY, DELETION_EVERY = 40, 500
SECOND = 1_000_000
HOUR_SECONDS = 3_600
# A minute of each hour is a burst.
PER_HOUR = (HOUR_SECONDS - BURST_SECONDS) * PER_SECOND + BURST_SECONDS * BURST_PER_SECOND
SAMPLE_SECONDS = 1.0
LOOK_SECONDS = 0.05
LIVE_SECONDS, LIVE_BURST_FROM, LIVE_BURST_UNTIL = 30, 10, 15
COLUMNS = {"figure": "figure", "value": "value"}


@dataclass(frozen=True)
class DayStream:
    """A `SimStream` whose messages follow from their numbers. With `live_from`, a message happens
    when its time has come."""

    messages: int
    starts_at: int
    live_from: float | None = None

    def position(self, number: int) -> int:
        if self.live_from is not None:
            return self.starts_at + _live_offset(number)
        hour, rest = divmod(number, PER_HOUR)
        burst = BURST_SECONDS * BURST_PER_SECOND
        if rest < burst:
            within = rest * SECOND // BURST_PER_SECOND
        else:
            within = BURST_SECONDS * SECOND + (rest - burst) * SECOND // PER_SECOND
        return self.starts_at + hour * HOUR_SECONDS * SECOND + within

    def message(self, number: int, version: Version) -> str | None:
        if number >= self.messages:
            return None
        at = self.position(number)
        if self.live_from is not None and time.time() * SECOND < at:
            return None
        time_text = iso_time(at)
        if number % DELETION_EVERY == DELETION_EVERY - 1:
            change = f'"operation":"delete","rkey":"{deleted_number(number)}"'
        else:
            embed = VIDEO_EMBED % number if number % VIDEO_EVERY == 0 else TEXT_EMBED
            change = (
                f'"operation":"create","rkey":"{number}","cid":"bafyrei{number}","record":'
                f'{{"$type":"app.bsky.feed.post","createdAt":"{time_text}","langs":["en"],{embed}'
                f'"text":"Number {number}: a goal for somebody, and what a goal it was!"}}'
            )
        commit = f'"rev":"3lgqvogx3fo2r","collection":"app.bsky.feed.post",{change}'
        did = f"did:plc:author{number % 9973}"
        if number % DELETION_EVERY == DELETION_EVERY - 1:
            did = f"did:plc:author{deleted_number(number) % 9973}"
        if version == 1:
            return f'{{"did":"{did}","time_us":{at},"kind":"commit","commit":{{{commit}}}}}'
        return (
            '{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit",'
            f'"did":"{did}","seq":{number + 1},"time":"{time_text}","witnessedAt":"{time_text}",'
            f"{commit}}}}}"
        )

    def first_at(self, position: int) -> int:
        low, high = 0, self.messages
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.position(middle) >= position else (middle + 1, high)
        return low

    def oldest(self) -> int:
        return self.starts_at

    def count(self) -> int:
        return self.messages

    def wait(self, seconds: float) -> None:
        time.sleep(0.002)


VIDEO_EMBED = (
    '"embed":{"$type":"app.bsky.embed.video","aspectRatio":{"height":480,"width":852},"video":'
    '{"$type":"blob","ref":{"$link":"bafkrei%d"},"mimeType":"video/mp4","size":11275957}},'
)
TEXT_EMBED = (
    '"embed":{"$type":"app.bsky.embed.external","external":{"uri":"https://example.com/a/page",'
    '"title":"A page","description":"What is written on this page, in a sentence or two."}},'
)


def deleted_number(number: int) -> int:
    """Which post a deletion is about: one with a video, a little before it."""
    return number // VIDEO_EVERY * VIDEO_EVERY - VIDEO_EVERY


def expected_ids(messages: int) -> set[str]:
    deletions = range(DELETION_EVERY - 1, messages, DELETION_EVERY)
    gone = {deleted_number(number) for number in deletions}
    numbers = (n for n in range(0, messages, VIDEO_EVERY) if n not in gone)
    return {f"did:plc:author{n % 9973}/{n}" for n in numbers}


def _live_offset(number: int) -> int:
    """50 a second, 500 a second within the burst."""
    before = LIVE_BURST_FROM * PER_SECOND
    burst = (LIVE_BURST_UNTIL - LIVE_BURST_FROM) * BURST_PER_SECOND
    if number < before:
        return number * SECOND // PER_SECOND
    if number < before + burst:
        return LIVE_BURST_FROM * SECOND + (number - before) * SECOND // BURST_PER_SECOND
    return LIVE_BURST_UNTIL * SECOND + (number - before - burst) * SECOND // PER_SECOND


def main() -> int:
    configure_logs("error")
    arguments = _arguments()
    messages, machine_note = round(arguments.hours * PER_HOUR), machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footy-jetstream-")))
        mongo = stack.enter_context(embedded_mongo(folder))
        database = stack.enter_context(connect(mongo.uri, "jetstream"))
        ensure_indexes(database)
        whole = replay(database, messages)
        database[HEARD_POSTS].delete_many({})
        live = live_latency(database)
    result: Row = {"machine": machine_note, "hours": arguments.hours, **whole, **live}
    rows = [{"figure": name, "value": value} for name, value in {**whole, **live}.items()]
    note = (
        f"{machine_note} {arguments.hours:g} h of posts: {PER_SECOND} a second, one minute of each "
        f"hour {BURST_PER_SECOND}, {BREAKS} breaks, one post in {VIDEO_EVERY} with a video."
    )
    publish("jetstream", result, [note, table(rows, COLUMNS)], arguments)
    good = not whole["posts lost"] and not whole["posts too many"] and live["latency s, p95"] < 5
    return 0 if good else 1


def replay(database: Database[Document], messages: int) -> Row:
    stream = DayStream(messages, position_of(STARTS_AT))
    last = stream.position(messages - 1)
    posts = HeardPosts(database, "replay")
    posts.advance(stream.starts_at, SystemClock().now(), {})
    memory: list[float] = []
    finished = Event()

    def sample() -> None:
        me = psutil.Process()
        while not finished.wait(SAMPLE_SECONDS):
            memory.append(me.memory_info().rss / 1e6)
            state = posts.state()
            if state is not None and state.position >= last:
                finished.set()

    with served(stream, [messages // (BREAKS + 1)] * BREAKS) as (url, server):
        listener = PostListener(posts, Jetstream([url]), SystemClock())
        sampler = Thread(target=sample, daemon=True)
        cpu, wall = time.process_time(), time.monotonic()
        sampler.start()
        listener.run(finished.is_set)
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        server.send("visits")
        connections = server.recv()
    stored = {one["_id"] for one in database[HEARD_POSTS].find({}, {"_id": 1})}
    expected = expected_ids(messages)
    log_progress(f"{messages} messages in {wall:.0f} s")
    warm = memory[len(memory) // 10 :] or memory
    return {
        "messages": messages,
        "posts with a video": len(expected),
        "posts lost": len(expected - stored),
        "posts too many": len(stored - expected),
        "connections": connections,
        "messages heard again after breaks": listener.counts.total() - messages,
        "messages a second": round(messages / wall),
        "CPU s per million messages": round(cpu / messages * 1e6, 1),
        "memory MB, after a tenth": round(warm[0], 1),
        "memory MB, at the end": round(warm[-1], 1),
        "memory MB, most": round(max(warm), 1),
    }


def live_latency(database: Database[Document]) -> Row:
    """A post counts as found when a query for its words returns it."""
    posts = HeardPosts(database, "live")
    starts = time.time() + 1
    burst = (LIVE_BURST_UNTIL - LIVE_BURST_FROM) * (BURST_PER_SECOND - PER_SECOND)
    messages = LIVE_SECONDS * PER_SECOND + burst
    stream = DayStream(messages, round(starts * SECOND), starts)
    expected, seen = expected_ids(messages), dict[str, float]()
    deadline = starts + LIVE_SECONDS + 10
    window = Window(datetime.fromtimestamp(starts, UTC) - timedelta(minutes=3))
    posts.advance(stream.starts_at, SystemClock().now(), {})

    def over() -> bool:
        return expected <= seen.keys() or time.time() > deadline

    def look() -> None:
        while not over():
            found = posts.with_words(["goal"], window, 500)
            now = time.time()
            for post in found:
                seen.setdefault(post.post_id, now)
            time.sleep(LOOK_SECONDS)

    with served(stream, []) as (url, _):
        searcher = Thread(target=look, daemon=True)
        searcher.start()
        PostListener(posts, Jetstream([url]), SystemClock()).run(over)
        searcher.join()
    latencies = [
        at - stream.position(int(post_id.rpartition("/")[2])) / SECOND
        for post_id, at in seen.items()
        if post_id in expected
    ]
    return {
        "live posts not found": len(expected - seen.keys()),
        "latency s, p50": round(p50(latencies), 2),
        "latency s, p95": round(p95(latencies), 2),
        "latency s, most": round(max(latencies), 2),
    }


@contextmanager
def served(stream: DayStream, drops: list[int]) -> Iterator[tuple[str, Connection]]:
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_serve, args=(stream, drops, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv(), ours
    finally:
        ours.send("stop")
        process.join(10)
        process.kill()


def _serve(stream: DayStream, drops: list[int], client: Connection) -> None:
    with JetstreamServer(stream) as server:
        server.faults.drops = drops
        client.send(server.url)
        while client.recv() == "visits":
            client.send(len(server.visits))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jetstream", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="how much of a day")
    add_output_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
