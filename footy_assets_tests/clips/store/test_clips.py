"""How clips are stored."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from bson import Binary
from pymongo.database import Database

from footy_assets.clips.rules.clip import Clip, JudgedFile
from footy_assets.clips.rules.rendition import ClipRendition
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.media import Fingerprint, Quality
from footy_assets.media.evidence import VerifiedBy
from footy_assets.media.fingerprint import HARMONICS, STRIP
from footy_assets.store.collections import CLIPS, Document
from footy_assets_tests.clips.rules.test_dedup import clip as clip_of_film
from footy_assets_tests.store.stored import assert_stored

AT = datetime(2025, 5, 10, 14, 30, tzinfo=UTC)


def test_a_clip_is_stored_like_this(database: Database[Document]) -> None:
    fingerprint = Fingerprint(12.5, np.zeros((STRIP + 1, 4, len(HARMONICS)), np.int8))
    clip = Clip(
        id="c1",
        goal_key="goal-a",
        key="5000/e/0123.mp4",
        public_key="5000/e/0123.mp4",
        md5="0123",
        quality=Quality(12.5, 921600, 2_000_000, 3_125_000),
        width=1280,
        height=720,
        verified=True,
        verified_by=VerifiedBy.MATCH,
        fingerprint=fingerprint,
        popularity_by={"x:1": 3, "x:2": 4},
        video_id="x:1",
        rank=2,
        stored_at=AT,
        verdict={"football": True},
        judged=JudgedFile("4567", Quality(12.5, 921600, 2_100_000, 3_281_250)),
        renditions=(
            ClipRendition(
                "5000/e/89ab.vp9.mp4", "vp9", "vp09.00.40.08", "89ab", 1920, 1080, 2_000_000
            ),
        ),
    )
    store = ClipDocuments(database)
    store.add(clip, {"fixture_id": 5000})
    expected = {
        "_id": "c1",
        "goal_key": "goal-a",
        "key": "5000/e/0123.mp4",
        "public_key": "5000/e/0123.mp4",
        "md5": "0123",
        "duration": 12.5,
        "pixels": 921600,
        "bitrate": 2_000_000,
        "size": 3_125_000,
        "width": 1280,
        "height": 720,
        "verified": True,
        "verified_by": "match",
        "fingerprint": Binary(fingerprint.to_bytes()),
        "popularity_by": [{"video": "x:1", "count": 3}, {"video": "x:2", "count": 4}],
        "popularity": 7,
        "video_id": "x:1",
        "rank": 2,
        "stored_at": AT,
        "verdict": {"football": True},
        "judged": {
            "md5": "4567",
            "quality": {
                "duration": 12.5,
                "pixels": 921600,
                "bitrate": 2_100_000,
                "size": 3_281_250,
            },
        },
        "renditions": [
            {
                "key": "5000/e/89ab.vp9.mp4",
                "codec": "vp9",
                "codecs": "vp09.00.40.08",
                "md5": "89ab",
                "width": 1920,
                "height": 1080,
                "size": 2_000_000,
            }
        ],
        "has_scorebug": False,
        "fixture_id": 5000,
        "revision": 1,
        "leftovers": [],
        "replaced": [],
        "unannounced": True,
    }
    assert_stored(database[CLIPS], dict(sorted(expected.items())))
    (back,) = store.clips_of("goal-a")
    assert back.fingerprint.to_bytes() == fingerprint.to_bytes()
    fields = [name for name in Clip.__slots__ if name != "fingerprint"]
    assert [getattr(back, name) for name in fields] == [getattr(clip, name) for name in fields]


def test_h6_each_post_is_a_discovery_once_also_without_likes(database: Database[Document]) -> None:
    fingerprint = Fingerprint(12.5, np.zeros((STRIP + 1, 4, len(HARMONICS)), np.int8))
    store, clip = ClipDocuments(database), replace(clip_of_film(1), fingerprint=fingerprint)
    store.add(clip, {"fixture_id": 5000})
    before = len((database[CLIPS].find_one() or {})["popularity_by"])
    for _ in range(3):
        store.add_popularity(clip.id, {"x:8": 0, "x:9": 0})
    (document,) = store.documents_of([clip.goal_key])
    (found,) = store.clips_of(clip.goal_key)
    assert len(document["popularity_by"]) == found.discovered == before + 2
