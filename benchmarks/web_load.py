"""Response times of the matchday page while hundreds of viewers follow the live feed.

Four servers in turn, each a new process over the same MongoDB and the same matchday, get the same
requests while the same matches change: a plain FastAPI app that renders the page for every request;
the web app without its live feed, which is the baseline; the web app without viewers; and with all
viewers. Requests are sent at a fixed rate, however fast the responses come, and their time counts
from when they were due.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import psutil
import uvicorn
from fastapi import FastAPI
from pymongo.database import Database
from starlette.responses import HTMLResponse

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from benchmarks.meters import cpu_seconds, p50, p95
from footy_assets.clock import SystemClock
from footy_assets.gallery.access import access_of
from footy_assets.gallery.app import create_app
from footy_assets.gallery.rendering import render
from footy_assets.gallery.services import make_services
from footy_assets.gallery.serving import TURN_SECONDS, Server
from footy_assets.gallery.views import Gallery
from footy_assets.matchday.store.documents import fixture_document, goal_document
from footy_assets.settings import load_settings
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, Document, ensure_indexes
from footy_assets.store.schema import SchemaStore
from footy_assets.web_server.connections import ConnectionLimits
from footy_assets.web_server.listening import listen, server_config
from footy_assets.web_server.open_files import raise_open_files
from footy_assets_tests.matchday.goals import FIXTURE, GOAL, KICKOFF
from resources.embedded.mongod import embedded_mongo
from resources.embedded.ports import free_ports, is_open
from resources.mongo.connection import connect
from resources.s3.client import S3Address
from resources.s3.client import connect as connect_s3
from resources.s3.clip_store import ClipStore

NAME = "web_load"
DATABASE = "web_load"
DAY = date(2025, 5, 10)
PATH = f"/days/{DAY}"
MATCHES, GOALS_A_MATCH = 18, 3
PLAIN, NO_FEED = "plain FastAPI, page rendered each time", "no live feed (baseline)"
NO_VIEWERS, WITH_VIEWERS = "live feed", "live feed, with viewers"
CONNECTIONS = 24
WARM_UP_SECONDS = 2.0
UPDATE_TIMEOUT_SECONDS = 10.0
MAX_PAGE_MS = 250
COLUMNS = {
    "server": "server",
    "watchers": "viewers",
    "per_second": "responses/s",
    "p50": "p50 ms",
    "p95": "p95 ms",
    "worst": "max ms",
    "ratio": "p95 / baseline",
    "failed": "failed",
    "cpu": "CPU %",
    "rss": "RSS MB",
    "updates": "updates received",
    "delay": "update delay, p95 ms",
}


@dataclass(frozen=True, slots=True)
class Load:
    requests_per_second: int
    changes_per_second: float
    seconds: float
    watchers: int


# -- the servers, each a process of its own ---------------------------------------------------


def serve(kind: str, port: int, mongo_uri: str) -> None:
    with connect(mongo_uri, DATABASE) as database:
        config = {"port": port, "log_level": "warning", "access_log": False}
        if kind == PLAIN:
            uvicorn.run(plain_app(database), **config)  # type: ignore[arg-type]
            return
        settings = load_settings(api_port=port, dagster_port=0)
        nowhere = connect_s3(S3Address("http://127.0.0.1:9", "us-east-1"))
        services = make_services(settings, database, ClipStore(nowhere, "clips"), SystemClock())
        raise_open_files()
        limits = ConnectionLimits.for_this_process(settings.max_connections)
        made = server_config(create_app(services, limits, live=kind != NO_FEED), limits)
        sys.setswitchinterval(TURN_SECONDS)
        with listen(access_of(settings), port, "the web app") as listening:
            Server(made, services.feed).run(sockets=[listening])


def plain_app(database: Database[Document]) -> FastAPI:
    """The same page from the same template, in the most straightforward way."""
    app, gallery = FastAPI(), Gallery(database, SystemClock(), "clips")

    @app.get("/days/{day}")
    def matchday(day: date) -> HTMLResponse:
        page = {"matchday": gallery.matchday(day), "today": DAY, "dagster_link": None}
        return HTMLResponse(render("matchday.html", since=None, dagster=None, **page))

    return app


@contextmanager
def server(kind: str, mongo_uri: str) -> Iterator[tuple[int, int]]:
    """A server in its own process; yields its pid and port."""
    port = free_ports(1)[0]
    command = [sys.executable, "-m", "benchmarks.web_load", "--serve", kind]
    process = subprocess.Popen([*command, "--port", str(port), "--mongo", mongo_uri])
    try:
        deadline = time.monotonic() + 60
        while not is_open(port):
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.1)
        yield process.pid, port
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


# -- clients and viewers ----------------------------------------------------------------------


async def send_requests(port: int, load: Load) -> tuple[list[float], int]:
    """Milliseconds from when each request was due to its complete response, and how many failed."""
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection("127.0.0.1", port))
    request = f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    durations: list[float] = []
    failed = 0

    async def one(due: float) -> None:
        nonlocal failed
        connection = await free.get()
        reader, writer = connection
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        body = await reader.readexactly(length)
        durations.append(1000 * (time.perf_counter() - due))
        failed += not head.startswith(b"HTTP/1.1 200") or b"match-5000" not in body
        free.put_nowait(connection)

    started, interval = time.perf_counter(), 1 / load.requests_per_second
    tasks = []
    for number in range(round(load.seconds * load.requests_per_second)):
        due = started + number * interval
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    await asyncio.wait_for(asyncio.gather(*tasks), 60)
    while not free.empty():
        free.get_nowait()[1].close()
    return durations, failed


async def watch(port: int, mongo_uri: str, load: Load) -> Row:
    """Change matches at a fixed rate, and measure when each viewer receives the update."""
    changed_at: dict[int, float] = {}
    delays: list[float] = []
    received = [0] * load.watchers

    async def viewer(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /live HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b"id: ")
        ready.release()
        with suppress(asyncio.CancelledError):
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    fixture = json.loads(line[6:])["fixture"]
                    delays.append(1000 * (time.perf_counter() - changed_at[fixture]))
                    received[number] += 1
        writer.close()

    ready = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(viewer(number)) for number in range(load.watchers)]
    for _ in range(load.watchers):
        await asyncio.wait_for(ready.acquire(), 30)
    print("ready", flush=True)  # noqa: T201
    changes = round(load.changes_per_second * load.seconds)
    with connect(mongo_uri, DATABASE) as database:
        started = time.perf_counter()
        for number in range(changes):
            due = started + number / load.changes_per_second
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            fixture = FIXTURE.id + number % MATCHES
            changed_at[fixture] = time.perf_counter()
            update = {"$inc": {"goals.home": 1}}
            await asyncio.to_thread(database[FIXTURES].update_one, {"_id": fixture}, update)
    deadline = time.perf_counter() + UPDATE_TIMEOUT_SECONDS
    while load.watchers and min(received) < changes and time.perf_counter() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "changes": changes,
        "fewest": min(received, default=0),
        "updates": sum(received),
        "delay": p95(delays) if delays else 0.0,
    }


def measure(kind: str, mongo_uri: str, load: Load) -> Row:
    """Viewers run in a process of their own, so that they do not slow the requests down."""
    with server(kind, mongo_uri) as (pid, port):
        asyncio.run(send_requests(port, replace(load, seconds=WARM_UP_SECONDS)))
        command = [sys.executable, "-m", "benchmarks.web_load", "--watch", "--port", str(port)]
        command += ["--mongo", mongo_uri, "--watchers", str(load.watchers)]
        command += ["--seconds", str(load.seconds), "--changes", str(load.changes_per_second)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as viewers:
            assert viewers.stdout is not None
            assert viewers.stdout.readline().strip() == "ready"
            used, started = cpu_seconds(pid), time.perf_counter()
            durations, failed = asyncio.run(send_requests(port, load))
            wall = time.perf_counter() - started
            cpu_percent = 100 * (cpu_seconds(pid) - used) / wall
            updates = json.loads(viewers.stdout.readline())
        return {
            "server": kind,
            "watchers": load.watchers,
            "per_second": len(durations) / wall,
            "p50": p50(durations),
            "p95": p95(durations),
            "worst": max(durations),
            "failed": failed,
            "cpu": cpu_percent,
            "rss": resident_mb(pid),
            **updates,
        }


def resident_mb(pid: int) -> float:
    return psutil.Process(pid).memory_info().rss / 2**20


def seed(database: Database[Document]) -> None:
    """A matchday like the demo's: 18 matches, 54 goals, two clips for two of three goals."""
    ensure_indexes(database)
    SchemaStore(database).mark_new()
    for match in range(MATCHES):
        fixture = replace(FIXTURE, id=FIXTURE.id + match, goals=(2, 1))
        database[FIXTURES].insert_one(fixture_document(fixture))
        for number in range(GOALS_A_MATCH):
            key = f"goal-{match}-{number}"
            event = f"{fixture.id}_40_{300 + number}_Goal_1"
            goal = replace(GOAL, key=key, event_id=event, fixture_id=fixture.id)
            database[EVENTS].insert_one(goal_document(goal))
            if number:
                database[CLIPS].insert_many(_clip(fixture.id, key, event, rank) for rank in (1, 2))


