"""Everything known about a goal: its polls, its searches, and the outcome of every video."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pymongo.database import Database

from footy_assets.clips.rules.keys import poster_and_thumbnail_keys, public_path, scorebug_key
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media.evidence import VerifiedBy
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.store.collections import Document

Row = dict[str, Any]

# V7, as people read it.
EVIDENCE_WORDS = {
    VerifiedBy.MATCH: "clock and match",
    VerifiedBy.CLOCK: "clock",
    VerifiedBy.NOTHING: "no",
}

ATTEMPT_FIELDS = (
    "number", "due_at", "started_at", "ended_at", "counted_at", "outcome", "players", "teams",
    "since", "until", "looked_at", "fit", "refused", "failures", "failure", "chosen",
)  # fmt: skip
AHEAD_FIELDS = ("at", "looked_at", "chosen", "failures")
VIDEO_FIELDS = (
    "video_id", "source", "url", "author", "posted_at", "duration", "width", "height", "size",
    "popularity", "likelihood", "attempt", "state", "reason", "detail", "measured", "limit",
    "known_from_post", "clip_id", "tries", "verdict",
)  # fmt: skip


def clip_row(clip: Document, goal: GoalEvent, bucket: str) -> Row:
    """A clip as the command line and the API show it."""
    poster, thumbnail = poster_and_thumbnail_keys(clip["key"])
    return {
        "event_id": goal.event_id,
        "clip_id": clip["_id"],
        "video_id": clip["video_id"],
        "fixture_id": goal.fixture_id,
        "key": clip["key"],
        "url": public_path(bucket, clip["public_key"]),
        "poster": public_path(bucket, poster),
        "thumbnail": public_path(bucket, thumbnail),
        "verified": clip["verified"],
        "verified_by": clip["verified_by"],
        **scorebug_row(clip, bucket),
        "discovered": len(clip["popularity_by"]),
        "popularity": clip["popularity"],
        "rank": clip["rank"],
        "duration": clip["duration"],
        "width": clip["width"],
        "height": clip["height"],
        "size": clip["size"],
        "content_md5": clip["md5"],
        "source": clip["source"],
        "source_url": clip["source_url"],
        "attempt": clip["attempt"],
        "run_id": clip.get("run_id"),
        "stored_at": clip["stored_at"],
        "replaced": len(clip["replaced"]),
        "renditions": [
            {
                "codec": one["codec"],
                "codecs": one["codecs"],
                "width": one["width"],
                "height": one["height"],
                "url": public_path(bucket, one["key"]),
                "size": one["size"],
            }
            for one in clip["renditions"]
        ],
    }


def scorebug_row(clip: Document, bucket: str) -> Row:
    """V5, V6: which text was read in the picture, where and when, and the picture of it."""
    verdict = clip.get("verdict") or {}
    read = verdict.get("scorebug") or {}
    picture = scorebug_key(clip["key"]) if clip["has_scorebug"] else None
    return {
        "scorebug": read.get("text") or None,
        "clock_minutes": verdict.get("clock_minutes", []),
        "text_box": read.get("text_box"),
        "text_seconds": read.get("text_seconds", []),
        "scorebug_picture": public_path(bucket, picture) if picture else None,
    }


def reading_line(clip: Mapping[str, Any]) -> str:
    """V5: where in the picture a clip's clock and scorebug were read, and when, in words."""
    clock = ", ".join(map(str, clip["clock_minutes"]))
    texts = [f"clock {clock} min" if clock else "", clip["scorebug"] or ""]
    seconds = " and ".join(f"{moment:.1f} s" for moment in clip["text_seconds"])
    left, top, right, bottom = clip["text_box"]
    read = ", ".join(filter(None, texts))
    where = f"clip {clip['rank']}: {read} at {left},{top} to {right},{bottom}"
    if seconds:
        where += f", {seconds} into the clip"
    return f"{where}: {clip['scorebug_picture']}" if clip["scorebug_picture"] else where


def clip_rows(documents: ClipDocuments, goals: list[GoalEvent], bucket: str) -> list[Row]:
    by_key = {goal.key: goal for goal in goals}
    found = documents.documents_of(list(by_key))
    order = {goal.key: number for number, goal in enumerate(goals)}
    found.sort(key=lambda clip: (order[clip["goal_key"]], clip["rank"] or 0))
    return [clip_row(clip, by_key[clip["goal_key"]], bucket) for clip in found]


def clip_rows_by_goal(
    documents: ClipDocuments, goals: Sequence[GoalEvent], bucket: str
) -> dict[str, list[Row]]:
    """Every goal's clips by its key, best first."""
    by_goal: dict[str, list[Row]] = {goal.key: [] for goal in goals}
    by_key = {goal.key: goal for goal in goals}
    for clip in documents.documents_of(list(by_key)):
        by_goal[clip["goal_key"]].append(clip_row(clip, by_key[clip["goal_key"]], bucket))
    return by_goal


def explain_goal(database: Database[Document], goal: GoalEvent, bucket: str) -> Row:
    """How a goal came to its clips, or why it has none."""
    documents, searches = ClipDocuments(database), SearchStore(database)
    fixture = documents.goals.fixture_of(goal)
    return {
        "event_id": goal.event_id,
        "fixture_id": goal.fixture_id,
        "match": fixture.name if fixture else None,
        "scorer": goal.player.name,
        "minute": str(goal.minute),
        "detail": goal.detail,
        "state": goal.state_label,
        "first_seen_at": goal.first_seen_at,
        "stable_at": goal.stable_at,
        "seen_in_polls": list(goal.seen_in_polls),
        "missing_in_polls": list(goal.missing_in_polls),
        "formerly": [asdict(former) for former in goal.formerly],
        "removal": asdict(goal.removal) if goal.removal else None,
        # T16: somebody waits for it, so it is searched for first.
        "preferred": goal.key in documents.goals.preferred_keys(),
        "attempts": [_select(row, ATTEMPT_FIELDS) for row in searches.attempts_of(goal.key)],
        "ahead": _ahead_story(AheadStore(database), goal),
        # SE8: before a goal is stable, nothing of what was found for it is shown.
        "videos": [
            _select(row, VIDEO_FIELDS)
            for row in (searches.videos.of_goal(goal.key) if goal.stable else ())
        ],
        "clips": clip_rows(documents, [goal], bucket),
    }


def ahead_sentence(ahead: Row) -> str:
    """SE8: the line of a goal's story about what was done before it was stable."""
    began = f"searched {len(ahead['searches'])} times before it was stable, {ahead['held']} videos"
    if ahead["dropped"]:
        return f"{began} held and dropped when it was removed; nothing was published"
    return f"{began} held and published when it was" if ahead["published_at"] else f"{began} held"


def _ahead_story(ahead: AheadStore, goal: GoalEvent) -> Row | None:
    """SE8: how often the goal was searched for ahead of stable, how many videos were judged and
    held for it, and what became of them."""
    story = ahead.story(goal.key)
    if story is None:
        return None
    held, published_at = story.get("held", 0), story.get("published_at")
    return {
        "searches": [_select(search, AHEAD_FIELDS) for search in story["searches"]],
        "held": held,
        "published_at": published_at,
        "dropped": held if not goal.live and published_at is None else 0,
    }


def _select(document: Document, names: tuple[str, ...]) -> Row:
    return {name: document[name] for name in names if name in document}
