"""Takes the screenshots of the README and the docs from a running stack.

./footy demo --keep            # in another terminal; prints the addresses of UI and gallery
.venv/bin/python docs/screenshots.py http://127.0.0.1:PORT http://127.0.0.1:PORT \
    2025-05-10 9261001_3914_391408_Goal_1
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from footy_assets.settings import load_settings
from resources.browser.binary import find_browser

FOLDER = Path(__file__).parent / "img"


def take_dagster(page: Page, ui: str, day: str, goal: str) -> None:
    page.goto(f"{ui}/assets/clips?view=lineage&lineageScope=upstream&lineageDepth=5")
    for name in ("fixtures", "live_events", "discovered_videos", "clips"):
        page.get_by_text(name, exact=True).last.wait_for()
    page.wait_for_timeout(4000)
    page.screenshot(path=FOLDER / "asset-graph.png")
    page.goto(f"{ui}/assets/live_events?view=partitions&partition={day}")
    page.get_by_text("goal_table", exact=True).wait_for()
    page.get_by_text("goal_table", exact=True).scroll_into_view_if_needed()
    page.wait_for_timeout(2000)
    page.screenshot(path=FOLDER / "live-events.png")
    page.goto(f"{ui}/assets/clips?view=partitions&partition={goal}")
    page.get_by_role("img", name="clip").wait_for()
    page.wait_for_timeout(2000)
    page.screenshot(path=FOLDER / "clips.png")


def take_gallery(page: Page, gallery: str, day: str) -> None:
    page.goto(f"{gallery}/days/{day}")
    page.wait_for_timeout(2000)
    page.screenshot(path=FOLDER / "gallery.png")


def main() -> None:
    ui, gallery, day, goal = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_browser(load_settings().browser_path)),
            args=["--no-sandbox", "--disable-gpu"],
        )
        take_dagster(
            browser.new_page(viewport={"width": 1760, "height": 720}), ui.rstrip("/"), day, goal
        )
        take_gallery(
            browser.new_page(viewport={"width": 1280, "height": 860}), gallery.rstrip("/"), day
        )
        browser.close()


if __name__ == "__main__":
    main()
