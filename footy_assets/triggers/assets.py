"""The assets of triggers: snapshots of a matchday, and the triggers they fired."""

from datetime import date, timedelta
from typing import Any

import dagster as dg
from pymongo.database import Database

from footy_assets.matchday.assets import live_events
from footy_assets.matchday.partitions import a_week_per_run, matchday_of, matchdays
from footy_assets.run_labels import label_run, triggers_label
from footy_assets.store.collections import Document
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.replay import ReplayResult, replay_scope
from footy_assets.triggers.rules.notification_state import NotificationState
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

MAX_ROWS = 20
# Yesterday's matches may still be in play; older ones were ingested afterwards.
STILL_LIVE = timedelta(days=1)
TABLE_HEAD = ("| entity | match | snapshot | state |", "|---|---|---|---|")


class Replaying(dg.Config):
    dry_run: bool | None = None


@dg.asset(
    deps=[live_events],
    description=(
        "Each change of a match as a snapshot of standard events, numbered within its match "
        "(T1–T3). Those of a past day are kept for replays and send no notifications."
    ),
    partitions_def=matchdays,
    backfill_policy=a_week_per_run,
    group_name="triggers",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
)
def match_snapshots(
    context: dg.AssetExecutionContext, mongo: MongoResource, clock: ClockResource
) -> None:
    today = clock.clock().now().date()
    store = SnapshotStore(mongo.database)
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, triggers_label(days))
    for day in days:
        stored = store.store_from_fixtures([day.isoformat()], waits=day >= today - STILL_LIVE)
        metadata = {**snapshots_metadata(mongo.database, day), "new": sum(stored.values())}
        context.add_asset_metadata(metadata, partition_key=day.isoformat())


@dg.asset(
    deps=[match_snapshots],
    description=(
        "The triggers that fired on a matchday, each with its explanation (T4–T13). With `dry_run` "
        "(the default for past days) it replays the snapshots with the triggers of their time, "
        "writes and sends nothing, and compares the result with what was sent live."
    ),
    partitions_def=matchdays,
    backfill_policy=a_week_per_run,
    group_name="triggers",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
)
def trigger_activations(
    context: dg.AssetExecutionContext,
    config: Replaying,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    time = clock.clock()
    days = [matchday_of(key) for key in context.partition_keys]
    label_run(context, triggers_label(days))
    for day in days:
        dry_run = config.dry_run if config.dry_run is not None else day < time.now().date()
        keys = SnapshotStore(mongo.database).scopes_of(day.isoformat())
        if not dry_run:
            done = Evaluator(mongo.database, time).run(keys)
            for failure in done.failures:
                context.log.warning(failure)
        results = [replay_scope(mongo.database, key) for key in keys]
        metadata = {**live_metadata(mongo.database, day), **replay_metadata(results)}
        metadata["dry_run"] = dry_run
        context.add_asset_metadata(metadata, partition_key=day.isoformat())


def snapshots_metadata(database: Database[Document], day: date) -> dict[str, Any]:
    store = SnapshotStore(database)
    keys = store.scopes_of(day.isoformat())
    return {"matches": len(keys), "snapshots": store.count(keys)}


def live_metadata(database: Database[Document], day: date) -> dict[str, Any]:
    """The activations of a matchday so far, the latest first."""
    store = TriggerStore(database)
    keys = SnapshotStore(database).scopes_of(day.isoformat())
    activations = [one for key in keys for one in store.scope_activations(key)]
    activations.sort(key=lambda one: one["at"])
    rows = [
        f"| {one['entity']} {one['entity_id']} | {one['scope_key']} | {one['snapshot_id']} | "
        f"{'retracted' if one['retracted_by'] else 'active'} |"
        for one in reversed(activations[-MAX_ROWS:])
    ]
    return {
        "activations": len(activations),
        "retracted": sum(one["retracted_by"] is not None for one in activations),
        "latest": dg.MetadataValue.md("\n".join([*TABLE_HEAD, *rows])),
    }


def replay_metadata(results: list[ReplayResult]) -> dict[str, Any]:
    activations = [activation for result in results for activation in result.replayed]
    return {
        "matches": len(results),
        "snapshots": sum(result.snapshots for result in results),
        "activations_again": len(activations),
        "retracted_again": sum(one["retracted_by"] is not None for one in activations),
        "same_as_live": all(result.matches_live for result in results),
    }


@dg.asset_check(
    asset=trigger_activations,
    name="no_dead_letters",
    description="T12: every notification is delivered, or still retried.",
)
def no_dead_letters(mongo: MongoResource) -> dg.AssetCheckResult:
    outbox = Outbox(mongo.database)
    states, dead = outbox.count_by_state(), outbox.dead_letters(5)
    reasons = "; ".join(f"{letter['_id']}: {letter['last_error']}" for letter in dead)
    return dg.AssetCheckResult(
        passed=not states.get(NotificationState.DEAD),
        description=f"`footy triggers dead --resend` sends again: {reasons}" if dead else "none",
        metadata=dict(states),
    )


@dg.asset_check(
    asset=trigger_activations,
    name="replay_agrees",
    description="T9: replaying today's snapshots gives the same activations as live.",
)
def replay_agrees(mongo: MongoResource, clock: ClockResource) -> dg.AssetCheckResult:
    day = clock.clock().now().date().isoformat()
    keys = SnapshotStore(mongo.database).scopes_of(day)
    wrong = [key for key in keys if not replay_scope(mongo.database, key).matches_live]
    return dg.AssetCheckResult(
        passed=not wrong, metadata={"matches": len(keys), "wrong": ", ".join(wrong) or "none"}
    )


trigger_checks = [no_dead_letters, replay_agrees]
