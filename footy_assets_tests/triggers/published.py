"""A clip as the clips room leaves it when it is published and not announced yet."""

from datetime import datetime

from pymongo.database import Database

from footy_assets.store.collections import CLIPS, Document


def publish_clip(
    database: Database[Document],
    goal_key: str,
    number: int,
    at: datetime,
    *,
    verified: bool = False,
    fixture_id: int = 5000,
) -> None:
    name = f"{fixture_id}/e/{number}.mp4"
    database[CLIPS].insert_one(
        {
            "_id": f"{goal_key}:{number}",
            "goal_key": goal_key,
            "fixture_id": fixture_id,
            "key": name,
            "public_key": name,
            "verified": verified,
            "stored_at": at,
            "revision": 1,
            "unannounced": True,
        }
    )
