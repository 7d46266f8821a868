"""The Atom feed of a subreddit, as far as it is read."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from pydantic import Field, ValidationError
from selectolax.lexbor import LexborHTMLParser

from footy_assets.errors import SiteAnswerInvalid
from resources.sites.shared_feed import FeedPost

ATOM = "{http://www.w3.org/2005/Atom}"
# The text of the link that was submitted.
SUBMITTED = "[link]"
MOST_LINKS = 20
LONGEST_URL = 2_000


class FeedEntry(FeedPost):
    """`links` are those of its text, the one that was submitted first."""

    id: str = Field(pattern=r"^t3_[a-z0-9]{1,16}$")
    title: str = Field(max_length=400)
    url: str = Field(pattern=r"^https?://", max_length=LONGEST_URL)
    author: str = Field("", max_length=100)
    links: tuple[str, ...] = ()


def parse_feed(content: bytes, unreadable: Counter[str]) -> tuple[FeedEntry, ...]:
    """Each entry is parsed on its own. Raises `SiteAnswerInvalid` if it is no Atom feed."""
    try:
        feed = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise SiteAnswerInvalid("Reddit's answer is not an Atom feed") from error
    if feed.tag != f"{ATOM}feed":
        raise SiteAnswerInvalid("Reddit's answer is not an Atom feed")
    return tuple(_entries(feed, unreadable))


def _entries(feed: Element, unreadable: Counter[str]) -> Iterator[FeedEntry]:
    for entry in feed.iterfind(f"{ATOM}entry"):
        link = entry.find(f"{ATOM}link")
        values: dict[str, Any] = {
            "id": _text(entry, "id"),
            "title": _text(entry, "title"),
            "url": link.get("href", "") if link is not None else "",
            "published": _text(entry, "published") or _text(entry, "updated"),
            "author": _text(entry, "author", "name").removeprefix("/u/"),
            "links": _links(_text(entry, "content")),
        }
        try:
            yield FeedEntry.model_validate(values)
        except ValidationError:
            unreadable["unknown_form"] += 1


def _text(entry: Element, *path: str) -> str:
    return (entry.findtext("/".join(f"{ATOM}{name}" for name in path)) or "").strip()


def _links(content: str) -> tuple[str, ...]:
    links = [
        (node.attributes.get("href") or "", node.text(strip=True))
        for node in LexborHTMLParser(content).css("a")
    ]
    submitted = [href for href, text in links if text == SUBMITTED]
    found = dict.fromkeys((*submitted, *(href for href, _ in links)))
    return tuple(href for href in found if href and len(href) <= LONGEST_URL)[:MOST_LINKS]
