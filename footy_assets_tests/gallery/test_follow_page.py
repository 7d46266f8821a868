"""Following in a real Chromium: two clicks, then messages in the page and at a real receiver."""

import os
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Page, expect
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import PHONE, OpenPage
from footy_assets_tests.gallery.site import TOKEN, Day, Site
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_channel import channel
from footy_assets_tests.triggers.rules.builders import GAME, snap
from resources.notify.channels import ChannelSubscriber
from sensors.triggers import announce_published


def picture(page: Page, name: str) -> None:
    """For those who want to look: FOOTY_TEST_PICTURES names a folder."""
    if folder := os.environ.get("FOOTY_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_t18_a_player_is_followed_before_kickoff_and_the_clip_arrives_once(
    site: Site,
    database: Database[Document],
    clock: ManualClock,
    day: Day,
    open_page: OpenPage,
) -> None:
    stages = Stages(database, clock)
    stages.channels = ChannelSubscriber(5.0, private_addresses=True)
    fixture = day.match(status="NS", elapsed=None)
    # The eleventh of the line-up has the id that `day.goal` gives the scorer of minute 5.
    day.line_ups(fixture, *(f"Number {n}" for n in range(1, 11)), "Mohamed Salah")
    with channel() as phone:
        page = open_page(f"{site.url}/matches/{GAME}", PHONE)
        picture(page, "match")
        page.get_by_role("button", name="Follow Mohamed Salah").click()
        page.locator("dialog [name=channel]").select_option("new")
        page.locator("dialog [name=url]").fill(phone.ntfy_url())
        page.locator("dialog [name=token]").fill(TOKEN)
        picture(page, "dialog")
        page.get_by_role("button", name="Follow", exact=True).click()
        expect(page.locator(".toast b")).to_have_text("You follow Mohamed Salah")
        expect(page.locator(".toast")).to_contain_text("ntfy://********")
        goal = day.goal(fixture, 5, "Mohamed Salah")
        who = goal.player.id
        scored = snap(1, goal__team="home", goal__player=who, score__home=1, score__away=0)
        stages.push(scored.model_copy(update={"id": f"{GAME}/goal/{goal.key}/0"}))
        stages.evaluate()
        stages.notify()
        expect(page.locator(".toast b").first).to_have_text(
            "Goal for Liverpool: Mohamed Salah", timeout=15_000
        )
        day.clips(goal, "good")
        live_since = clock.now().date() - timedelta(days=1)
        announce_published(database, site.url, live_since)
        stages.evaluate()
        stages.notify()
        stages.notify()
        expect(page.locator(".toast b").first).to_have_text(
            "Clip: goal by Mohamed Salah", timeout=15_000
        )
        picture(page, "toasts")
    stages.channels.close()
    assert phone.titles == ["Goal for Liverpool: Mohamed Salah", "Clip: goal by Mohamed Salah"]
    link = phone.received[1]["message"].splitlines()[-1]
    page.goto(link)
    expect(page.locator("video")).to_be_visible()


def test_t23_a_player_is_followed_from_the_squad_before_the_line_up_is_out(
    site: Site, database: Database[Document], clock: ManualClock, day: Day, open_page: OpenPage
) -> None:
    stages = Stages(database, clock)
    stages.channels = ChannelSubscriber(5.0, private_addresses=True)
    fixture = day.match(status="NS", elapsed=None, state=FixtureState.STAGING)
    day.squads(fixture, *(f"Number {n}" for n in range(1, 11)), "Mohamed Salah")
    with channel() as phone:
        page = open_page(f"{site.url}/matches/{GAME}", PHONE)
        expect(page.get_by_role("heading", name="Squads")).to_be_visible()
        expect(page.get_by_role("button", name="Follow Bruno Fernandes")).to_be_visible()
        picture(page, "squads")
        page.get_by_role("button", name="Follow Mohamed Salah").click()
        page.locator("dialog [name=channel]").select_option("new")
        page.locator("dialog [name=url]").fill(phone.ntfy_url())
        page.locator("dialog [name=token]").fill(TOKEN)
        page.get_by_role("button", name="Follow", exact=True).click()
        expect(page.locator(".toast b")).to_have_text("You follow Mohamed Salah")
        day.line_ups(fixture, *(f"Number {n}" for n in range(1, 11)), "Mohamed Salah")
        expect(page.get_by_role("heading", name="Line-ups")).to_be_visible(timeout=15_000)
        goal = day.goal(fixture, 5, "Mohamed Salah")
        scored = snap(1, goal__team="home", goal__player=goal.player.id)
        stages.push(scored, snap(2, goal__team="home", goal__player=1))
        stages.evaluate()
        stages.notify()
    stages.channels.close()
    assert phone.titles == ["Goal for Liverpool: Mohamed Salah"]


def test_t17_a_wish_is_subscribed_in_the_same_step(
    site: Site, database: Database[Document], clock: ManualClock, day: Day, open_page: OpenPage
) -> None:
    stages = Stages(database, clock)
    day.match()
    with channel() as phone:
        stages.channels = ChannelSubscriber(5.0, private_addresses=True)
        page = open_page(f"{site.url}/triggers?game={GAME}", PHONE)
        page.locator("#wish").select_option(label="A goal of the home side")
        page.locator("#where [name=channel]").select_option("new")
        page.locator("#where [name=url]").fill(phone.json_url())
        page.locator("#make [name=token]").fill(TOKEN)
        page.get_by_role("button", name="Tell me").click()
        expect(page.locator("#answer")).to_contain_text("Messages go to")
        expect(page.locator("#where option:checked")).to_have_text("json://********")
        expect(page.locator("#where [name=url]")).to_have_value("")
        picture(page, "triggers")
        stages.push(snap(1, goal__team="home"), snap(2, goal__team="away"))
        stages.evaluate()
        stages.notify()
        expect(page.locator("#list .count")).to_have_text("1 fired", timeout=15_000)
        page.get_by_role("button", name="Pause the trigger").click()
        expect(page.locator("#list")).to_contain_text("paused")
        stages.push(snap(3, goal__team="home"))
        stages.evaluate()
        stages.notify()
    stages.channels.close()
    assert phone.titles == ["Goal for Liverpool"]
