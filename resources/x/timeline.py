"""Parses posts from X's JSON. A post that cannot be parsed does not stop the others."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from footy_assets.errors import LoginLost, SiteAnswerInvalid, SiteRateLimited
from footy_assets.search.rules.popularity import popularity
from footy_assets.search.rules.posts import Post
from footy_assets.search.rules.renditions import RenditionLimits, choose_rendition
from footy_assets.site_name import SiteName
from resources.x.models import Answer, Media, Tweet

SITE = SiteName.X.value
# X's own error codes that may come with HTTP 200.
LOGIN_CODES = frozenset({32, 64, 89, 215, 326, 353})
RATE_CODES = frozenset({88})


@dataclass
class FoundPosts:
    """Posts in the order of the page, each once, and how many could not be parsed, by reason.
    `renditions` decide which file of a video is fetched."""

    renditions: RenditionLimits = field(default_factory=RenditionLimits)
    posts: dict[str, Post] = field(default_factory=dict)
    unreadable: Counter[str] = field(default_factory=Counter)

    def add(self, post: Post) -> bool:
        """True if the post is new."""
        if post.post_id in self.posts:
            return False
        self.posts[post.post_id] = post
        return True


def parse_timeline(body: bytes, base_url: str, found: FoundPosts) -> int:
    """Collect the posts of a page of results; how many are new, parsed or not.

    Raises `SiteAnswerInvalid` if the answer is not a timeline.
    """
    try:
        answer = Answer.model_validate_json(body)
    except ValidationError as error:
        raise SiteAnswerInvalid("X's timeline has an unknown form") from error
    codes = {error.code for error in answer.errors}
    if codes & LOGIN_CODES:
        raise LoginLost("X reports that the login is missing or expired")
    if codes & RATE_CODES:
        raise SiteRateLimited("X: too many searches")
    if answer.data is None:
        raise SiteAnswerInvalid("X's timeline is missing from its answer")
    new = 0
    timeline = answer.data.search_by_raw_query.search_timeline.timeline
    for instruction in timeline.instructions:
        for entry in (*instruction.entries, instruction.entry):
            for item in _items(entry):
                new += _add(item, base_url, found)
    return new


def _items(entry: Any) -> Iterator[dict[str, Any]]:
    """The posts of an entry: one, several in a module, or none in a cursor."""
    content = entry.get("content") if isinstance(entry, dict) else None
    if not isinstance(content, dict):
        return
    candidates = [content.get("itemContent")]
    members = content.get("items")
    for member in members if isinstance(members, list) else []:
        inner = member.get("item") if isinstance(member, dict) else None
        candidates.append(inner.get("itemContent") if isinstance(inner, dict) else None)
    for candidate in candidates:
        if isinstance(candidate, dict) and candidate.get("itemType") == "TimelineTweet":
            yield candidate


def _add(item: dict[str, Any], base_url: str, found: FoundPosts) -> bool:
    results = item.get("tweet_results")
    result = results.get("result") if isinstance(results, dict) else None
    if isinstance(result, dict) and isinstance(result.get("tweet"), dict):
        result = result["tweet"]
    if not isinstance(result, dict):
        found.unreadable["empty"] += 1
        return True
    if "legacy" not in result:
        kind = str(result.get("__typename") or "unknown")
        found.unreadable["tombstone" if "Tombstone" in kind else "unavailable"] += 1
        return True
    try:
        tweet = Tweet.model_validate(result)
    except ValidationError:
        found.unreadable["unknown_form"] += 1
        return True
    post = _post(tweet, base_url, is_ad=bool(item.get("promotedMetadata")))
    video = next((m for m in tweet.legacy.extended_entities.media if m.renditions), None)
    return found.add(_with_video(post, video, found.renditions) if video else post)


def _post(tweet: Tweet, base_url: str, is_ad: bool) -> Post:
    legacy = tweet.legacy
    return Post(
        site=SITE,
        post_id=tweet.rest_id,
        url=f"{base_url}/{tweet.author or 'i'}/status/{tweet.rest_id}",
        posted_at=legacy.created_at,
        text=legacy.full_text,
        author=tweet.author,
        popularity=popularity(legacy.favorite_count, legacy.retweet_count, tweet.views.count),
        is_ad=is_ad,
    )


def _with_video(post: Post, video: Media, limits: RenditionLimits) -> Post:
    """SE6, D5: the file that is fetched, and what X says of it; of the original if it says no
    more."""
    file, original = choose_rendition(video.renditions, video.seconds, limits), video.original_info
    assert file is not None
    return replace(
        post,
        video_url=file.url,
        duration=video.seconds,
        width=file.width or (original.width if original else None),
        height=file.height or (original.height if original else None),
        aspect=video.aspect,
        size=file.estimated_size(video.seconds),
    )
