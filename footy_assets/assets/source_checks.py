"""S7: asset checks of `discovered_videos`: is there a source that cannot be searched?"""

from typing import Any

import dagster as dg

from footy_assets.operations.source_health import source_works
from footy_assets.settings import SOURCES, load_settings
from footy_assets.store.source_health import SourceHealth
from resources.mongo import MongoResource

# By its key: the asset's own module reports these checks, too.
ASSET = dg.AssetKey("discovered_videos")


def check_name(source: str) -> str:
    return f"{source}_works"


def answer(health: SourceHealth, source: str) -> dict[str, Any]:
    """What the last search told; an outage that only a person can end is an error."""
    if source not in load_settings().sources:
        return {"passed": True, "description": "switched off"}
    found = source_works(health, source)
    error = bool(found.details.get("needs_person"))
    return {
        "passed": found.passed,
        "description": found.summary,
        "metadata": found.details,
        "severity": dg.AssetCheckSeverity.ERROR if error else dg.AssetCheckSeverity.WARN,
    }


def source_evaluations(health: SourceHealth) -> list[dg.AssetCheckEvaluation]:
    """For the sweep, which is no run of the asset itself."""
    return [
        dg.AssetCheckEvaluation(
            asset_key=ASSET, check_name=check_name(source), **answer(health, source)
        )
        for source in SOURCES
    ]


def source_check(source: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=ASSET,
        name=check_name(source),
        description=f"The last search of {source} got an answer, and its login holds (S7).",
    )
    def check(mongo: MongoResource) -> dg.AssetCheckResult:
        return dg.AssetCheckResult(**answer(SourceHealth(mongo.database), source))

    return check


source_checks = [source_check(source) for source in SOURCES]
