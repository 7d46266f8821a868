"""SE5: Bluesky as a site whose posts were heard: a search is a query of our own store."""

from datetime import timedelta
from urllib.parse import quote

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import SiteUnavailable
from footy_assets.search.rules.heard import HeardPost
from footy_assets.search.rules.posts import Post, Window, read_ratio
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.rules.site import Progress, SiteResult
from footy_assets.search.store.heard_posts import HeardPosts, ListenState
from footy_assets.site_name import SiteName

SITE = SiteName.BLUESKY.value
WEB = "https://bsky.app"
MOST_POSTS = 500
CANARY_POSTS = 20
# The stream has dozens of messages a second: this long without one, it is not heard.
SILENT_AFTER = timedelta(minutes=2)
SILENT_FIX = (
    "`footy listen`, a part of `footy up`, hears Bluesky; `logs/listen.log` in FOOTY_HOME says why "
    "it does not. It goes on where it stopped"
)
log = structlog.get_logger()


class HeardBluesky:
    """A `VideoSite` that sends no request and can look back as far as posts are kept."""

    def __init__(self, store: HeardPosts, clock: Clock, video_url: str) -> None:
        self._store, self._clock = store, clock
        self._video_url = video_url.rstrip("/")

    @property
    def name(self) -> str:
        return SITE

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> SiteResult:
        """SE7: a stream that is not heard is a failure, not an empty result. A past window that
        ended before the listener began is counted as such, since waiting does not fill it."""
        on_progress("Bluesky: looking among the posts that were heard")
        state = self._heard_until(window)
        not_heard = {"not_heard": 1} if window.since < state.since else {}
        found = self._store.with_words(query.players or query.teams, window, MOST_POSTS)
        posts = tuple(self._post(post) for post in found if query.mentions_team(post.text))
        log.info("bluesky_heard", query=query.players, posts=len(found), of_team=len(posts))
        return SiteResult(posts, len(found), not_heard)

    def canary(self, window: Window, on_progress: Progress) -> SiteResult:
        """SE5: posts were heard lately, whatever their words."""
        on_progress("Bluesky: looking for posts that were heard lately")
        self._heard_until(window)
        latest = self._store.latest(CANARY_POSTS)
        posts = tuple(self._post(post) for post in latest if post.posted_at >= window.since)
        return SiteResult(posts, len(posts))

    def _heard_until(self, window: Window) -> ListenState:
        state = self._store.state()
        needed = min(window.until or self._clock.now(), self._clock.now())
        if state is None or state.until < needed - SILENT_AFTER * self._clock.speed:
            when = f"since {state.until:%Y-%m-%d %H:%M:%S} UTC" if state else "yet"
            raise SiteUnavailable(f"Bluesky: no post was heard {when}", SILENT_FIX)
        return state

    def _post(self, heard: HeardPost) -> Post:
        author, _, key = heard.post_id.partition("/")
        # The size that was heard is that of the upload, which Bluesky encodes anew.
        width, height, aspect = read_ratio(heard.width, heard.height)
        return Post(
            site=SITE,
            post_id=heard.post_id,
            url=f"{WEB}/profile/{author}/post/{key}",
            posted_at=heard.posted_at,
            text=heard.text,
            author=author,
            video_url=playlist_url(self._video_url, author, heard.video),
            width=width,
            height=height,
            aspect=aspect,
        )


def playlist_url(video_url: str, author: str, video: str) -> str:
    """Where Bluesky serves a post's video as HLS; its search returns the same address."""
    return f"{video_url}/watch/{quote(author, safe='')}/{video}/playlist.m3u8"
