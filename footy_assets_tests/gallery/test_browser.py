"""The gallery in a real Chromium: live updates, player, keyboard, layout, accessibility."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.sim import SimServer, fixture_json, goal, var_cancel
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.conftest import DESKTOP, PHONE, Gallery, OpenPage
from footy_assets_tests.gallery.site import Day, Site
from footy_assets_tests.matchday.harness import MatchdayHarness, no_sleep
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

T = TypeVar("T")


@pytest.fixture
def harness(
    database: Database[Document], site: Site, sim: SimServer, clock: ManualClock
) -> Iterator[MatchdayHarness]:
    """Polls the simulated provider into the database that the site shows."""
    clients = ExitStack()
    client = ApiFootball(sim.url, None, sleep=no_sleep)
    feed = in_own_thread(lambda: clients.enter_context(client))
    yield MatchdayHarness(
        MatchdayStore(database), sim, feed, clock, polling_policy(search_attempts=2)
    )
    in_own_thread(clients.close)


def in_own_thread(action: Callable[[], T]) -> T:
    """Playwright keeps an event loop in this thread; the provider's client needs its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(action).result()


def mark_page(page: Page) -> None:
    page.evaluate("window.stillTheSamePage = true")


def is_not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.stillTheSamePage === true"))


def first_half(**more: Any) -> dict[str, Any]:
    return {"status": "1H", "elapsed": 31, **more}


def test_a_goal_appears_gets_a_clip_and_is_cancelled_without_a_reload(
    harness: MatchdayHarness, site: Site, day: Day, clock: ManualClock, open_page: OpenPage
) -> None:
    salah = goal(30, team=40, player=234, name="M. Salah")
    kickoff = clock.now().replace(minute=0)
    harness.sim.put(fixture_json(5000, **first_half(kickoff=kickoff)))
    in_own_thread(harness.track)
    page = open_page(f"{site.url}/days/{clock.now():%Y-%m-%d}")
    card = page.locator("#match-5000")
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    expect(card.locator(".goal-line")).to_have_count(0)
    mark_page(page)

    harness.sim.put(fixture_json(5000, **first_half(kickoff=kickoff, goals=[salah])))
    in_own_thread(harness.poll)
    expect(card.locator(".name")).to_have_text("M. Salah")
    expect(card.locator(".chip")).to_contain_text("Just in")
    in_own_thread(harness.poll)
    expect(card.locator(".chip")).to_contain_text("Confirming 2 of 3")
    in_own_thread(harness.poll)
    expect(card.locator(".chip")).to_contain_text("Looking for clips")
    expect(page.locator("#announcer")).to_contain_text("M. Salah: Looking for clips")

    (found,) = harness.live()
    day.clips(found, "good")
    expect(card.locator(".chip")).to_contain_text("1 clip")
    expect(page.locator(".strip .tile")).to_have_count(1)
    expect(page.locator(".summary")).to_contain_text("1 clip")
    assert is_not_reloaded(page)

    cancellation = var_cancel(30, team=40, player=234, name="M. Salah")
    harness.sim.put(fixture_json(5000, **first_half(kickoff=kickoff, events=[cancellation])))
    for _ in range(4):
        in_own_thread(harness.poll)
    expect(card.locator(".chip")).to_contain_text("Removed")
    assert is_not_reloaded(page)


