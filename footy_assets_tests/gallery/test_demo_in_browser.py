"""A simulated match played by the installed package, with no checkout, and watched in a browser.

Two of its players are followed before kickoff: messages about them arrive at a channel and at a
webhook, each once, and their links play.

Four minutes of a match pass in a second here. A machine that is busy meanwhile may see a goal too
late, or search for it too late: then it has no clip, but never a wrong one.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from footy_assets.runtime.demo_day import DemoDay
from footy_assets.sim.clubs import Person
from footy_assets.sim.fan_sites import SITES
from footy_assets_tests.fixtures.films import FILMED_MATCH
from footy_assets_tests.fixtures.package import Installed
from footy_assets_tests.gallery.conftest import OpenPage
from footy_assets_tests.gallery.playing import play_and_seek
from footy_assets_tests.runtime.stack import Stack
from footy_assets_tests.triggers.fake_channel import FakeChannel, channel
from footy_assets_tests.triggers.fake_subscriber import FakeSubscriber, subscriber

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FOUR_MINUTES = 240_000
# What becomes of a goal on a machine that does not keep pace; the clips of others stay right.
TOO_LATE = ("", "no clip")
TOKEN = "t0ken-f0r-tests"
# Longer than the stack takes to start; what is left of it is skipped.
KICKOFF_IN = "180"


def test_a_goal_of_the_demo_becomes_a_clip_that_plays_without_a_reload_and_so_do_all(
    installed: Installed, tmp_path: Path, footage: Path, open_page: OpenPage
) -> None:
    with channel() as phone, subscriber() as hook:
        play_demo(installed, tmp_path / "home", footage, open_page, phone, hook)


def play_demo(
    installed: Installed,
    home: Path,
    footage: Path,
    open_page: OpenPage,
    phone: FakeChannel,
    hook: FakeSubscriber,
) -> None:
    before = installed.files()
    home.mkdir()
    (home / "footage").symlink_to(footage)
    demo = Stack(
        home,
        *("demo", "--match", FILMED_MATCH, "--speed", "240", "--keep", "--json"),
        *("--kickoff-in", KICKOFF_IN),
        command=installed.environment / "bin" / "footy",
        environ=installed.env,
        cwd=installed.folder,
        FOOTY_API_TOKEN=TOKEN,
        FOOTY_NOTIFY_PRIVATE_ADDRESSES="true",
    )
    try:
        page = open_page(f"{demo.gallery()}/days/2025-05-10")
        expect(page.locator("article.card")).to_have_count(1, timeout=FOUR_MINUTES)
        players = follow_scorers_before_kickoff(demo, open_page, phone, hook)
        installed.output("footy", "demo", "--kickoff-now", FOOTY_HOME=str(home))
        page.evaluate("window.stillTheSamePage = true")
        goals = page.locator(".goal-line")
        expect(goals.first).to_be_visible(timeout=FOUR_MINUTES)
        expect(goals.locator(".chip.clips").first).to_be_visible(timeout=FOUR_MINUTES)
        expect(page.locator(".strip .tile").first).to_be_visible()
        assert page.evaluate("window.stillTheSamePage === true")

        page.locator(".strip .tile").first.click()
        expect(page.locator("#player")).to_be_visible()
        page.evaluate("player.muted = true, player.play()")
        page.wait_for_function("() => player.currentTime > 0.5 && !player.paused")
        page.evaluate("player.pause(), player.currentTime = 6")
        page.wait_for_function("() => !player.seeking && Math.abs(player.currentTime - 6) < 0.1")
        page.close()

        demo.wait_until(lambda: "Still running:" in demo.said, 300)
        stored = httpx.get(f"{demo.gallery()}/api/v1/clips", params={"limit": 200}, timeout=20)
        clips = {clip["url"] for clip in stored.raise_for_status().json()["items"]}
        page = open_page(demo.gallery())
        play_and_seek(page, [f"{demo.gallery()}{clip}" for clip in sorted(clips)])
        assert_each_message_came_once(demo, page, players, phone, hook)
        page.close()
        demo.stop()
    finally:
        demo.kill_everything()
    assert installed.files() == before
    outcome = json.loads(demo.said.strip().splitlines()[-1])
    assert outcome["right"], outcome
    assert [goal for goal in outcome["clips"] if goal["problem"] not in TOO_LATE] == [], outcome
    assert clips
    assert clips >= {clip for goal in outcome["clips"] for clip in goal["clips"]}, outcome
    assert [site["site"] for site in outcome["sites"]] == list(SITES)
    assert sum(site["taken"] for site in outcome["sites"]) >= len(clips), outcome


def follow_scorers_before_kickoff(
    demo: Stack, open_page: OpenPage, phone: FakeChannel, hook: FakeSubscriber
) -> list[Person]:
    """With the stars of the match's page. A signed webhook gets the same messages."""
    (script,) = DemoDay(matches=[FILMED_MATCH]).world().scripts
    stay = [line.last_shown for line in script.lines if line.removed_by is None]
    players = [one.player for one in stay if one.is_goal]
    match = f"{demo.gallery()}/matches/{script.fixture_id}"
    demo.wait_until(lambda: all(one.name in httpx.get(match).text for one in players), 120)
    page = open_page(match)
    for player in players:
        follow(page, player.name, phone)
    expect(page.locator("#match-piece")).to_contain_text("Not started")
    page.close()
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=f"{demo.gallery()}/api/v1", headers=headers, timeout=20) as api:
        kept = api.get("/follows").raise_for_status().json()["data"]
        wanted = {"url": hook.url, "entity": "follow"}
        made = api.post("/subscriptions", json=wanted).raise_for_status().json()["data"]
    assert {one["name"] for one in kept} == {player.name for player in players}
    hook.secret = made["attributes"]["secret"]
    return players


