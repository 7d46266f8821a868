"""T18: clips that are published and not announced yet, to those who wait for them.

Publishing marks a clip in the write that stores it. Whoever announces clips unmarks them after
that: a crash in between announces one again, and its snapshot has the same id.
"""

from collections.abc import Collection

from pymongo.database import Database

from footy_assets.store.collections import CLIPS, Document

FIELDS = ("goal_key", "fixture_id", "public_key", "verified", "stored_at", "revision")


class Announcements:
    def __init__(self, database: Database[Document]) -> None:
        self._clips = database[CLIPS]

    def waiting(self) -> list[Document]:
        """In order of publication."""
        found = self._clips.find({"unannounced": True}, dict.fromkeys(FIELDS, 1))
        return list(found.sort([("stored_at", 1), ("_id", 1)]))

    def mark_announced(self, clips: Collection[Document]) -> None:
        """One that has changed since it was read keeps its mark."""
        for clip in clips:
            self._clips.update_one(
                {"_id": clip["_id"], "revision": clip["revision"], "verified": clip["verified"]},
                {"$unset": {"unannounced": ""}},
            )
