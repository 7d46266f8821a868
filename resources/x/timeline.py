"""From X's JSON to posts. One post that cannot be read never stops its neighbours."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from footy_assets.discovery.popularity import popularity
from footy_assets.discovery.posts import Post
from footy_assets.errors import LoginLost, SourceAnswerInvalid, SourceRateLimited
from resources.x.models import Answer, Tweet

SOURCE = "x"
# X's own error codes that may come with HTTP 200.
LOGIN_CODES = frozenset({32, 64, 89, 215, 326, 353})
RATE_CODES = frozenset({88})


@dataclass
class Gathered:
    """Posts in the order they were met, each once, and what could not be read."""

    posts: dict[str, Post] = field(default_factory=dict)
    unreadable: Counter[str] = field(default_factory=Counter)

    def add(self, post: Post) -> bool:
        """Whether it is new."""
        if post.post_id in self.posts:
            return False
        self.posts[post.post_id] = post
        return True


def read_timeline(body: bytes, base_url: str, gathered: Gathered) -> int:
    """Add a page of results; how many posts of it are new, readable or not.

    Raises `SourceAnswerInvalid` when the whole is not what we know.
    """
    try:
        answer = Answer.model_validate_json(body)
    except ValidationError as error:
        raise SourceAnswerInvalid("X's timeline has an unknown form") from error
    codes = {complaint.code for complaint in answer.errors}
    if codes & LOGIN_CODES:
        raise LoginLost("X says that we are not logged in")
    if codes & RATE_CODES:
        raise SourceRateLimited("X: too many searches")
    if answer.data is None:
        raise SourceAnswerInvalid("X's timeline is missing from its answer")
    new = 0
    timeline = answer.data.search_by_raw_query.search_timeline.timeline
    for instruction in timeline.instructions:
        for entry in (*instruction.entries, instruction.entry):
            for item in _items(entry):
                new += _add(item, base_url, gathered)
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


def _add(item: dict[str, Any], base_url: str, gathered: Gathered) -> bool:
    results = item.get("tweet_results")
    result = results.get("result") if isinstance(results, dict) else None
    if isinstance(result, dict) and isinstance(result.get("tweet"), dict):
        result = result["tweet"]
    if not isinstance(result, dict):
        gathered.unreadable["empty"] += 1
        return True
    if "legacy" not in result:
        kind = str(result.get("__typename") or "unknown")
        gathered.unreadable["tombstone" if "Tombstone" in kind else "unavailable"] += 1
        return True
    try:
        tweet = Tweet.model_validate(result)
    except ValidationError:
        gathered.unreadable["unknown_form"] += 1
        return True
    return gathered.add(_post(tweet, base_url, is_ad=bool(item.get("promotedMetadata"))))


def _post(tweet: Tweet, base_url: str, is_ad: bool) -> Post:
    legacy = tweet.legacy
    film = next((m for m in legacy.extended_entities.media if m.best_mp4), None)
    return Post(
        source=SOURCE,
        post_id=tweet.rest_id,
        url=f"{base_url}/{tweet.author or 'i'}/status/{tweet.rest_id}",
        posted_at=legacy.created_at,
        text=legacy.full_text,
        author=tweet.author,
        video_url=film.best_mp4 if film else None,
        duration=film.seconds if film else None,
        popularity=popularity(legacy.favorite_count, legacy.retweet_count, tweet.views.count),
        is_ad=is_ad,
    )
