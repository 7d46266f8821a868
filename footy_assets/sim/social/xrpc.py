"""Posts in the format of Bluesky's `app.bsky.feed.searchPosts`."""

from typing import Any

from footy_assets.sim.social.posts import Page, SimPost

Json = dict[str, Any]


def search_posts(page: Page, base: str) -> Json:
    response: Json = {"posts": [_view(post, base) for post in page.posts]}
    if page.cursor is not None:
        response["cursor"] = page.cursor
    return response


def _view(post: SimPost, base: str) -> Json:
    if post.shape == "malformed":
        return {"uri": 7, "record": "surprise"}
    did = f"did:plc:{post.author}"
    at = post.posted_at.isoformat().replace("+00:00", "Z")
    view: Json = {
        "uri": f"at://{did}/app.bsky.feed.post/{post.id}",
        "cid": f"bafyrei{post.id}",
        "author": {"did": did, "handle": f"{post.author}.bsky.social", "displayName": post.author},
        "record": {
            "$type": "app.bsky.feed.post",
            "createdAt": "a moment ago" if post.shape == "undated" else at,
            "langs": ["en"],
            "text": post.text,
        },
        "replyCount": 0,
        "repostCount": post.reposts,
        "likeCount": post.likes,
        "quoteCount": 0,
        "indexedAt": at,
        "labels": [],
    }
    if post.shape == "undated":
        view.pop("indexedAt")
    embed = _embed(post, base)
    return view | ({"embed": embed} if embed else {})


def _embed(post: SimPost, base: str) -> Json | None:
    film: Json | None = None
    if post.video is not None:
        width, height = post.size
        film = {
            "$type": "app.bsky.embed.video#view",
            "cid": f"bafkrei{post.video}",
            "playlist": f"{base}/hls/{post.video}/playlist.m3u8",
            "thumbnail": f"{base}/thumb/{post.video}.jpg",
            "aspectRatio": {"width": width, "height": height},
        }
    if post.quotes is None:
        return film
    quoted = {
        "$type": "app.bsky.embed.record#viewRecord",
        "uri": f"at://did:plc:{post.quotes.author}/app.bsky.feed.post/{post.quotes.id}",
        "value": {"text": post.quotes.text},
        "embeds": [embed] if (embed := _embed(post.quotes, base)) else [],
    }
    record = {"$type": "app.bsky.embed.record#view", "record": quoted}
    if film is None:
        return record
    return {"$type": "app.bsky.embed.recordWithMedia#view", "record": record, "media": film}
