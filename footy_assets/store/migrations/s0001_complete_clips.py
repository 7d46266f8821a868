"""V7, D6, V5, H6: every clip says what verified it, which renditions and pictures it has, and in
which posts it was found. Early versions read only the clock, and counted only posts with likes."""

from footy_assets.store.collections import CLIPS
from footy_assets.store.migrations.step import BulkChange, MigrationStep

OF_THE_CLOCK = {"$cond": ["$verified", "clock", "nothing"]}
ITS_OWN_POST = [{"video": {"$ifNull": ["$video_id", ""]}, "count": {"$ifNull": ["$popularity", 0]}}]

STEP = MigrationStep(
    1,
    "complete_clips",
    (
        BulkChange(
            CLIPS,
            {
                "$or": [
                    {"verified_by": None},
                    {"renditions": None},
                    {"has_scorebug": None},
                    {"popularity_by": {"$in": [None, []]}},
                ]
            },
            [
                {
                    "$set": {
                        "verified_by": {"$ifNull": ["$verified_by", OF_THE_CLOCK]},
                        "renditions": {"$ifNull": ["$renditions", []]},
                        "has_scorebug": {"$ifNull": ["$has_scorebug", False]},
                        "popularity_by": {
                            "$cond": [
                                {"$in": ["$popularity_by", [[], None]]},
                                ITS_OWN_POST,
                                {"$ifNull": ["$popularity_by", ITS_OWN_POST]},
                            ]
                        },
                    }
                }
            ],
        ),
    ),
)