def _clip(fixture_id: int, goal_key: str, event: str, rank: int) -> Document:
    name = f"{fixture_id}/{event}/{rank:016x}.mp4"
    return {
        "_id": f"{goal_key}:{rank}",
        "goal_key": goal_key,
        "fixture_id": fixture_id,
        "event_id": event,
        "key": name,
        "public_key": name,
        "rank": rank,
        "verified": rank == 1,
        "verified_by": "clock" if rank == 1 else "nothing",
        "renditions": [],
        "has_scorebug": False,
        "popularity": 100 * rank,
        "popularity_by": [{"video": "x:1", "count": 100 * rank}],
        "duration": 12.0,
        "width": 1280,
        "height": 720,
        "size": 2_000_000,
        "source": "x",
        "source_url": "https://x.test/1",
        "stored_at": KICKOFF + timedelta(minutes=rank),
        "replaced": [],
    }


def run(load: Load) -> tuple[Row, list[str]]:
    note = machine()
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="footy-web-load-") as folder,
        embedded_mongo(Path(folder), die_with_parent=True) as mongo,
    ):
        with connect(mongo.uri, DATABASE) as database:
            seed(database)
        plans = ((PLAIN, 0), (NO_FEED, 0), (NO_VIEWERS, 0), (WITH_VIEWERS, load.watchers))
        for kind, watchers in plans:
            log_progress(f"{kind}: {load.requests_per_second} requests/s, {watchers} viewers")
            rows.append(measure(kind, mongo.uri, replace(load, watchers=watchers)))
    _, baseline, no_viewers, with_viewers = rows
    for row in rows:
        row["ratio"] = row["p95"] / baseline["p95"]
    verdicts = {
        "no request failed": not any(row["failed"] for row in rows),
        "every viewer received every change": with_viewers["fewest"] == with_viewers["changes"],
        f"with viewers, 95 % of pages arrive within {MAX_PAGE_MS} ms": with_viewers["p95"]
        <= MAX_PAGE_MS,
        "a viewer costs less than 100 kB": (with_viewers["rss"] - no_viewers["rss"]) * 1024
        < 100 * max(1, load.watchers),
    }
    heading = (
        f"{note} {load.requests_per_second} requests/s of {PATH} for {load.seconds:g} s, "
        f"{load.changes_per_second:g} changes/s."
    )
    return {"rows": rows, "verdicts": verdicts}, [
        heading,
        table(rows, COLUMNS),
        verdict_list(verdicts),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200, help="requests per second")
    parser.add_argument("--changes", type=float, default=5.0, help="changes of matches per second")
    parser.add_argument("--watchers", type=int, default=500, help="viewers of the live feed")
    parser.add_argument("--seconds", type=float, default=20.0, help="duration of each measurement")
    for name in ("--serve", "--mongo"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--watch", action="store_true", help=argparse.SUPPRESS)
    add_output_options(parser)
    arguments = parser.parse_args()
    load = Load(arguments.requests, arguments.changes, arguments.seconds, arguments.watchers)
    if arguments.serve:
        serve(arguments.serve, arguments.port, arguments.mongo)
        return 0
    if arguments.watch:
        found = asyncio.run(watch(arguments.port, arguments.mongo, load))
        print(json.dumps(found), flush=True)  # noqa: T201
        return 0
    result, tables = run(load)
    publish(NAME, result, tables, arguments)
    return 0 if all(result["verdicts"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