def test_an_open_goal_page_shows_that_the_goal_was_cancelled(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    scored = day.goal(day.match(), 31, "M. Salah")
    page = open_page(f"{site.url}/goals/{scored.event_id}")
    expect(page.get_by_text("No clip yet")).to_be_visible()
    mark_page(page)
    day.remove(scored)
    expect(page.get_by_text("This goal no longer counts.")).to_be_visible()
    assert is_not_reloaded(page)


def test_a_page_that_lost_its_connection_catches_up(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    day.match()
    page = open_page(f"{site.url}/matches/5000", expected=["net::ERR_INTERNET_DISCONNECTED"])
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    mark_page(page)
    page.context.set_offline(True)
    day.goal(day.match(score=(1, 0)), 31, "M. Salah")
    page.context.set_offline(False)
    expect(page.get_by_role("link", name="M. Salah")).to_be_visible(timeout=15_000)
    assert is_not_reloaded(page)


def test_a_change_that_cannot_be_fetched_at_once_is_fetched_later(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    """The stream reports the change, but the first fetch of the changed piece fails."""
    day.match()
    page = open_page(f"{site.url}/matches/5000", expected=["net::ERR_FAILED"])
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if route.request.url in failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.abort()

    page.route("**/pieces/**", fail_once)
    day.goal(day.match(score=(1, 0)), 31, "M. Salah")
    expect(page.get_by_role("link", name="M. Salah")).to_be_visible(timeout=15_000)
    assert failed


def test_a_clip_plays_and_seeks(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/watch/{gallery.matchday.clip_name}")
    page.evaluate("player.muted = true, player.play()")
    page.wait_for_function("() => player.currentTime > 0.5 && !player.paused")
    before = page.evaluate("player.currentTime")
    page.wait_for_function(f"() => player.currentTime > {before} + 0.3")
    page.evaluate("player.pause(), player.currentTime = 4")
    page.wait_for_function("() => !player.seeking && Math.abs(player.currentTime - 4) < 0.1")
    assert page.evaluate("player.readyState") >= 2
    assert page.evaluate("player.duration") == pytest.approx(6, abs=0.2)


def test_keyboard_shortcuts_of_the_player(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/watch/{gallery.matchday.clip_name}")
    first = page.url
    page.wait_for_function("() => player.duration > 0")
    page.keyboard.press("l")
    page.wait_for_function("() => player.currentTime > 4.5")
    page.keyboard.press("j")
    page.wait_for_function("() => player.currentTime < 0.5")
    page.evaluate("player.muted = true")
    page.keyboard.press("k")
    page.wait_for_function("() => !player.paused")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url != first)
    second = page.url
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(first)
    assert second != first
    page.get_by_label("Player or team").focus()
    page.keyboard.type("jk")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.url == first, "keys typed into the search box do not navigate"


def test_the_share_link_is_the_address_of_the_page(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(
        f"{gallery.site.url}/watch/{gallery.matchday.clip_name}",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_clip_can_be_downloaded(gallery: Gallery, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{gallery.site.url}/watch/{gallery.matchday.clip_name}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == f"{gallery.matchday.salah.event_id}-1.mp4"


def test_the_page_can_be_used_by_keyboard_alone(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/days/2025-05-10")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    focused_ids: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        focused_ids.append(page.evaluate("document.activeElement.id"))
    assert focused_ids.index("day") < focused_ids.index("to-match-5000")
    page.locator("#to-match-5000").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/5000")


def test_the_focus_stays_where_it_is_when_a_card_changes(
    site: Site, day: Day, open_page: OpenPage
) -> None:
    day.match()
    page = open_page(f"{site.url}/")
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    page.locator("#to-match-5000").focus()
    day.match(score=(3, 0))
    expect(page.locator("#match-5000 .digits").first).to_have_text("3")
    expect(page.locator("#to-match-5000")).to_be_focused()


def pages_of(gallery: Gallery) -> dict[str, str]:
    matchday = gallery.matchday
    return {
        "day": "/days/2025-05-10",
        "empty day": "/days/2030-01-01",
        "match": "/matches/5000",
        "goal": f"/goals/{matchday.searching.event_id}",
        "removed": f"/goals/{matchday.removed.event_id}",
        "clip": f"/watch/{matchday.clip_name}",
        "search": "/search?q=salah",
        "operations": "/operations",
        "matches to listen to": "/triggers",
        "triggers": "/triggers?game=5000",
        "triggers of a match that is not ours": "/triggers?game=elsewhere-7",
    }


def wait_for_triggers(page: Page) -> None:
    """Wait for what the trigger page renders itself; open the proof of one activation."""
    if page.locator("#triggers[data-game='5000']").count():
        page.get_by_text("History").first.click()
        expect(page.locator("#list table").first).to_be_visible()
    elif page.locator("#triggers").count():
        expect(page.locator("#list")).to_contain_text("No triggers on this match")


def test_every_page_fits_its_screen(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/")
    for name, path in pages_of(gallery).items():
        page.goto(gallery.site.url + path)
        wait_for_triggers(page)
        for viewport in (DESKTOP, PHONE):
            page.set_viewport_size(viewport)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"], f"{name} is {wide} wide"
            cut = page.evaluate(
                """() => [...document.querySelectorAll('main :is(a, button, input, select, .chip)')]
                    .filter(e => !e.closest('.strip') && e.getClientRects().length
                        && e.getBoundingClientRect().right > innerWidth + 1)
                    .map(e => e.outerHTML.slice(0, 80))"""
            )
            assert cut == [], (name, viewport)


def test_a_phone_stacks_columns_that_a_desktop_shows_side_by_side(
    gallery: Gallery, open_page: OpenPage
) -> None:
    def tops(viewport: dict[str, int]) -> tuple[float, float]:
        page = open_page(f"{gallery.site.url}/watch/{gallery.matchday.clip_name}", viewport)
        player, sidebar = (
            page.locator(".stage").bounding_box(),
            page.locator(".beside").bounding_box(),
        )
        assert player
        assert sidebar
        return player["y"], sidebar["y"]

    player, sidebar = tops(DESKTOP)
    assert player == sidebar
    player, sidebar = tops(PHONE)
    assert sidebar > player


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_no_serious_accessibility_violation(
    gallery: Gallery, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    page = open_page(f"{gallery.site.url}/", viewport)
    axe, found = Axe(), []
    for name, path in pages_of(gallery).items():
        page.emulate_media(color_scheme="light")
        page.goto(gallery.site.url + path)
        wait_for_triggers(page)
        violations = axe.run(page).response["violations"]
        # Only colours are others in the dark.
        page.emulate_media(color_scheme="dark")
        violations += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
        for violation in violations:
            where = [node["html"][:120] for node in violation["nodes"][:3]]
            found.append((name, violation["impact"], violation["id"], where))
    assert [one for one in found if one[1] in ("serious", "critical")] == []


def test_axe_finds_an_image_without_alt_text(gallery: Gallery, open_page: OpenPage) -> None:
    """Proves that the check above can fail."""
    page = open_page(f"{gallery.site.url}/days/2025-05-10")
    page.evaluate("document.querySelector('main img').removeAttribute('alt')")
    found = {violation["id"] for violation in Axe().run(page).response["violations"]}
    assert "image-alt" in found or "link-name" in found


def test_a_wrong_address_shows_a_page_with_a_link_to_the_matchday(
    gallery: Gallery, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(f"{gallery.site.url}/matches/77")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    page.get_by_role("link", name="To the matchday").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("10 May 2025")
    page.close()


def test_the_date_picker_leads_to_the_day(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/days/2025-05-12")
    page.get_by_label("Matchday", exact=True).fill("2025-05-10")
    page.wait_for_url("**/days/2025-05-10")


def test_a_search_leads_to_the_clip(gallery: Gallery, open_page: OpenPage) -> None:
    page = open_page(f"{gallery.site.url}/")
    page.get_by_label("Player or team").fill("salah")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="M. Salah").click()
    page.wait_for_url(f"**/watch/{gallery.matchday.clip_name}")
