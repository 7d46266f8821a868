"""F8: every closed match says who closed it. In early versions only the text of the reason did."""

from footy_assets.store.collections import FIXTURES
from footy_assets.store.migrations.step import BulkChange, MigrationStep

BY_AN_OPERATOR = {"$regexMatch": {"input": "$closed_because", "regex": "^closed by "}}

STEP = MigrationStep(
    2,
    "closed_by",
    (
        BulkChange(
            FIXTURES,
            {"closed_because": {"$ne": None}, "closed_by": None},
            [{"$set": {"closed_by": {"$cond": [BY_AN_OPERATOR, "operator", "deadline"]}}}],
        ),
    ),
)
