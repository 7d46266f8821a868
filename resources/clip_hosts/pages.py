"""The files of a clip, as a page or an API of its host names them."""

from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

from pydantic import BaseModel, TypeAdapter, ValidationError

MOST_FILES = 3
LONGEST_URL = 4_000
# In this order: what the player plays, then what the page offers to other sites.
PLAYER, ALTERNATIVE, META = range(3)
META_NAMES = frozenset({"og:video", "og:video:url", "og:video:secure_url", "twitter:player:stream"})
# Attributes that hold a player's file until it starts.
PLAYER_ATTRIBUTES = ("data-link", "src", "data-src")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self.base = ""
        self.og_type = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in reversed(attrs) if value}
        match tag:
            case "video":
                self._add(PLAYER, *(values.get(name) for name in PLAYER_ATTRIBUTES))
            case "source" if not values.get("type", "video/").startswith(("audio/", "image/")):
                # `srcset` alone is that of a picture.
                self._add(ALTERNATIVE, values.get("src"))
            case "meta":
                name = values.get("property", values.get("name", "")).strip().lower()
                if name in META_NAMES:
                    self._add(META, values.get("content"))
                elif name == "og:video:type":
                    self.og_type = values.get("content", "").strip().lower()
            case "base":
                self.base = self.base or values.get("href", "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def _add(self, kind: int, *urls: str | None) -> None:
        self.found += [(kind, url) for url in urls if url]


def files_of_page(content: str, url: str) -> tuple[str, ...]:
    """What `<video>`, `<source>` and `og:video` name; a player to embed is no file."""
    page = _Page()
    page.feed(content)
    page.close()
    base = urljoin(url, page.base)
    embeds = page.og_type in ("text/html", "application/x-shockwave-flash")
    found = [one for kind, one in sorted(page.found, key=_kind) if not (kind == META and embeds)]
    return _usable(found, base, url)


def _kind(found: tuple[int, str]) -> int:
    return found[0]


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
