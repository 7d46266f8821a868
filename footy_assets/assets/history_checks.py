"""Y5, Y6, Y9 as asset checks: is a season complete, is its content true, does it stand still?"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import dagster as dg

from footy_assets.assets.history import ASSET_OF, seasons_in_question
from footy_assets.history.content import QUESTIONS, Question
from footy_assets.history.tiers import Tier
from footy_assets.operations.history_seasons import stalled, tier_progress, waiting
from footy_assets.operations.history_start import history_rules
from footy_assets.settings import load_settings
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from resources.clock import ClockResource
from resources.mongo import MongoResource

MOST_TOLD = 50
# What speaks against a season, by its key.
Problems = dict[str, list[str]]


def complete_check(tier: Tier) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=ASSET_OF[tier],
        name=f"{ASSET_OF[tier].to_python_identifier()}_complete",
        description="Y6: every document of the tier was processed; otherwise which are missing.",
    )
    def check(context: dg.AssetCheckExecutionContext, mongo: MongoResource) -> dg.AssetCheckResult:
        store = HistoryStore(mongo.database)
        records = seasons_in_question(context, store)
        return result({str(one.key): missing(store, one, tier) for one in records})

    return check


def missing(store: HistoryStore, record: SeasonRecord, tier: Tier) -> list[str]:
    told = tier_progress(record, tier)
    if told["complete"]:
        return []
    documents = [
        f"{one.wanted.url} {one.state}: {one.reason or 'not asked for yet'}"
        for one in store.documents(record.key)
        if one.wanted.tier is tier and not one.processed and not one.left_out
    ]
    return documents or ["it has not been planned yet"]


def content_check(question: Question) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=ASSET_OF[Tier.PLAYER_SEASON],
        name=question.__name__,
        description=f"Y9: {' '.join((question.__doc__ or '').split())}",
    )
    def check(context: dg.AssetCheckExecutionContext, mongo: MongoResource) -> dg.AssetCheckResult:
        store = HistoryStore(mongo.database)
        records = seasons_in_question(context, store)
        return result({str(one.key): question(store.content(one.key)) for one in records})

    return check


@dg.asset_check(
    asset=ASSET_OF[Tier.SEASON],
    name="season_not_stalled",
    description="Y5: no season waits longer for one tier than FOOTY_HISTORY_ALERT_MINUTES.",
)
def not_stalled(
    context: dg.AssetCheckExecutionContext, mongo: MongoResource, clock: ClockResource
) -> dg.AssetCheckResult:
    records = seasons_in_question(context, HistoryStore(mongo.database))
    return result(standing_still(records, clock.clock().now()))


def standing_still(records: Sequence[SeasonRecord], now: datetime) -> Problems:
    rules = history_rules(load_settings())
    return {
        str(one.key): [
            f"{one.saga.state} for {waiting(one.saga, now).total_seconds() / 60:.0f} minutes"
        ]
        if stalled(one.saga, now, rules)
        else []
        for one in records
    }


def result(problems: Problems) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(**answer(problems))


def answer(problems: Problems) -> dict[str, Any]:
    told = [f"{key}: {text}" for key, found in problems.items() for text in found]
    return {
        "passed": not told,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": "; ".join(told[:3]) or f"{len(problems)} seasons",
        "metadata": {"problems": len(told), "told": told[:MOST_TOLD]},
    }


history_checks = [
    *(complete_check(tier) for tier in Tier),
    *(content_check(question) for question in QUESTIONS),
    not_stalled,
]
