"""The files of a clip, as a page or an API of its host names them."""

from urllib.parse import urldefrag, urljoin, urlsplit

from pydantic import BaseModel, TypeAdapter, ValidationError
from selectolax.lexbor import LexborHTMLParser

MOST_FILES = 3
LONGEST_URL = 4_000
META_NAMES = frozenset({"og:video", "og:video:url", "og:video:secure_url", "twitter:player:stream"})
# Attributes that hold a player's file until it starts.
PLAYER_ATTRIBUTES = ("data-link", "src", "data-src")


# Not followed by a file: a player to embed.
EMBEDDED = frozenset({"text/html", "application/x-shockwave-flash"})


def files_of_page(content: str, url: str) -> tuple[str, ...]:
    """What `<video>`, `<source>` and `og:video` name; a player to embed is no file."""
    page = LexborHTMLParser(content)
    base = next((node.attributes.get("href") for node in page.css("base")), None)
    found = [*_of_players(page), *_of_alternatives(page), *_of_meta(page)]
    return _usable(found, urljoin(url, base or ""), url)


def _of_players(page: LexborHTMLParser) -> list[str]:
    players = [node.attributes for node in page.css("video")]
    return [player.get(name) or "" for player in players for name in PLAYER_ATTRIBUTES]


def _of_alternatives(page: LexborHTMLParser) -> list[str]:
    """A `<source>` of a picture has `srcset` instead."""
    nodes = [node.attributes for node in page.css("source")]
    return [node.get("src") or "" for node in nodes if not _is_other(node.get("type") or "")]


def _is_other(media_type: str) -> bool:
    return media_type.startswith(("audio/", "image/"))


def _of_meta(page: LexborHTMLParser) -> list[str]:
    named = [
        ((node.get("property") or node.get("name") or "").strip().lower(), node.get("content"))
        for node in (found.attributes for found in page.css("meta"))
    ]
    types = {(content or "").strip().lower() for name, content in named if name == "og:video:type"}
    if types & EMBEDDED:
        return []
    return [content or "" for name, content in named if name in META_NAMES]


class _Share(BaseModel):
    external_url: str | None = None


class _File(BaseModel):
    url: str | None = None
    height: int | None = None


class _Video(BaseModel):
    files: dict[str, _File | None] = {}


_SHARES = TypeAdapter(list[_Share])


def files_of_streamff(content: str, url: str) -> tuple[str, ...]:
    """`[{"external_url": …}]`; an expired clip is `[]`."""
    try:
        shares = _SHARES.validate_json(content)
    except ValidationError:
        return ()
    return _usable([share.external_url or "" for share in shares], url, url)


def files_of_streamable(content: str, url: str) -> tuple[str, ...]:
    """`{"files": {"mp4": {"url": …, "height": …}, "mp4-mobile": …}}`, the highest first."""
    try:
        files = _Video.model_validate_json(content).files.values()
    except ValidationError:
        return ()
    ranked = sorted((file for file in files if file), key=lambda file: -(file.height or 0))
    return _usable([file.url or "" for file in ranked], url, url)


def _usable(found: list[str], base: str, page: str) -> tuple[str, ...]:
    """Absolute, without fragments, over HTTP, and not the page itself; a few at most."""
    urls: dict[str, None] = {}
    for one in found:
        try:
            url = urldefrag(urljoin(base, one.strip())).url
            parts = urlsplit(url)
        except ValueError:
            continue
        is_file = parts.scheme in ("http", "https") and parts.hostname and len(url) <= LONGEST_URL
        if is_file and one.strip() and url != urldefrag(page).url:
            urls[url] = None
    return tuple(urls)[:MOST_FILES]
