"""Plays videos in a page, all at once and without sound, and seeks in them."""

from collections.abc import Sequence

from playwright.sync_api import Page

PLAY = """urls => {
    window.players = urls.map(url => {
        const player = document.createElement("video");
        player.muted = true;
        player.src = url;
        document.body.append(player);
        player.play();
        return player;
    });
}"""
SEEK = "players.forEach(one => { one.pause(); one.currentTime = one.duration - 1; })"
AT_THE_END = """() => players.every(one => !one.seeking && one.readyState >= 2
    && Math.abs(one.currentTime - (one.duration - 1)) < 0.1)"""


def play_and_seek(page: Page, urls: Sequence[str]) -> list[float]:
    """Each video plays, and goes to a second before its end. Returns their lengths."""
    page.evaluate(PLAY, list(urls))
    page.wait_for_function("() => players.every(one => one.currentTime > 0.3)")
    page.evaluate(SEEK)
    page.wait_for_function(AT_THE_END)
    assert page.evaluate("players.every(one => one.videoWidth > 0 && one.error === null)")
    lengths: list[float] = page.evaluate("players.map(one => one.duration)")
    return lengths
