"""The hosts that downloads may reach: those of each site, and their CDNs."""

from collections.abc import Iterable

from footy_assets.site_name import SiteName

# `*.` in front stands for any name below. No redirector is among them, such as t.co.
HOSTS: dict[SiteName, tuple[str, ...]] = {
    SiteName.X: (
        *("x.com", "api.x.com", "twitter.com", "mobile.twitter.com", "api.twitter.com"),
        # Films, and what yt-dlp reads of a post without a login.
        *("video.twimg.com", "pbs.twimg.com", "cdn.syndication.twimg.com"),
    ),
    SiteName.BLUESKY: (
        *("bsky.app", "public.api.bsky.app", "api.bsky.app"),
        *("video.bsky.app", "video.cdn.bsky.app", "cdn.bsky.app"),
        # Servers on which Bluesky itself keeps posts.
        *("bsky.social", "*.host.bsky.network"),
    ),
    # Its posts link to hosts of clips, each with hosts of its own: `resources/clip_hosts/table.py`.
    SiteName.REDDIT: (),
    SiteName.TELEGRAM: ("*.telesco.pe", "*.cdn-telegram.org"),
}
# Of these, the hosts of posts and APIs: the others serve films.
PAGE_HOSTS = (
    *("x.com", "api.x.com", "twitter.com", "mobile.twitter.com", "api.twitter.com"),
    *("cdn.syndication.twimg.com", "bsky.app", "public.api.bsky.app", "api.bsky.app"),
    "bsky.social",
)


def allowed_hosts(more: Iterable[str] = ()) -> tuple[str, ...]:
    """The hosts of all sites, and those that a setting adds."""
    return (*(host for hosts in HOSTS.values() for host in hosts), *more)


def is_allowed(host: str, allowed: Iterable[str]) -> bool:
    name = host.lower().rstrip(".").strip("[]")
    return any(
        name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern
        for pattern in map(str.lower, allowed)
    )
