"""r/soccer as a video site: posts of goals, whose links lead to hosts of clips."""

from collections import Counter

import structlog

from footy_assets.search.rules.goal_match import matches_goal
from footy_assets.search.rules.goal_titles import GoalTitle, parse_goal_title
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.site_name import SiteName
from resources.clip_hosts.table import ClipHosts
from resources.reddit.feed import SoccerFeed
from resources.reddit.models import FeedEntry

SITE = SiteName.REDDIT.value
log = structlog.get_logger()


class RedditSite:
    """A `VideoSite`. Use as a context manager."""

    def __init__(self, feed: SoccerFeed, clip_hosts: ClipHosts) -> None:
        self._feed, self._clip_hosts = feed, clip_hosts

    @property
    def name(self) -> str:
        return SITE

    def __enter__(self) -> "RedditSite":
        return self

    def __exit__(self, *error: object) -> None:
        self._feed.close()

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """SE6: the posts whose title names the goal by teams, score, side and minute."""
        on_progress("Reddit: reading the feed of r/soccer")
        feed = self._feed.read()
        unreadable = Counter(feed.unreadable)
        within = [entry for entry in feed.entries if entry.is_within(window)]
        posts = []
        for entry in within:
            title = parse_goal_title(entry.title)
            if title is None or not _is_wanted(entry, title, query):
                continue
            post = self._post(entry)
            if post.video_url is None:
                unreadable["no_known_host"] += 1
                log.info("clip_host_unknown", post=entry.id, links=entry.links[:3])
            posts.append(post)
        log.info("reddit_searched", posts=len(within), of_goal=len(posts))
        return SiteResult(tuple(posts), len(within), dict(unreadable))

    def _post(self, entry: FeedEntry) -> Post:
        clips = (link for link in entry.links if self._clip_hosts.host_of(link))
        return Post(
            site=SITE,
            post_id=entry.id,
            url=entry.url,
            posted_at=entry.published,
            text=entry.title,
            author=entry.author,
            video_url=next(clips, None),
        )


def _is_wanted(entry: FeedEntry, title: GoalTitle, query: GoalQuery) -> bool:
    """A query without a goal, such as a trial, has words only."""
    if query.goal is None or query.fixture is None:
        return query.mentions_team(entry.title)
    aliases = {query.goal.side: query.teams} if query.goal.side else {}
    found = matches_goal(title, query.goal, query.fixture, aliases)
    log.debug("title_compared", post=entry.id, matches=found.matches, reasons=found.reasons)
    return found.matches