def follow(page: Page, name: str, phone: FakeChannel) -> None:
    """The first time with an address and the token, then with one more click."""
    page.get_by_role("button", name=f"Follow {name}").click()
    token = page.locator("dialog [name=token]")
    if token.is_visible():
        page.locator("dialog [name=channel]").select_option("new")
        page.locator("dialog [name=url]").fill(phone.json_url())
        token.fill(TOKEN)
    else:
        expect(page.locator("dialog [name=channel] option:checked")).to_have_text("json://********")
    page.get_by_role("button", name="Follow", exact=True).click()
    expect(page.locator(".toast b").first).to_have_text(f"You follow {name}")


def assert_each_message_came_once(
    demo: Stack, page: Page, players: Sequence[Person], phone: FakeChannel, hook: FakeSubscriber
) -> None:
    goals = [one for one in demo.goals() if one["player_id"] in {player.id for player in players}]
    goal_of = {demo.gallery() + c["page"]: one["event_id"] for one in goals for c in one["clips"]}
    with_clips = set(goal_of.values())

    def links() -> list[str]:
        return [one["message"].splitlines()[-1] for one in phone.received if is_clip(one)]

    demo.wait_until(lambda: {goal_of.get(one) for one in links()} == with_clips, 60)
    demo.wait_until(lambda: len(hook.received) == len(phone.received), 60)
    assert with_clips
    assert len(links()) == len(with_clips), "a goal's clip is announced once"
    assert len(set(phone.keys)) == len(phone.keys), "no message came twice"
    assert len(set(hook.keys)) == len(hook.keys), "no notification came twice"
    told = Counter(body["message"]["title"] for _, body in hook.received)
    assert told == Counter(phone.titles), "both got the same"
    assert told["Full time"] == len(players), "each follow has its final whistle"
    by_hook = {body["message"]["link"] for _, body in hook.received}
    assert by_hook >= set(links())
    for link in links():
        page.goto(link)
        page.evaluate("player.muted = true, player.play()")
        page.wait_for_function("() => player.currentTime > 0.5 && player.readyState >= 2")


def is_clip(message: dict[str, Any]) -> bool:
    return bool(message["title"].startswith("Clip: goal by "))
