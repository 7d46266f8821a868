"""The ten usual wishes of the trigger page, and the button that sends a test message."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.line_up import RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer, event, goal, missed_penalty
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import PHONE, OpenPage
from footy_assets_tests.gallery.site import TOKEN, Day, Site, running_site
from footy_assets_tests.matchday.harness import MatchdayHarness, no_sleep
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_channel import channel
from footy_assets_tests.triggers.rules.builders import GAME, snap
from resources.api_football.client import ApiFootball
from resources.s3.clip_store import ClipStore

SALAH: dict[str, Any] = {"team": 40, "player": 234, "name": "M. Salah"}
HAALAND: dict[str, Any] = {"team": 50, "player": 5, "name": "E. Haaland"}
# How often each fires in the match below.
WISHES = {
    "Any goal": 4,
    "A goal of the home side": 3,
    "A goal of the away side": 1,
    "A player scores": 3,
    "A hat-trick": 1,
    "A goal after 80 minutes": 1,
    "A red card": 1,
    "A penalty, scored or missed": 2,
    "The final whistle": 1,
    "The clip of any goal": 1,
}
SENTENCES = [
    "Goal for Liverpool or Manchester City",
    "Goal for Liverpool",
    "Goal for Manchester City",
    "Goal by M. Salah",
    "Goals of a player is 3, Player is M. Salah",
    "Goal for Liverpool or Manchester City and Minute > 80",
    "Colour of the card is second yellow card or red card",
    "Penalty is scored or missed",
    "Status is full time or after extra time or after a shoot-out",
    "Clip is ready of a goal for Liverpool or Manchester City",
]
# The field that a wish leaves open: its player.
LEFT_OPEN = {"A player scores": "targets", "A hat-trick": "who"}
MATCH = {
    "status": "FT",
    "elapsed": 90,
    "goals": [
        goal(10, **SALAH),
        goal(25, **SALAH, detail="Penalty"),
        goal(50, **HAALAND),
        goal(85, **SALAH),
    ],
    "events": [
        event("Card", "Yellow Card", 40, **HAALAND),
        missed_penalty(60, **HAALAND),
        event("Card", "Red Card", 70, **HAALAND),
    ],
}


@dataclass(frozen=True)
class PolledMatch:
    """Polled in another thread: the feed has an event loop, and so has Playwright in this one."""

    harness: MatchdayHarness
    thread: ThreadPoolExecutor

    def before_kickoff(self) -> None:
        self.harness.put(status="NS")
        self.thread.submit(self.harness.track).result()

    def play(self) -> None:
        self.thread.submit(self.harness.put_and_poll, MATCH).result()


@pytest.fixture
def match(
    site: Site, sim: SimServer, clock: ManualClock, database: Database[Document]
) -> Iterator[PolledMatch]:
    with ThreadPoolExecutor(1) as thread:
        feed = thread.submit(ApiFootball, sim.url, None, sleep=no_sleep).result()
        harness = MatchdayHarness(MatchdayStore(database), sim, feed, clock)
        yield PolledMatch(harness, thread)
        thread.submit(feed.__exit__, None, None, None).result()


def make_wish(page: Page, label: str, known: int) -> None:
    page.locator("#wish").select_option(label=label)
    if field := LEFT_OPEN.get(label):
        page.locator(f"#options [name={field}]").select_option(label=SALAH["name"])
    page.get_by_role("button", name="Tell me").click()
    expect(page.locator("#list .count")).to_have_count(known + 1)


def test_t22_each_usual_wish_makes_a_trigger_that_fires_on_a_fitting_match(
    site: Site,
    database: Database[Document],
    clock: ManualClock,
    match: PolledMatch,
    open_page: OpenPage,
) -> None:
    stages = Stages(database, clock)
    match.before_kickoff()
    for who in (SALAH, HAALAND):
        listed = RosterPlayer(Player(who["player"], who["name"]))
        RosterStore(database).save_squad(who["team"], [listed], clock.now())
    page = open_page(f"{site.url}/triggers?game={GAME}", PHONE)
    expect(page.locator("#wish option")).to_have_text(["Choose one, or fill in the form", *WISHES])
    page.locator("#make [name=token]").fill(TOKEN)
    for number, label in enumerate(WISHES):
        clock.advance(1)
        make_wish(page, label, number)
        expect(page.locator("#answer")).to_contain_text("Trigger created.")
    match.play()
    stages.snapshots.store_from_fixtures()
    stages.push(snap(1, clip__ready="a goal", clip__team="home", clip__verified="no"))
    stages.evaluate()
    fired = {
        label: made.counts["scope"]
        for label, made in zip(WISHES, stages.triggers.find(), strict=True)
    }
    assert fired == WISHES
    expect(page.locator("#list b")).to_have_text(SENTENCES)
    shown = [f"{count} fired" for count in WISHES.values()]
    expect(page.locator("#list .count")).to_have_text(shown, timeout=15_000)


def test_t17_the_button_of_the_page_sends_a_test_message_and_says_why_one_fails(
    database: Database[Document],
    clip_store: ClipStore,
    clock: ManualClock,
    day: Day,
    open_page: OpenPage,
) -> None:
    settings = load_settings(
        api_port=0, api_token=TOKEN, dagster_port=0, notify_private_addresses=True
    )
    day.match()
    with running_site(database, clip_store, clock, settings) as site, channel() as phone:
        page = open_page(f"{site.url}/triggers?game={GAME}", PHONE)
        page.locator("#where [name=channel]").select_option("new")
        page.locator("#where [name=url]").fill(phone.json_url(path="s3cr3t"))
        page.locator("#make [name=token]").fill(TOKEN)
        page.get_by_role("button", name="Tell me").click()
        expect(page.locator("#answer")).to_contain_text("Trigger created.")
        assert phone.requests == 0
        button = page.get_by_role("button", name="Send a test message")
        button.click()
        expect(page.locator("#answer")).to_have_text("The test message was accepted.")
        assert phone.titles == ["footy: test message"]
        phone.behaviour = "500"
        button.click()
        expect(page.locator("#answer")).to_have_text("The test message failed: json: HTTP 500")
        expect(page.locator("#answer")).to_have_class("wrong")
        assert "s3cr3t" not in page.content()
        page.close()
    assert phone.requests == 2, "what is sent to try a channel is not sent again"


def test_t17_a_test_message_to_this_machine_says_which_setting_allows_it(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    day.match()
    with channel() as phone:
        page = open_page(f"{site.url}/triggers?game={GAME}", PHONE)
        page.locator("#where [name=channel]").select_option("new")
        page.locator("#where [name=url]").fill(phone.json_url())
        page.locator("#make [name=token]").fill(TOKEN)
        page.get_by_role("button", name="Tell me").click()
        page.get_by_role("button", name="Send a test message").click()
        expect(page.locator("#answer")).to_contain_text("FOOTY_NOTIFY_PRIVATE_ADDRESSES allows it")
    assert phone.requests == 0
