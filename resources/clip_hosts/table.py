"""The hosts of clips: their domains, where their files are, and how one is found.

Their domains change often. FOOTY_CLIP_HOSTS adds new ones without a new version.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from footy_assets.clip_host_name import ClipHostName
from resources.clip_hosts.pages import files_of_page, files_of_streamable, files_of_streamff

CLIP_ID = re.compile(r"[A-Za-z0-9_-]{3,64}")
FILE_ENDINGS = (".mp4", ".mov", ".webm", ".m3u8")
# Parts of a path that are not a clip's id: `/en/ID/watch`, `/v/ID`, `/embed/ID`.
NOT_IDS = frozenset({"v", "c", "e", "o", "s", "watch", "embed", "share", "clip", "video", "videos"})


def clip_id(url: str) -> str | None:
    """The part of the path that names the clip: the longest."""
    parts = [part for part in urlsplit(url).path.split("/") if CLIP_ID.fullmatch(part)]
    return max((part for part in parts if part not in NOT_IDS), key=len, default=None)


@dataclass(frozen=True, slots=True)
class ClipHost:
    """`domains` serve the pages, and `files` the files; `*.` in front stands for any name below.

    `page` says what is read for the URL of a post, `{id}` being the clip's; empty, the URL itself.
    `known_files` are where a file is, if the page names none.
    """

    name: ClipHostName
    domains: tuple[str, ...]
    files: tuple[str, ...] = ()
    page: str = ""
    read: Callable[[str, str], tuple[str, ...]] = files_of_page
    known_files: tuple[str, ...] = ()

    @property
    def allowed(self) -> tuple[str, ...]:
        """Where a download from this host may connect to."""
        own = (name for domain in self.domains for name in (domain, f"*.{domain}"))
        return (*own, *self.files)

    def page_for(self, url: str) -> str | None:
        """None if the URL is that of a file."""
        if urlsplit(url).path.lower().endswith(FILE_ENDINGS):
            return None
        found = clip_id(url)
        if not self.page or found is None:
            return url
        parts = urlsplit(url)
        return self.page.format(id=found, origin=f"{parts.scheme}://{parts.netloc}")

    def files_for(self, url: str) -> tuple[str, ...]:
        """Guesses; empty without a clip's id."""
        found = clip_id(url)
        return tuple(file.format(id=found) for file in self.known_files) if found else ()


CLIP_HOSTS = (
    ClipHost(
        ClipHostName.STREAMIN,
        ("streamin.link", "streamin.me", "streamin.one", "streamin.fun", "streamin.top"),
        # Its older clips are on a public disk.
        ("downloader.disk.yandex.ru", "*.storage.yandex.net", "*.disk.yandex.net"),
        known_files=("https://w-cdn.streamin.top/uploads/{id}.mp4",),
    ),
    ClipHost(
        ClipHostName.STREAMFF,
        ("streamff.link", "streamff.com", "streamff.pro", "streamff.one", "streamff.ink"),
        ("ffedge.streamff.com", "cdn.streamff.one", "cdn.hostedhost.top"),
        # Its page is made by a script, and its `og:video` is the page itself.
        page="https://ffedge.streamff.com/share/{id}",
        read=files_of_streamff,
        known_files=("https://cdn.streamff.one/{id}.mp4",),
    ),
    ClipHost(
        ClipHostName.STREAMAIN,
        ("streamain.com", "streama.in"),
        ("media.sportits.com", "*.sportits.com"),
        page="{origin}/embed/{id}",
    ),
    ClipHost(
        ClipHostName.DUBZ,
        ("dubz.link", "dubz.co", "dubz.live"),
        ("dubzalt.com", "*.dubzalt.com", "cdn.makevos.com", "cdn.squeelab.com"),
        known_files=(
            "https://cdn.makevos.com/videos/{id}.mp4",
            "https://cdn.squeelab.com/guest/videos/{id}.mp4",
        ),
    ),
    ClipHost(
        ClipHostName.STREAMABLE,
        ("streamable.com",),
        page="https://api.streamable.com/videos/{id}",
        read=files_of_streamable,
    ),
    ClipHost(ClipHostName.OTHER, ()),
)


class ClipHosts:
    """The table, with the domains that a setting adds: `domain`, or `domain=name of a host`."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._hosts = {host.name: host for host in CLIP_HOSTS}
        self._by_domain = {domain: host.name for host in CLIP_HOSTS for domain in host.domains}
        for entry in more:
            domain, _, name = entry.lower().partition("=")
            self._add(domain, ClipHostName(name or ClipHostName.OTHER))

    def _add(self, domain: str, name: ClipHostName) -> None:
        self._by_domain[domain] = name
        if name is not ClipHostName.OTHER:
            host = self._hosts[name]
            self._hosts[name] = replace(host, domains=(*host.domains, domain))

    def host_of(self, url: str) -> ClipHost | None:
        """The host of a URL over HTTP, also below a domain; one of no known kind has its own
        domain only."""
        try:
            parts = urlsplit(url)
            domain = (parts.hostname or "").lower().rstrip(".")
        except ValueError:
            return None
        if parts.scheme not in ("http", "https"):
            return None
        while domain not in self._by_domain and "." in domain:
            domain = domain.partition(".")[2]
        name = self._by_domain.get(domain)
        if name is ClipHostName.OTHER:
            return replace(self._hosts[name], domains=(domain,))
        return self._hosts[name] if name else None
