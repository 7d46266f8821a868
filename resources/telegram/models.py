"""The web preview of a Telegram channel (`t.me/s/<channel>`), as far as it is read.

It is a page for people, unofficial as an interface: messages oldest first, each with its number,
time and text. A video that is too big for the preview has a mark in place of its file.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from pydantic import Field, ValidationError
from selectolax.lexbor import LexborHTMLParser, LexborNode

from footy_assets.errors import SiteAnswerInvalid
from resources.sites.shared_feed import FeedPost

MESSAGE = "div.tgme_widget_message[data-post]"
PLAYER = "a.tgme_widget_message_video_player"
HISTORY = ".tgme_channel_history, .tgme_channel_info"
LONGEST_TEXT = 1_500
LONGEST_URL = 2_000
MOST_VIDEOS = 10
LONGEST_SECONDS = 24 * 3_600
TOO_BIG, NOT_SUPPORTED = "too_big_for_preview", "not_supported_by_preview"

POST_ID = re.compile(r"/(\d{1,12})(?:\?|$)")
DURATION = re.compile(r"^(?:(\d{1,2}):)?(\d{1,2}):(\d{2})$")
STYLE_WIDTH = re.compile(r"(?:^|;)\s*width:\s*(\d{1,5}(?:\.\d+)?)px")
STYLE_RATIO = re.compile(r"padding-top:\s*(\d{1,4}(?:\.\d+)?)%")
COUNT = re.compile(r"^(\d+(?:\.\d+)?)([KMB]?)$", re.IGNORECASE)
MULTIPLES = {"": 1, "K": 1_000, "M": 1_000_000, "B": 1_000_000_000}


class ChannelMessage(FeedPost):
    """A message, or one video of an album. `video_url` is missing if there is no video, or if the
    preview does not serve it: then `unplayable` says why. `width` and `height` are the channel's
    claim."""

    id: str = Field(pattern=r"^\w{1,64}/\d{1,12}$")
    text: str = ""
    author: str = Field("", max_length=200)
    views: int = Field(0, ge=0)
    video_url: str | None = Field(None, pattern=r"^https?://", max_length=LONGEST_URL)
    unplayable: str = ""
    duration: float | None = Field(None, ge=0, le=LONGEST_SECONDS)
    width: int | None = Field(None, gt=0)
    height: int | None = Field(None, gt=0)

    @property
    def number(self) -> int:
        """Messages of a channel are numbered in the order of their time."""
        return int(self.id.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class ChannelPage:
    """`before` is the number that asks for the page of older messages, if there is one."""

    messages: tuple[ChannelMessage, ...]
    before: int | None


def parse_page(content: str, url: str, unreadable: Counter[str]) -> ChannelPage:
    """Each message is parsed on its own. Raises `SiteAnswerInvalid` if it is no preview."""
    page = LexborHTMLParser(content)
    nodes = page.css(MESSAGE)
    if not nodes and not page.css(HISTORY):
        raise SiteAnswerInvalid("Telegram's answer is not the preview of a channel")
    messages: list[ChannelMessage] = []
    for node in nodes:
        try:
            messages += [ChannelMessage.model_validate(one) for one in _values(node, url)]
        except ValidationError:
            unreadable["unknown_form"] += 1
    if nodes and not messages:
        raise SiteAnswerInvalid("no message of Telegram's preview can be read")
    return ChannelPage(tuple(messages), _before(page))


def _values(node: LexborNode, url: str) -> Iterator[dict[str, Any]]:
    """One for each video, and one for a message without any."""
    id_ = node.attributes.get("data-post") or ""
    time = node.css_first(".tgme_widget_message_date time[datetime]")
    common = {
        "id": id_,
        "published": time.attributes.get("datetime") if time else None,
        "text": _text(node),
        "author": _line(node, ".tgme_widget_message_owner_name"),
        "views": parse_count(_line(node, ".tgme_widget_message_views")),
    }
    players = node.css(PLAYER)[:MOST_VIDEOS]
    if not players:
        yield common
    for number, player in enumerate(players):
        found = POST_ID.search(player.attributes.get("href") or "")
        # Each video of an album is a message of its own number.
        own = {"id": f"{id_.partition('/')[0]}/{found[1]}"} if number and found else {}
        yield common | own | _video(player, url)


def _video(player: LexborNode, url: str) -> dict[str, Any]:
    film = player.css_first("video[src]")
    source = (film.attributes.get("src") or "").strip() if film else ""
    width, height = _size(player)
    return {
        "video_url": urljoin(url, source) if source else None,
        "unplayable": "" if source else _reason(player),
        "duration": parse_duration(_line(player, ".message_video_duration")),
        "width": width,
        "height": height,
    }


def _reason(player: LexborNode) -> str:
    label = _line(player, ".message_media_not_supported_label").lower()
    return TOO_BIG if "too big" in label else NOT_SUPPORTED


def _size(player: LexborNode) -> tuple[int | None, int | None]:
    """`width:624px;padding-top:67.3%`: the height is that share of the width."""
    wrap = player.css_first(".tgme_widget_message_video_wrap")
    style = (wrap.attributes.get("style") or "") if wrap else ""
    width, ratio = STYLE_WIDTH.search(style), STYLE_RATIO.search(style)
    if width is None or ratio is None:
        return None, None
    sides = float(width[1]), float(width[1]) * float(ratio[1]) / 100
    return (round(sides[0]), round(sides[1])) if min(sides) >= 1 else (None, None)


def _text(node: LexborNode) -> str:
    """Without the text that the message replies to."""
    found = node.css_first(".js-message_text")
    if found is None:
        return ""
    for line_break in found.css("br"):
        line_break.replace_with("\n")
    return found.text().strip()[:LONGEST_TEXT]


def _line(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return found.text(strip=True)[:200] if found else ""


def _before(page: LexborHTMLParser) -> int | None:
    found = page.css_first("a.tme_messages_more[data-before]")
    text = (found.attributes.get("data-before") or "") if found else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def parse_duration(text: str) -> float | None:
    """`0:03`, `12:40` or `1:02:03`, in seconds."""
    found = DURATION.match(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3_600.0 + minutes * 60 + seconds


def parse_count(text: str) -> int:
    """`987`, `1.2K` or `3M`; zero if it is none."""
    found = COUNT.match(text)
    return round(float(found[1]) * MULTIPLES[found[2].upper()]) if found else 0
