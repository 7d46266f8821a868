"""Asset checks of past seasons: complete (Y6), plausible content (Y9), not stalled (Y5)."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import dagster as dg

from footy_assets.history.assets import ASSET_OF, seasons_to_check
from footy_assets.history.progress import is_stalled, tier_progress, waiting_time
from footy_assets.history.rules.content import CONTENT_CHECKS
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import Tier
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.policies import history_rules
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

MOST_LISTED = 50
# Problems by season key.
Problems = dict[str, list[str]]


def complete_check(tier: Tier) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=ASSET_OF[tier],
        name=f"{ASSET_OF[tier].to_python_identifier()}_complete",
        description="Y6: every document of the tier is processed; lists the missing ones.",
    )
    def check(context: dg.AssetCheckExecutionContext, mongo: MongoResource) -> dg.AssetCheckResult:
        store = HistoryStore(mongo.database)
        records = seasons_to_check(context, store)
        return result({str(one.key): missing_documents(store, one, tier) for one in records})

    return check


def missing_documents(store: HistoryStore, record: SeasonRecord, tier: Tier) -> list[str]:
    if tier_progress(record, tier)["complete"]:
        return []
    documents = [
        f"{one.request.url} {one.state}: {one.reason or 'not requested yet'}"
        for one in store.documents(record.key)
        if one.request.tier is tier and not one.processed and not one.left_out
    ]
    return documents or ["the tier is not planned yet"]


@dg.multi_asset_check(
    name="content_checks",
    specs=[
        dg.AssetCheckSpec(
            name=check.__name__,
            asset=ASSET_OF[Tier.PLAYER_SEASON],
            description=f"Y9: {' '.join((check.__doc__ or '').split())}",
        )
        for check in CONTENT_CHECKS
    ],
    can_subset=True,
)
def content_checks(
    context: dg.AssetCheckExecutionContext, mongo: MongoResource
) -> Iterator[dg.AssetCheckResult]:
    """Y9: all content checks of a season; its content is loaded once."""
    selected = {key.name for key in context.selected_asset_check_keys}
    checks = [check for check in CONTENT_CHECKS if check.__name__ in selected]
    store = HistoryStore(mongo.database)
    problems: dict[str, Problems] = {check.__name__: {} for check in checks}
    for record in seasons_to_check(context, store):
        content = store.content(record.key)
        for check in checks:
            problems[check.__name__][str(record.key)] = check(content)
    for name, found in problems.items():
        yield dg.AssetCheckResult(
            asset_key=ASSET_OF[Tier.PLAYER_SEASON], check_name=name, **result_fields(found)
        )


@dg.asset_check(
    asset=ASSET_OF[Tier.SEASON],
    name="season_not_stalled",
    description="Y5: no season waits longer for one tier than FOOTY_HISTORY_ALERT_MINUTES.",
)
def not_stalled(
    context: dg.AssetCheckExecutionContext,
    mongo: MongoResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> dg.AssetCheckResult:
    records = seasons_to_check(context, HistoryStore(mongo.database))
    rules = history_rules(policy.as_settings())
    return result(stalled_problems(records, clock.clock().now(), rules))


def stalled_problems(
    records: Sequence[SeasonRecord], now: datetime, rules: HistoryRules
) -> Problems:
    return {
        str(one.key): [
            f"{one.saga.state} for {waiting_time(one.saga, now).total_seconds() / 60:.0f} minutes"
        ]
        if is_stalled(one.saga, now, rules)
        else []
        for one in records
    }


def result(problems: Problems) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(**result_fields(problems))


def result_fields(problems: Problems) -> dict[str, Any]:
    found = [f"{key}: {text}" for key, texts in problems.items() for text in texts]
    return {
        "passed": not found,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": "; ".join(found[:3]) or f"{len(problems)} seasons",
        "metadata": {"problems": len(found), "first_problems": found[:MOST_LISTED]},
    }


history_checks = [
    *(complete_check(tier) for tier in Tier),
    content_checks,
    not_stalled,
]
