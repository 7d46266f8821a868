"""SE5: r/soccer's feed, requested once a minute at most for all goals and processes together."""

from collections import Counter
from datetime import datetime

import httpx

from footy_assets import __version__
from footy_assets.errors import SiteAnswerInvalid
from resources.reddit.models import FeedEntry, parse_feed
from resources.sites.shared_feed import FeedAnswer, FeedParts, SharedFeed, StoredFeed

NAME = "r/soccer"
PATH = "/r/soccer/new/.rss"
PER_REQUEST = 100
USER_AGENT = f"footy-assets/{__version__} (reads the feed of {NAME} once a minute)"


class SoccerFeed(SharedFeed[FeedEntry]):
    name, site, entry_type = NAME, "Reddit", FeedEntry
    # At some hundred posts an hour.
    most_kept = 2_000
    refused_fix = (
        "Reddit refuses this address; later searches try again. Or leave reddit out of FOOTY_SITES"
    )

    def __init__(self, parts: FeedParts) -> None:
        super().__init__(parts, parts.client(USER_AGENT), NAME)

    def request(self, stored: StoredFeed[FeedEntry], since: datetime) -> FeedAnswer[FeedEntry]:
        response = self.get(PATH, limit=PER_REQUEST)
        if response.status_code != httpx.codes.OK:
            raise SiteAnswerInvalid(f"Reddit answered {response.status_code} for its feed")
        unreadable: Counter[str] = Counter()
        new = parse_feed(response.content, unreadable)
        if unreadable and not new:
            raise SiteAnswerInvalid("no entry of Reddit's feed can be read")
        return FeedAnswer(new, dict(unreadable))
