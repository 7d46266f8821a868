"""SE5: the preview of one Telegram channel, requested once a minute at most by all processes."""

from collections import Counter
from datetime import datetime, timedelta

import httpx

from footy_assets import __version__
from footy_assets.errors import ChannelNotReadable, SiteAnswerInvalid, SiteError, SiteRateLimited
from resources.sites.shared_feed import FeedAnswer, FeedParts, SharedFeed, StoredFeed
from resources.telegram.models import ChannelMessage, ChannelPage, parse_page

SITE_NAME = "Telegram"
USER_AGENT = f"footy-assets/{__version__} (reads listed channels once a minute)"
# A page has about 20 messages.
MOST_PAGES = 5
# Of all channels together.
REQUESTS_A_MINUTE = 40
MINUTE = timedelta(minutes=1)
# A channel without a preview may get one.
MISSING_AGAIN = timedelta(minutes=30)


def feed_name(channel: str) -> str:
    """A channel's name in the stores, which does not depend on how it is written."""
    return f"t.me/{channel.lower()}"


class ChannelFeed(SharedFeed[ChannelMessage]):
    site, entry_type = SITE_NAME, ChannelMessage
    most_kept = 500
    refused_fix = (
        "Telegram refuses this address; later searches try again. Or leave telegram out of "
        "FOOTY_SITES"
    )

    def __init__(self, channel: str, parts: FeedParts) -> None:
        super().__init__(parts, parts.client(USER_AGENT), SITE_NAME)
        self.channel, self.name = channel, feed_name(channel)

    def request(
        self, stored: StoredFeed[ChannelMessage], since: datetime
    ) -> FeedAnswer[ChannelMessage]:
        """The newest page, and older ones until they meet what is known or reach `since`."""
        unreadable: Counter[str] = Counter()
        page = self._page(None, unreadable)
        messages, pages = list(page.messages), 1
        while not (reached := _reached(messages, stored, since)):
            if page.before is None or pages == MOST_PAGES:
                break
            try:
                page = self._page(page.before, unreadable)
            except SiteError:
                # What was read is good; the next reading tries again.
                unreadable["older_page"] += 1
                break
            messages += page.messages
            pages += 1
        oldest = min((one.published for one in messages), default=None)
        complete_since = since if reached or page.before is None else oldest
        if stored.complete_since and _meets(messages, stored):
            complete_since = min(stored.complete_since, complete_since or stored.complete_since)
        return FeedAnswer(tuple(messages), dict(unreadable), complete_since)

    def not_read(self, stored: StoredFeed[ChannelMessage], due: datetime) -> SiteError:
        if stored.problem:
            return _not_readable(self.channel)
        return super().not_read(stored, due)

    def _page(self, before: int | None, unreadable: Counter[str]) -> ChannelPage:
        self._take_from_site()
        path = f"/s/{self.channel}"
        response = self.get(path, **({"before": before} if before else {}))
        if response.is_redirect or response.status_code == httpx.codes.NOT_FOUND:
            self._remember_missing()
            raise _not_readable(self.channel)
        if response.status_code != httpx.codes.OK:
            raise SiteAnswerInvalid(f"Telegram answered {response.status_code} for {self.channel}")
        url = f"{self.parts.base_url.rstrip('/')}{path}"
        return parse_page(response.text, url, unreadable)

    def _take_from_site(self) -> None:
        now = self.clock.now()
        due = self.parts.rate_limit.take(SITE_NAME, now, REQUESTS_A_MINUTE, MINUTE)
        if due is not None:
            raise SiteRateLimited(f"Telegram is not read before {due:%H:%M:%S} UTC")

    def _remember_missing(self) -> None:
        """Telegram sends visitors of such a channel elsewhere; it is seldom requested again."""
        self.parts.rate_limit.close_until(self.name, self.clock.now() + MISSING_AGAIN)
        problem = str(_not_readable(self.channel))
        self.save(self.load().model_copy(update={"problem": problem, "fetched_at": None}))


def _not_readable(channel: str) -> ChannelNotReadable:
    return ChannelNotReadable(
        f"the Telegram channel {channel} does not exist, is private, or has no web preview"
    )


def _meets(messages: list[ChannelMessage], stored: StoredFeed[ChannelMessage]) -> bool:
    """Whether nothing lies between these messages and the known ones."""
    if not messages or not stored.entries:
        return False
    newest_known = max(entry.number for entry in stored.entries)
    return min(message.number for message in messages) <= newest_known


def _reached(
    messages: list[ChannelMessage], stored: StoredFeed[ChannelMessage], since: datetime
) -> bool:
    known_since = stored.complete_since
    if known_since and known_since <= since and _meets(messages, stored):
        return True
    return any(message.published <= since for message in messages)
