"""`footy doctor`: what it says about the decoding cell, the football providers and sites."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock, ScaledClock, SystemClock
from footy_assets.runtime.doctor import (
    decoding_cell,
    examine_api_football,
    examine_lead,
    football_providers,
    time_of_day,
)
from footy_assets.runtime.home import Home
from footy_assets.runtime.site_checks import listener_of_bluesky, telegram_channels
from footy_assets.search.rules.heard import position_of
from footy_assets.search.store.heard_posts import HeardPosts
from footy_assets.settings import settings_of
from footy_assets.sim import make_world
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document
from footy_assets.store.site_feeds import SiteFeeds
from footy_assets_tests.media.cells import shared_cell

AT = datetime(2026, 9, 12, 15, 30, tzinfo=UTC)


@pytest.mark.slow
def test_doctor_names_the_protections_in_force_and_those_missing() -> None:
    found = decoding_cell()
    assert found.optional, "without Landlock or seccomp everything still runs"
    for protection in shared_cell().protections():
        assert protection in found.detail
    assert "CPU time" in found.detail
    assert found.ok or "without" in found.detail


def test_a_key_of_api_football_is_required_only_if_it_leads(tmp_path: Path) -> None:
    leads, confirms = settings_of(home=tmp_path), settings_of(home=tmp_path, provider="espn")
    assert not examine_api_football(leads).optional
    assert "footy up --provider espn" in examine_api_football(leads).fix
    without_key = examine_api_football(confirms)
    assert (without_key.optional, without_key.detail) == (True, "no key; espn leads")


def test_doctor_names_the_provider_that_is_alone(tmp_path: Path) -> None:
    assert football_providers(settings_of(home=tmp_path)).detail == "api_football alone"
    espn = settings_of(home=tmp_path, provider="espn")
    assert football_providers(espn).detail == "espn alone"


def test_the_lead_is_asked_for_todays_matches(tmp_path: Path) -> None:
    world = make_world(7)
    clock = ScaledClock(world.starts_at, 1.0, time.time())
    with OtherProviders(world, clock) as server:
        espn = settings_of(home=tmp_path, provider="espn", espn_url=server.url, clock=clock.spec())
        found = examine_lead(espn)
        assert (found.ok, found.detail) == (True, "espn lists 15 matches of today")
        server.espn.broken = "refused"
        refused = examine_lead(espn)
        assert not refused.ok
        assert "403" in refused.detail


def test_se7_a_channel_that_fails_is_named_though_others_work(database: Database[Document]) -> None:
    assert not telegram_channels(settings_of(sites=("telegram",)), database).ok
    listed = settings_of(sites=("telegram",), telegram_channels=("Goals", "nosuch", "later"))
    feeds = SiteFeeds(database)
    feeds.save("t.me/goals", {"fetched_at": AT})
    assert telegram_channels(listed, database).ok
    feeds.save("t.me/nosuch", {"problem": "it does not exist", "fetched_at": None})
    found = telegram_channels(listed, database)
    assert (found.ok, found.optional) == (False, True)
    assert found.detail == (
        "Goals: read at 2026-09-12 15:30:00 UTC; nosuch: no web preview; later: not read yet"
    )
    assert "FOOTY_TELEGRAM_CHANNELS" in found.fix


def test_se7_doctor_says_whether_the_listener_has_heard_anything_lately(
    database: Database[Document], tmp_path: Path
) -> None:
    settings, clock = settings_of(home=tmp_path), ManualClock(AT)
    unheard = listener_of_bluesky(settings, database, clock)
    assert (unheard.ok, unheard.detail) == (True, "has heard nothing yet")
    Home(tmp_path).write_record({"ui": "http://127.0.0.1:3000"})
    assert not listener_of_bluesky(settings, database, clock).ok, "though `footy up` runs"
    counts = {"kept": 5, "reconnects": 1}
    HeardPosts(database, "bluesky").advance(position_of(AT), AT, counts)
    heard = listener_of_bluesky(settings, database, clock)
    assert heard.ok
    assert heard.detail == ("last message 2026-09-12 15:30:00 UTC, 5 posts kept, 1 reconnects")
    clock.advance(121)
    silent = listener_of_bluesky(settings, database, clock)
    assert (silent.ok, silent.optional) == (False, True)
    assert "logs/listen.log" in silent.fix


def test_a_clock_that_differs_from_that_of_the_other_machines_is_named(mongo_uri: str) -> None:
    settings = settings_of(mongo_uri=mongo_uri)
    (same,) = time_of_day(settings, SystemClock())
    assert same.ok
    ahead = ManualClock(SystemClock().now() + timedelta(minutes=2))
    (found,) = time_of_day(settings, ahead)
    assert (found.ok, found.optional) == (False, False)
    assert found.detail.startswith("+1")
    assert "NTP" in found.fix


def test_nothing_is_said_of_the_clock_while_mongodb_does_not_answer() -> None:
    silent = settings_of(mongo_uri="mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50")
    assert list(time_of_day(silent, SystemClock())) == []
