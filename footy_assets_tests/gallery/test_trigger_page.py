"""The trigger page in a real Chromium: create a trigger, see its count, read why it fired."""

import pytest
from playwright.sync_api import Route, expect
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import DESKTOP, Gallery, OpenPage
from footy_assets_tests.gallery.site import TOKEN, Day, Site
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.rules.builders import GAME, GOAL_AT_HOME, snap, trigger


@pytest.fixture
def stages(site: Site, database: Database[Document], clock: ManualClock) -> Stages:
    return Stages(database, clock)


def test_a_trigger_is_created_counted_explained_and_ended_on_the_page(
    site: Site, stages: Stages, day: Day, open_page: OpenPage
) -> None:
    day.match()
    page = open_page(f"{site.url}/matches/{GAME}", refused=[401])
    page.get_by_role("link", name="Triggers on this match").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Liverpool – Manchester United")
    expect(page.locator("#list")).to_contain_text("No triggers on this match")
    page.locator("[name=event]").select_option("football.team.scores")
    page.locator("[name=targets]").fill("2")
    page.locator("[name=who]").select_option("home")
    page.locator("[name=entity_id]").fill("7")
    page.locator("[name=token]").fill("wrong")
    page.get_by_role("button", name="Tell me").click()
    expect(page.locator("#answer")).to_have_class("wrong")
    expect(page.locator("#answer")).to_contain_text("the token is missing or wrong")
    page.locator("[name=token]").fill(TOKEN)
    page.get_by_role("button", name="Tell me").click()
    expect(page.locator("#answer")).to_have_text("Trigger created. This page shows when it fires.")
    expect(page.locator("#list .count")).to_have_text("0 fired")
    expect(page.locator("#list b")).to_have_text("Goals of a team is 2, Team is Liverpool")
    stages.push(snap(1, goal__team="home"), snap(2, goal__team="home"))
    stages.evaluate()
    expect(page.locator("#list .count")).to_have_text("1 fired", timeout=15_000)
    page.get_by_text("History").click()
    expect(page.locator("#list ol")).to_contain_text("because of s2")
    expect(page.locator("#list ol")).to_contain_text("Goals of a team is 2")
    expect(page.locator("#list ol")).to_contain_text("seen: 2")
    page.reload()
    expect(page.locator("[name=token]")).to_have_value(TOKEN)
    page.get_by_role("button", name="Delete the trigger").click()
    expect(page.locator("#list")).to_contain_text("No triggers on this match")
    assert stages.triggers.find() == []


def test_the_token_stays_in_its_tab(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}/triggers?game={GAME}")
    page.evaluate(f"sessionStorage.setItem('footy-token', '{TOKEN}')")
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("[name=token]")).to_have_value("")


def test_an_invalid_trigger_is_reported_on_the_page(
    site: Site, stages: Stages, open_page: OpenPage
) -> None:
    page = open_page(f"{site.url}/triggers?game={GAME}", refused=[422])
    page.locator("[name=event]").select_option("football.match.status")
    page.locator("[name=compare]").select_option("ne")
    page.locator("[name=targets]").select_option(["NS", "1H"])
    page.locator("[name=entity_id]").fill("7")
    page.locator("[name=token]").fill(TOKEN)
    page.get_by_role("button", name="Tell me").click()
    expect(page.locator("#answer")).to_contain_text("conditions.0.targets")
    assert stages.triggers.find() == []


def test_conditions_are_added_and_removed_by_keyboard(site: Site, open_page: OpenPage) -> None:
    page = open_page(f"{site.url}/triggers?game={GAME}")
    add = page.get_by_role("button", name="Add condition")
    expect(add).to_be_enabled()
    add.press("Enter")
    expect(page.locator(".option")).to_have_count(2)
    expect(page.locator("[name=event]").nth(1)).to_be_focused()
    page.get_by_role("button", name="Remove").press("Enter")
    expect(page.locator(".option")).to_have_count(1)


def test_a_condition_can_be_added_once_it_is_known_what_there_is(
    site: Site, open_page: OpenPage
) -> None:
    held: list[Route] = []
    page = open_page(f"{site.url}/")
    page.route("**/triggers/metadata*", lambda route: held.append(route))
    with page.expect_request("**/triggers/metadata*"):
        page.goto(f"{site.url}/triggers?game={GAME}")
    add, submit = (page.get_by_role("button", name=name) for name in ("Add condition", "Tell me"))
    expect(add).to_be_disabled()
    expect(submit).to_be_disabled()
    held[0].continue_()
    expect(add).to_be_enabled()
    expect(submit).to_be_enabled()
    expect(page.locator(".option")).to_have_count(1)


def test_the_navigation_bar_leads_to_the_triggers_of_a_match(
    gallery: Gallery, open_page: OpenPage
) -> None:
    page = open_page(f"{gallery.site.url}/", DESKTOP)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Triggers").click()
    page.get_by_role("link", name="Liverpool – Manchester United").click()
    expect(page.locator("#list .count")).to_have_text(["1 fired", "0 fired"])


def test_text_in_a_trigger_is_escaped(site: Site, stages: Stages, open_page: OpenPage) -> None:
    stages.make(trigger(GOAL_AT_HOME, entity_id="<img src=x onerror=alert(1)>"))
    page = open_page(f"{site.url}/triggers?game={GAME}")
    expect(page.locator("#list")).to_contain_text("<img src=x")
    assert page.locator("#list img").count() == 0


def test_markup_in_the_match_parameter_is_refused(gallery: Gallery) -> None:
    answer = gallery.http.get("/triggers", params={"game": '"><script>'})
    assert answer.status_code == 422
