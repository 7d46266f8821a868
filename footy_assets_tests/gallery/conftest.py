"""A site with a matchday that a test plays, on real MongoDB and S3; one to look at for many."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Page
from pydantic import SecretStr
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import Document
from footy_assets_tests.browsers import launched_browser
from footy_assets_tests.gallery.matchday import Played, play
from footy_assets_tests.gallery.site import TOKEN, Day, Site, running_site
from footy_assets_tests.matchday.goals import KICKOFF
from resources.embedded.weed import S3Server
from resources.mongo.connection import connect
from resources.s3.client import S3Address
from resources.s3.client import connect as connect_s3
from resources.s3.clip_store import ClipStore

DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
Open = Callable[..., Page]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(KICKOFF + timedelta(minutes=82))


@pytest.fixture
def day(
    database: Database[Document], clip_store: ClipStore, tmp_path: Path, clock: ManualClock
) -> Day:
    return Day(database, clip_store, tmp_path / "work", clock)


@pytest.fixture
def site(database: Database[Document], clip_store: ClipStore, clock: ManualClock) -> Iterator[Site]:
    with running_site(database, clip_store, clock) as running:
        yield running


@pytest.fixture
def http(site: Site) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=site.url, timeout=10) as client:
        yield client


@dataclass(frozen=True)
class Shown:
    """A matchday that nobody changes, and the site that shows it."""

    site: Site
    played: Played
    http: httpx.Client


@contextmanager
def showing(mongo_uri: str, s3: S3Server, folder: Path, settings: Settings) -> Iterator[Shown]:
    keys = SecretStr(s3.access_key_id), SecretStr(s3.secret_access_key)
    client = connect_s3(S3Address(s3.endpoint_url, "us-east-1", *keys))
    objects, clock = ClipStore(client, f"shown-{uuid4().hex}"), ManualClock(KICKOFF)
    objects.ensure_bucket()
    with connect(mongo_uri, f"shown_{uuid4().hex}") as database:
        with running_site(database, objects, clock, settings) as running:
            played = play(Day(database, objects, folder, clock))
            with httpx.Client(base_url=running.url, timeout=10) as http:
                yield Shown(running, played, http)
        database.client.drop_database(database.name)
    client.close()


@pytest.fixture(scope="session")
def shown(
    mongo_uri: str, s3: S3Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shown]:
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=0)
    with showing(mongo_uri, s3, tmp_path_factory.mktemp("work"), settings) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages; whatever goes wrong in one, or is refused by its policy, fails the test.

    `refused` are statuses that the test asks for: browsers write those down by themselves.
    `expected` are parts of other messages that the test provokes.
    """
    wrong: list[str] = []
    contexts = []

    def opened(
        url: str,
        viewport: Any = DESKTOP,
        scheme: Any = "light",
        refused: Sequence[int] = (),
        expected: Sequence[str] = (),
        **more: Any,
    ) -> Page:
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, reduced_motion="reduce", **more
        )
        contexts.append(context)
        page = context.new_page()

        def listen(text: str) -> None:
            known = (*(f"status of {status}" for status in refused), *expected)
            if not any(part in text for part in known):
                wrong.append(text)

        page.on("pageerror", lambda error: listen(str(error)))
        page.on("console", lambda said: listen(said.text) if said.type == "error" else None)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
