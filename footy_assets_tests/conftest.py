"""Real servers for tests: one MongoDB, S3 and provider per test process, fresh for each test."""

import gc
import os
import ssl
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from socket import inet_aton, inet_ntoa
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
import structlog
from alembic.script import ScriptDirectory
from pydantic import SecretStr
from pymongo import MongoClient
from pymongo.database import Database
from xdist.remote import Producer

from footy_assets.clock import ManualClock
from footy_assets.sim import SimServer, World, make_world
from footy_assets_tests.databases import empty_database
from footy_assets_tests.first_collection import one_worker_first, remove_mark
from footy_assets_tests.fixtures.command import footy
from footy_assets_tests.fixtures.films import fingerprint_film, footage, render_film
from footy_assets_tests.fixtures.package import built, installed
from footy_assets_tests.fixtures.past_days import past_days
from footy_assets_tests.fixtures.pipeline import feed, harness, store
from footy_assets_tests.fixtures.server_switches import (
    module_mongo,
    module_s3,
    switchable_mongo,
    switchable_s3,
)
from footy_assets_tests.scheduling import FileScheduling, starts_stacks
from resources.embedded.mongod import embedded_mongo
from resources.embedded.weed import S3Server, embedded_s3
from resources.mongo.connection import Document, connect
from resources.s3.client import S3Address
from resources.s3.client import connect as connect_s3
from resources.s3.clip_store import ClipStore

# Fixtures that several rooms share; importing them here is what makes pytest find them.
__all__ = [
    "built",
    "feed",
    "fingerprint_film",
    "footage",
    "footy",
    "harness",
    "installed",
    "module_mongo",
    "module_s3",
    "past_days",
    "render_film",
    "store",
    "switchable_mongo",
    "switchable_s3",
]

# The same examples every time, on a slow machine too. HYPOTHESIS_PROFILE=explore tries others.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("explore", deadline=None, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Each `httpx.get` loads all certificates, which takes ten times as long as an answer on loopback.
ssl.create_default_context = cache(ssl.create_default_context)
# Each Dagster instance, and each of its runs, loads all of Dagster's migrations.
ScriptDirectory.from_config = cache(ScriptDirectory.from_config)  # type: ignore[method-assign]
# What is loaded by the end of the collection stays: there is nothing to collect before.
gc.disable()

MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3


def has_room(folder: Path) -> bool:
    """Whether programs and gigabytes may lie there; in many containers neither."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize > ROOM and not found.f_flag & os.ST_NOEXEC


# Databases wait for the disk with every write; memory does not make them wait.
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and has_room(MEMORY):
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)


# Who asks for one of these needs more than MongoDB: it is slow, marked or not.
MORE_THAN_MONGODB = {"s3", "browser", "render_film", "fingerprint_film"}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    with one_worker_first():
        return (yield)


def pytest_sessionfinish() -> None:
    remove_mark()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest come first, so that no worker is left with one at the end."""
    for item in items:
        if MORE_THAN_MONGODB & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
    items.sort(key=weight)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the garbage collector need not look at it, not even once."""
    gc.freeze()
    gc.enable()


def weight(item: pytest.Item) -> int:
    if starts_stacks(item.nodeid):
        return 0
    return 1 if item.get_closest_marker("slow") else 2


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling:
    return FileScheduling(config, log)


BESIDE_STACKS = 5
# S3, browsers, and Playwright's driver.
SLOW_PROGRAMS = ("weed", "chrom", "google-chrome", "node")
_is_fast = False


# Hosts outside this machine that the running test tried to reach.
_foreign_hosts: set[str] = set()


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    if _is_fast and event == "subprocess.Popen":
        name = Path(str(arguments[0])).name
        if name.startswith(SLOW_PROGRAMS):
            raise RuntimeError(f"a fast test starts {name}: mark it slow")
    if event == "socket.connect" and isinstance(address := arguments[1], tuple):
        _refuse_foreign(str(address[0]))
    if event == "socket.getaddrinfo" and isinstance(name := arguments[0], str):
        _refuse_foreign(name)


def _refuse_foreign(host: str) -> None:
    if not is_local(host):
        _foreign_hosts.add(host)
        raise OSError(f"tests use no network but loopback, and this is {host}")


def is_local(host: str) -> bool:
    """Whether it is this machine. 127.1 and 2130706433 are addresses too."""
    with suppress(OSError):
        host = inet_ntoa(inet_aton(host))
    try:
        address = ip_address(host)
    except ValueError:
        return host in ("", "localhost") or host.endswith((".localhost", ".invalid", ".test"))
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return address.is_loopback or address.is_unspecified


sys.addaudithook(_guard)


@cache
def yield_to_stacks() -> None:
    """A stack works on as long as it runs: the longer it waits for a core, the more it costs."""
    os.nice(BESIDE_STACKS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """`./footy test --fast` starts no server but MongoDB."""
    global _is_fast
    if "PYTEST_XDIST_WORKER" in os.environ and not starts_stacks(item.nodeid):
        yield_to_stacks()
    _is_fast = item.get_closest_marker("slow") is None
    try:
        return (yield)
    finally:
        _is_fast = False


@pytest.fixture(autouse=True)
def _no_network_but_loopback() -> Iterator[None]:
    """The guard's own error may be taken for one of the network's and retried."""
    _foreign_hosts.clear()
    yield
    assert not _foreign_hosts, f"this test tried to reach {', '.join(sorted(_foreign_hosts))}"


@pytest.fixture(autouse=True)
def _ordinary_priority() -> Iterator[None]:
    """Programs that later tests start would have the priority that a library sets here."""
    yield
    if hasattr(os, "sched_getscheduler"):
        assert os.sched_getscheduler(0) == os.SCHED_OTHER, "this test runs in real time now"


@pytest.fixture(autouse=True)
def _default_logs() -> Iterator[None]:
    """A command that runs in this process configures logs for the process."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def mongo_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("mongo-home")
    with embedded_mongo(home, die_with_parent=True) as server:
        yield server.uri


