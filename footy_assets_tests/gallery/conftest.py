"""Gallery sites on real MongoDB and S3: one for each test that writes, one for all that read."""

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
from footy_assets_tests.gallery.matchday import PlayedMatchday, play_matchday
from footy_assets_tests.gallery.site import TOKEN, Day, Site, running_site
from footy_assets_tests.matchday.goals import KICKOFF
from footy_assets_tests.waiting import PATIENCE_SECONDS
from resources.embedded.weed import S3Server
from resources.mongo.connection import connect
from resources.s3.client import S3Address
from resources.s3.client import connect as connect_s3
from resources.s3.clip_store import ClipStore

DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
OpenPage = Callable[..., Page]


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
    with httpx.Client(base_url=site.url, timeout=PATIENCE_SECONDS) as client:
        yield client


@dataclass(frozen=True)
class Gallery:
    """A matchday with goals and clips, the site that shows it, and a client of that site."""

    site: Site
    matchday: PlayedMatchday
    http: httpx.Client


@contextmanager
def running_gallery(
    mongo_uri: str, s3: S3Server, folder: Path, settings: Settings
) -> Iterator[Gallery]:
    keys = SecretStr(s3.access_key_id), SecretStr(s3.secret_access_key)
    client = connect_s3(S3Address(s3.endpoint_url, "us-east-1", *keys))
    objects, clock = ClipStore(client, f"gallery-{uuid4().hex}"), ManualClock(KICKOFF)
    objects.ensure_bucket()
    with connect(mongo_uri, f"gallery_{uuid4().hex}") as database:
        with running_site(database, objects, clock, settings) as running:
            matchday = play_matchday(Day(database, objects, folder, clock))
            with httpx.Client(base_url=running.url, timeout=PATIENCE_SECONDS) as http:
                yield Gallery(running, matchday, http)
        database.client.drop_database(database.name)
    client.close()


@pytest.fixture(scope="session")
def gallery(
    mongo_uri: str, s3: S3Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gallery]:
    settings = load_settings(api_port=0, api_token=TOKEN, dagster_port=0)
    with running_gallery(mongo_uri, s3, tmp_path_factory.mktemp("work"), settings) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens pages; any error in a page or its console fails the test.

    `refused`: HTTP statuses that the test provokes; browsers log them as errors.
    `expected`: parts of other error messages that the test provokes.
    """
    errors: list[str] = []
    contexts = []

    def open_page(
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

        def record(text: str) -> None:
            provoked = (*(f"status of {status}" for status in refused), *expected)
            if not any(part in text for part in provoked):
                errors.append(text)

        page.on("pageerror", lambda error: record(str(error)))
        page.on(
            "console", lambda message: record(message.text) if message.type == "error" else None
        )
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
