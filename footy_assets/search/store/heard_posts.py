"""SE5: the posts with videos that were heard, how far the stream was heard, and what was skipped.

Posts are written before the position: after a crash some are heard again, and none is missing.
MongoDB deletes them at `expires_at`, which is a time of its own clock: that of a replayed matchday
may be long past.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from pymongo import DESCENDING
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from footy_assets.search.rules.heard import HeardPost, time_of
from footy_assets.search.rules.posts import Window
from footy_assets.search.rules.query import words_of
from footy_assets.store.collections import HEARD_POSTS, LISTENERS, Document
from footy_assets.store.retrying import retry_on_disconnect

DUPLICATE = 11000
MOST_WORDS = 200
MOST_GAPS = 20
RECONNECTS = "reconnects"


@dataclass(frozen=True, slots=True)
class ListenState:
    """`until` is the time of the last message, `since` that of the first one without a gap since;
    `written_at` is the listener's own time."""

    since: datetime
    until: datetime
    position: int
    written_at: datetime
    counts: dict[str, int] = field(default_factory=dict)


@retry_on_disconnect
class HeardPosts:
    def __init__(self, database: Database[Document], site: str) -> None:
        self._database = database
        self._posts = database[HEARD_POSTS]
        self._listeners = database[LISTENERS]
        self._site = site

    def write(
        self,
        posts: Sequence[HeardPost],
        removed: Sequence[str],
        removed_authors: Sequence[str],
        keep: timedelta,
    ) -> None:
        """Removals come first: a post that is both was edited."""
        if removed:
            self._posts.delete_many({"_id": {"$in": list(removed)}})
        for author in removed_authors:
            # Ids begin with the author and a slash, which `0` follows.
            self._posts.delete_many({"_id": {"$gte": f"{author}/", "$lt": f"{author}0"}})
        if not posts:
            return
        expires_at = server_time(self._database) + keep
        try:
            documents = [_document(post, expires_at) for post in posts]
            self._posts.insert_many(documents, ordered=False)
        except BulkWriteError as error:
            failed = error.details.get("writeErrors", [])
            if not all(one.get("code") == DUPLICATE for one in failed):
                raise

    def advance(
        self,
        position: int,
        now: datetime,
        counts: Mapping[str, int],
        missed: tuple[int, int] | None = None,
    ) -> None:
        """Everything before this position is written. `missed` is a gap before it: from, to."""
        until = time_of(position)
        update: dict[str, Any] = {
            "$set": {"position": position, "until": until, "written_at": now},
            "$inc": {f"counts.{name}": count for name, count in counts.items() if count},
        }
        if missed is None:
            update["$setOnInsert"] = {"since": until}
        else:
            start, end = time_of(missed[0]), time_of(missed[1])
            update["$set"]["since"] = end
            gap = {"from": start, "to": end, "noticed_at": now}
            update["$push"] = {"gaps": {"$each": [gap], "$slice": -MOST_GAPS}}
        self._listeners.update_one(
            {"_id": self._site}, {k: v for k, v in update.items() if v}, upsert=True
        )

    def count(self, counts: Mapping[str, int]) -> None:
        """What happened without a message that has a position; nothing before the first one."""
        more = {f"counts.{name}": count for name, count in counts.items()}
        self._listeners.update_one({"_id": self._site}, {"$inc": more})

    def state(self) -> ListenState | None:
        found = self._listeners.find_one({"_id": self._site})
        if found is None:
            return None
        return ListenState(
            since=found["since"],
            until=found["until"],
            position=found["position"],
            written_at=found["written_at"],
            counts=found.get("counts", {}),
        )

    def latest(self, most: int) -> list[HeardPost]:
        """The posts that were written last, whatever their words."""
        found = self._posts.find().sort("expires_at", DESCENDING).limit(most)
        return [_read(document) for document in found]

    def with_words(self, terms: Sequence[str], window: Window, most: int) -> list[HeardPost]:
        """Posts of the window that have all words of one of the terms, newest first."""
        posted = {"$gte": window.since} | ({"$lte": window.until} if window.until else {})
        wanted = [words for term in terms if (words := words_of(term))]
        if not wanted:
            return []
        any_of = [{"words": {"$all": sorted(words)}, "posted_at": posted} for words in wanted]
        found = self._posts.find({"$or": any_of}).sort("posted_at", DESCENDING).limit(most)
        return [_read(document) for document in found]


def server_time(database: Database[Document]) -> datetime:
    hello = database.command("hello", codec_options=database.codec_options)
    return cast(datetime, hello["localTime"])


def _document(post: HeardPost, expires_at: datetime) -> Document:
    return {
        "_id": post.post_id,
        "author": post.author,
        "text": post.text,
        "words": sorted(words_of(post.text))[:MOST_WORDS],
        "posted_at": post.posted_at,
        "video": post.video,
        "size": post.size,
        "width": post.width,
        "height": post.height,
        "langs": list(post.langs),
        "expires_at": expires_at,
    }


def _read(document: Document) -> HeardPost:
    return HeardPost(
        post_id=document["_id"],
        author=document["author"],
        text=document["text"],
        posted_at=document["posted_at"],
        video=document["video"],
        size=document["size"],
        width=document["width"],
        height=document["height"],
        langs=tuple(document["langs"]),
    )