@pytest.fixture(scope="session")
def mongo_client(mongo_uri: str) -> Iterator[MongoClient[Document]]:
    """One for all tests: connecting takes longer than many of them.

    Nobody kills this server: its writes need not wait for the journal, a quarter of their cost."""
    with connect(mongo_uri, "admin") as database:
        config = database.command("replSetGetConfig")["config"]
        unsynced = {"version": config["version"] + 1, "writeConcernMajorityJournalDefault": False}
        database.command("replSetReconfig", config | unsynced)
        yield database.client


@pytest.fixture
def database(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[Database[Document]]:
    with empty_database(mongo_uri) as name:
        yield mongo_client[name]


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    home = tmp_path_factory.mktemp("s3-home")
    with embedded_s3(home, die_with_parent=True) as server:
        yield server


@pytest.fixture(scope="session")
def s3_client(s3: S3Server) -> Iterator[Any]:
    """One for all tests: boto3 takes a tenth of a second to make one."""
    keys = SecretStr(s3.access_key_id), SecretStr(s3.secret_access_key)
    client = connect_s3(S3Address(s3.endpoint_url, "us-east-1", *keys))
    yield client
    client.close()


@pytest.fixture
def clip_store(s3_client: Any) -> Iterator[ClipStore]:
    store = ClipStore(s3_client, f"test-{uuid4().hex}")
    store.ensure_bucket()
    yield store
    for key in store.list_keys():
        store.delete(key)
    s3_client.delete_bucket(Bucket=store.bucket)


@pytest.fixture(scope="session")
def world() -> World:
    return make_world()


@pytest.fixture(scope="session")
def shared_sim() -> Iterator[SimServer]:
    with SimServer(make_world(), ManualClock(make_world().starts_at)) as running:
        yield running


@pytest.fixture
def clock(world: World) -> ManualClock:
    return ManualClock(world.starts_at)


@pytest.fixture
def sim(shared_sim: SimServer, world: World, clock: ManualClock) -> SimServer:
    """The one provider of this process as if it had just started: starting each time is slow."""
    shared_sim.world, shared_sim.clock = world, clock
    shared_sim.reset()
    return shared_sim


@pytest.fixture
def short_transactions(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """MongoDB gives a dead process's transaction up after a second instead of a minute."""
    monkeypatch.setattr("footy_assets.matchday.store.matchdays.WRITE_WITHIN", 0.5)
    with MongoClient[Document](mongo_uri) as client:
        limit = {"setParameter": 1, "transactionLifetimeLimitSeconds": 1}
        was = client.admin.command(limit)["was"]
        yield
        client.admin.command({**limit, "transactionLifetimeLimitSeconds": was})
