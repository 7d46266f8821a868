"""Telegram as a video site: messages of the listed channels that name the goal."""

from collections import Counter
from collections.abc import Sequence

import structlog

from footy_assets.errors import ChannelNotReadable, SiteError
from footy_assets.search.rules.free_text import names_goal
from footy_assets.search.rules.popularity import popularity
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.site_name import SiteName
from resources.sites.shared_feed import StoredFeed
from resources.telegram.feed import ChannelFeed
from resources.telegram.models import ChannelMessage

SITE = SiteName.TELEGRAM.value
WEB = "https://t.me"
NO_CHANNELS = "no Telegram channel is listed"
NO_CHANNELS_FIX = (
    "List public channels in FOOTY_TELEGRAM_CHANNELS, or leave telegram out of FOOTY_SITES"
)
log = structlog.get_logger()


class TelegramSite:
    """A `VideoSite`. Use as a context manager."""

    def __init__(self, feeds: Sequence[ChannelFeed]) -> None:
        self._feeds = tuple(feeds)

    @property
    def name(self) -> str:
        return SITE

    def __enter__(self) -> "TelegramSite":
        return self

    def __exit__(self, *error: object) -> None:
        for feed in self._feeds:
            feed.close()

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """SE6: the videos whose text names the goal. SE5: a channel fails alone; if all do, the
        search fails."""
        unreadable: Counter[str] = Counter()
        posts: list[Post] = []
        looked_at = 0
        for channel, stored in self._read(window, on_progress, unreadable):
            unreadable.update(stored.unreadable)
            if stored.complete_since is None or stored.complete_since > window.since:
                unreadable["not_read"] += 1
            within = [message for message in stored.entries if message.is_within(window)]
            looked_at += len(within)
            of_goal = [message for message in within if _is_wanted(message, query)]
            unreadable.update(one.unplayable for one in of_goal if one.unplayable)
            posts += [_post(message) for message in of_goal]
            log.info("telegram_read", channel=channel, posts=len(within), of_goal=len(of_goal))
        posts.sort(key=lambda post: post.posted_at, reverse=True)
        return SiteResult(tuple(posts), looked_at, dict(unreadable))

    def _read(
        self, window: Window, on_progress: Progress, unreadable: Counter[str]
    ) -> list[tuple[str, StoredFeed[ChannelMessage]]]:
        if not self._feeds:
            raise ChannelNotReadable(NO_CHANNELS, NO_CHANNELS_FIX)
        read, failures = [], []
        for feed in self._feeds:
            on_progress(f"Telegram: reading {feed.channel}")
            try:
                read.append((feed.channel, feed.read(window.since)))
            except SiteError as error:
                log.warning("channel_failed", channel=feed.channel, reason=str(error))
                failures.append(error)
                unreadable["channel_failed"] += 1
        if not read:
            raise failures[0]
        return read


def _is_wanted(message: ChannelMessage, query: GoalQuery) -> bool:
    has_video = message.video_url is not None or bool(message.unplayable)
    return has_video and names_goal(message.text, query)


def _post(message: ChannelMessage) -> Post:
    return Post(
        site=SITE,
        post_id=message.id,
        url=f"{WEB}/{message.id}",
        posted_at=message.published,
        text=message.text,
        author=message.author or message.id.partition("/")[0],
        video_url=message.video_url,
        duration=message.duration,
        # Its pixels are those of the page, perhaps not those of the file.
        aspect=_aspect(message.width, message.height),
        popularity=popularity(0, 0, message.views),
    )


def _aspect(width: int | None, height: int | None) -> float | None:
    return width / height if width and height else None
