"""The gallery in a real Chromium, on a matchday that is played while it is looked at."""

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
from footy_assets_tests.gallery.conftest import DESKTOP, PHONE, Open, Shown
from footy_assets_tests.gallery.site import Day, Site
from footy_assets_tests.matchday.bench import Bench, no_sleep
from footy_assets_tests.policies import polling_policy
from resources.api_football.client import ApiFootball

T = TypeVar("T")


@pytest.fixture
def bench(
    database: Database[Document], site: Site, sim: SimServer, clock: ManualClock
) -> Iterator[Bench]:
    """The real poll over the simulated provider, for the matchday that the site shows."""
    opened = ExitStack()
    client = ApiFootball(sim.url, None, sleep=no_sleep)
    feed = apart(lambda: opened.enter_context(client))
    yield Bench(MatchdayStore(database), sim, feed, clock, polling_policy(search_attempts=2))
    apart(opened.close)


def apart(act: Callable[[], T]) -> T:
    """Playwright keeps an event loop in our thread; the provider's client wants one of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(act).result()


def seen_without_reload(page: Page) -> None:
    page.evaluate("window.stillTheSamePage = true")


def still_the_same(page: Page) -> bool:
    return bool(page.evaluate("window.stillTheSamePage === true"))


def first_half(**more: Any) -> dict[str, Any]:
    return {"status": "1H", "elapsed": 31, **more}


def test_a_goal_appears_becomes_a_clip_and_is_taken_back_without_a_reload(
    bench: Bench, site: Site, day: Day, clock: ManualClock, open_page: Open
) -> None:
    salah = goal(30, team=40, player=234, name="M. Salah")
    kickoff = clock.now().replace(minute=0)
    bench.sim.put(fixture_json(5000, **first_half(kickoff=kickoff)))
    apart(bench.track)
    page = open_page(f"{site.url}/days/{clock.now():%Y-%m-%d}")
    card = page.locator("#match-5000")
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    expect(card.locator(".goal-line")).to_have_count(0)
    seen_without_reload(page)

    bench.sim.put(fixture_json(5000, **first_half(kickoff=kickoff, goals=[salah])))
    apart(bench.poll)
    expect(card.locator(".name")).to_have_text("M. Salah")
    expect(card.locator(".chip")).to_contain_text("Just in")
    apart(bench.poll)
    expect(card.locator(".chip")).to_contain_text("Confirming 2 of 3")
    apart(bench.poll)
    expect(card.locator(".chip")).to_contain_text("Looking for clips")
    expect(page.locator("#announcer")).to_contain_text("M. Salah: Looking for clips")

    (found,) = bench.live()
    day.clips(found, "good")
    expect(card.locator(".chip")).to_contain_text("1 clip")
    expect(page.locator(".strip .tile")).to_have_count(1)
    expect(page.locator(".summary")).to_contain_text("1 clip")
    assert still_the_same(page)

    taken_back = var_cancel(30, team=40, player=234, name="M. Salah")
    bench.sim.put(fixture_json(5000, **first_half(kickoff=kickoff, events=[taken_back])))
    for _ in range(4):
        apart(bench.poll)
    expect(card.locator(".chip")).to_contain_text("Removed")
    assert still_the_same(page)


def test_an_open_page_of_a_goal_says_when_it_is_taken_back(
    site: Site, day: Day, open_page: Open
) -> None:
    scored = day.goal(day.match(), 31, "M. Salah")
    page = open_page(f"{site.url}/goals/{scored.event_id}")
    expect(page.get_by_text("No clip yet")).to_be_visible()
    seen_without_reload(page)
    day.remove(scored)
    expect(page.get_by_text("This goal no longer counts.")).to_be_visible()
    assert still_the_same(page)


def test_a_page_that_lost_its_connection_catches_up(site: Site, day: Day, open_page: Open) -> None:
    day.match()
    page = open_page(f"{site.url}/matches/5000", expected=["net::ERR_INTERNET_DISCONNECTED"])
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    seen_without_reload(page)
    page.context.set_offline(True)
    day.goal(day.match(score=(1, 0)), 31, "M. Salah")
    page.context.set_offline(False)
    expect(page.get_by_role("link", name="M. Salah")).to_be_visible(timeout=15_000)
    assert still_the_same(page)


def test_a_change_that_cannot_be_fetched_at_once_is_fetched_later(
    site: Site, day: Day, open_page: Open
) -> None:
    """The stream still brings the change, but what changed cannot be had."""
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


def test_a_clip_plays_and_can_be_sought_in(shown: Shown, open_page: Open) -> None:
    page = open_page(f"{shown.site.url}/watch/{shown.played.clip_name}")
    page.evaluate("player.muted = true, player.play()")
    page.wait_for_function("() => player.currentTime > 0.5 && !player.paused")
    before = page.evaluate("player.currentTime")
    page.wait_for_function(f"() => player.currentTime > {before} + 0.3")
    page.evaluate("player.pause(), player.currentTime = 4")
    page.wait_for_function("() => !player.seeking && Math.abs(player.currentTime - 4) < 0.1")
    assert page.evaluate("player.readyState") >= 2
    assert page.evaluate("player.duration") == pytest.approx(6, abs=0.2)


def test_the_keys_of_the_player(shown: Shown, open_page: Open) -> None:
    page = open_page(f"{shown.site.url}/watch/{shown.played.clip_name}")
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
    assert page.url == first, "whoever types a name is not sent elsewhere"


def test_the_share_link_is_the_address_of_the_page(shown: Shown, open_page: Open) -> None:
    page = open_page(
        f"{shown.site.url}/watch/{shown.played.clip_name}",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_clip_can_be_downloaded(shown: Shown, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{shown.site.url}/watch/{shown.played.clip_name}")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download").click()
    assert waiting.value.suggested_filename == f"{shown.played.salah.event_id}-1.mp4"


def test_the_page_can_be_used_by_keyboard_alone(shown: Shown, open_page: Open) -> None:
    page = open_page(f"{shown.site.url}/days/2025-05-10")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    assert reached.index("day") < reached.index("to-match-5000")
    page.locator("#to-match-5000").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/5000")


def test_the_focus_stays_where_it_is_when_a_card_changes(
    site: Site, day: Day, open_page: Open
) -> None:
    day.match()
    page = open_page(f"{site.url}/")
    expect(page.locator("#pulse")).to_have_text("Live updates are on")
    page.locator("#to-match-5000").focus()
    day.match(score=(3, 0))
    expect(page.locator("#match-5000 .digits").first).to_have_text("3")
    expect(page.locator("#to-match-5000")).to_be_focused()


def pages_of(shown: Shown) -> dict[str, str]:
    played = shown.played
    return {
        "day": "/days/2025-05-10",
        "empty day": "/days/2030-01-01",
        "match": "/matches/5000",
        "goal": f"/goals/{played.looking.event_id}",
        "removed": f"/goals/{played.removed.event_id}",
        "clip": f"/watch/{played.clip_name}",
        "search": "/search?q=salah",
        "operations": "/operations",
        "matches to listen to": "/triggers",
        "triggers": "/triggers?game=5000",
        "triggers of a match that is not ours": "/triggers?game=elsewhere-7",
    }


def drawn(page: Page) -> None:
    """What the trigger page draws by itself is there, with the proof of one activation."""
    if page.locator("#triggers[data-game='5000']").count():
        page.get_by_text("History").first.click()
        expect(page.locator("#list table").first).to_be_visible()
    elif page.locator("#triggers").count():
        expect(page.locator("#list")).to_contain_text("No triggers on this match")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_page_fits_its_screen(
    shown: Shown, open_page: Open, viewport: dict[str, int]
) -> None:
    page = open_page(f"{shown.site.url}/", viewport)
    for name, path in pages_of(shown).items():
        page.goto(shown.site.url + path)
        drawn(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= viewport["width"], f"{name} is {wide} wide"
        cut = page.evaluate(
            """() => [...document.querySelectorAll('main :is(a, button, input, select, .chip)')]
                .filter(e => !e.closest('.strip') && e.getClientRects().length
                    && e.getBoundingClientRect().right > innerWidth + 1)
                .map(e => e.outerHTML.slice(0, 80))"""
        )
        assert cut == [], name


def test_a_phone_stacks_what_a_desktop_puts_side_by_side(shown: Shown, open_page: Open) -> None:
    def tops(viewport: dict[str, int]) -> tuple[float, float]:
        page = open_page(f"{shown.site.url}/watch/{shown.played.clip_name}", viewport)
        stage, beside = (
            page.locator(".stage").bounding_box(),
            page.locator(".beside").bounding_box(),
        )
        assert stage
        assert beside
        return stage["y"], beside["y"]

    stage, beside = tops(DESKTOP)
    assert stage == beside
    stage, beside = tops(PHONE)
    assert beside > stage


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_that_keeps_people_out(
    shown: Shown, open_page: Open, scheme: str, viewport: dict[str, int]
) -> None:
    page = open_page(f"{shown.site.url}/", viewport, scheme)
    axe, found = Axe(), []
    for name, path in pages_of(shown).items():
        page.goto(shown.site.url + path)
        drawn(page)
        for violation in axe.run(page).response["violations"]:
            where = [node["html"][:120] for node in violation["nodes"][:3]]
            found.append((name, violation["impact"], violation["id"], where))
    assert [one for one in found if one[1] in ("serious", "critical")] == []


def test_axe_would_find_it(shown: Shown, open_page: Open) -> None:
    """The check above can fail: a picture without words is found."""
    page = open_page(f"{shown.site.url}/days/2025-05-10")
    page.evaluate("document.querySelector('main img').removeAttribute('alt')")
    found = {violation["id"] for violation in Axe().run(page).response["violations"]}
    assert "image-alt" in found or "link-name" in found


def test_a_wrong_address_is_a_page_with_a_way_on(shown: Shown, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{shown.site.url}/matches/77")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    page.get_by_role("link", name="To the matchday").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("10 May 2025")
    page.close()


def test_the_date_picker_leads_to_the_day(shown: Shown, open_page: Open) -> None:
    page = open_page(f"{shown.site.url}/days/2025-05-12")
    page.get_by_label("Matchday", exact=True).fill("2025-05-10")
    page.wait_for_url("**/days/2025-05-10")


def test_a_search_leads_to_the_clip(shown: Shown, open_page: Open) -> None:
    page = open_page(f"{shown.site.url}/")
    page.get_by_label("Player or team").fill("salah")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="M. Salah").click()
    page.wait_for_url(f"**/watch/{shown.played.clip_name}")
