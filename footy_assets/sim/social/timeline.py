"""Posts in the format of X's `SearchTimeline` call."""

from datetime import datetime
from math import gcd
from typing import Any

from footy_assets.sim.social.posts import Page, SimPost

Json = dict[str, Any]


def search_timeline(page: Page, base: str, cursor: str | None) -> Json:
    """One page of results: organic ones, an ad in third place, and the cursors."""
    entries = [_entry(post, base) for post in page.posts]
    if page.ad is not None and entries:
        entries.insert(min(2, len(entries)), _entry(page.ad, base))
    top = _cursor("Top", "top")
    # X always hands out a bottom cursor; at the end it leads to a page without posts.
    bottom = _cursor("Bottom", page.cursor or "end")
    instructions: list[Json] = [{"type": "TimelineAddEntries", "entries": entries}]
    if cursor is None:
        entries += [top, bottom]
    else:
        instructions += [
            {
                "type": "TimelineReplaceEntry",
                "entry_id_to_replace": one["entryId"],
                "entry": one,
            }
            for one in (top, bottom)
        ]
    timeline = {"timeline": {"instructions": instructions, "responseObjects": {}}}
    return {"data": {"search_by_raw_query": {"search_timeline": timeline}}}


def x_time(at: datetime) -> str:
    return at.strftime("%a %b %d %H:%M:%S +0000 %Y")


def _cursor(kind: str, value: str) -> Json:
    return {
        "entryId": f"cursor-{kind.lower()}-0",
        "sortIndex": "0",
        "content": {
            "entryType": "TimelineTimelineCursor",
            "__typename": "TimelineTimelineCursor",
            "value": value,
            "cursorType": kind,
        },
    }


def _entry(post: SimPost, base: str) -> Json:
    item: Json = {
        "itemType": "TimelineTweet",
        "__typename": "TimelineTweet",
        "tweet_results": _results(post, base),
        "tweetDisplayType": "Tweet",
    }
    name = f"tweet-{post.id}"
    if post.is_ad:
        name = f"promoted-tweet-{post.id}-1a2b3c4d"
        item["promotedMetadata"] = {
            "impressionId": "1a2b3c4d",
            "disclosureType": "NoDisclosure",
            "adMetadataContainer": {"renderLegacyWebsiteCard": False},
        }
    return {
        "entryId": name,
        "sortIndex": post.id,
        "content": {
            "entryType": "TimelineTimelineItem",
            "__typename": "TimelineTimelineItem",
            "itemContent": item,
        },
    }


def _results(post: SimPost, base: str) -> Json:
    tweet = _tweet(post, base)
    match post.shape:
        case "visibility":
            limited = {"__typename": "TweetWithVisibilityResults", "tweet": tweet}
            return {"result": limited | {"limitedActionResults": {"limited_actions": []}}}
        case "tombstone":
            text = {"text": "This Post is from an account that no longer exists."}
            return {
                "result": {
                    "__typename": "TweetTombstone",
                    "tombstone": {"__typename": "TextTombstone", "text": text},
                }
            }
        case "empty":
            return {}
        case "malformed":
            return {"result": {"__typename": "Tweet", "rest_id": post.id, "legacy": ["surprise"]}}
        case "undated":
            tweet["legacy"]["created_at"] = "a moment ago"
    return {"result": tweet}


def _tweet(post: SimPost, base: str) -> Json:
    user = {
        "__typename": "User",
        "rest_id": "1",
        "core": {"name": post.author.title(), "screen_name": post.author},
        "legacy": {"followers_count": 12},
    }
    legacy: Json = {
        "id_str": post.id,
        "created_at": x_time(post.posted_at),
        "full_text": post.text,
        "favorite_count": post.likes,
        "retweet_count": post.reposts,
        "quote_count": 0,
        "reply_count": 0,
        "is_quote_status": post.quotes is not None,
        "lang": "en",
        "entities": {"hashtags": [], "urls": []},
    }
    if post.video is not None:
        legacy["extended_entities"] = {"media": [_media(post, base)]}
    tweet: Json = {
        "__typename": "Tweet",
        "rest_id": post.id,
        "core": {"user_results": {"result": user}},
        "views": {"count": str(post.views), "state": "EnabledWithCount"},
        "legacy": legacy,
    }
    if not post.views:
        tweet["views"] = {"state": "Enabled"}
    if post.quotes is not None:
        tweet["quoted_status_result"] = {"result": _tweet(post.quotes, base)}
    return tweet


def _media(post: SimPost, base: str) -> Json:
    film = f"{base}/video/{post.video}.mp4"
    stream = f"{base}/hls/{post.video}/playlist.m3u8"
    width, height = post.size
    info: Json = {
        "aspect_ratio": [width // gcd(width, height), height // gcd(width, height)],
        "variants": [
            {"content_type": "application/x-mpegURL", "url": stream},
            {"bitrate": 256_000, "content_type": "video/mp4", "url": f"{film}?tag=small"},
            {"bitrate": 2_176_000, "content_type": "video/mp4", "url": film},
            {"bitrate": 832_000, "content_type": "video/mp4", "url": f"{film}?tag=middle"},
        ],
    }
    if post.duration is not None:
        info["duration_millis"] = round(post.duration * 1000)
    return {
        "id_str": f"9{post.id}",
        "media_key": f"13_9{post.id}",
        "type": "video",
        "media_url_https": f"{base}/thumb/{post.video}.jpg",
        "original_info": {"width": width, "height": height},
        "video_info": info,
    }
