"""Snapshots of a matchday, and what they made triggers say."""

from datetime import date, timedelta
from typing import Any

import dagster as dg
from pymongo.database import Database

from footy_assets.assets.labels import label_run, triggers_label
from footy_assets.assets.live_events import live_events
from footy_assets.assets.partitions import matchday_of, matchdays
from footy_assets.operations.triggers import (
    NOTIFICATION_POLICY,
    Evaluator,
    Replayed,
    replay_scope,
)
from footy_assets.store.collections import Document
from footy_assets.store.trigger_outbox import DEAD, Outbox
from footy_assets.store.trigger_snapshots import SnapshotStore
from footy_assets.store.triggers import TriggerStore
from resources.clock import ClockResource
from resources.mongo import MongoResource

SHOWN = 20
# Matches of yesterday may still be on; what is older was brought in afterwards.
STILL_LIVE = timedelta(days=1)
TABLE_HEAD = ("| who | match | because of | |", "|---|---|---|---|")


class Replaying(dg.Config):
    dry_run: bool | None = None


@dg.asset(
    deps=[live_events],
    description=(
        "Each change of a match as a snapshot of standard events, numbered within its match "
        "(T1–T3). Those of a day that is over are kept for replays: nobody is told of them."
    ),
    partitions_def=matchdays,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=7),
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
        stored = store.take_over([day.isoformat()], waits=day >= today - STILL_LIVE)
        told = {**snapshots_metadata(mongo.database, day), "new": sum(stored.values())}
        context.add_asset_metadata(told, partition_key=day.isoformat())


@dg.asset(
    deps=[match_snapshots],
    description=(
        "What triggers said of a matchday, with proof (T4–T13). With `dry_run`, which is the way "
        "of every day that is over, its snapshots go through the triggers of their time again: "
        "nothing is written, nobody is told, and the answer is compared with what was told live."
    ),
    partitions_def=matchdays,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=7),
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
        replayed = [replay_scope(mongo.database, key) for key in keys]
        told = {**live_metadata(mongo.database, day), **replay_metadata(replayed)}
        told["dry_run"] = dry_run
        context.add_asset_metadata(told, partition_key=day.isoformat())


def snapshots_metadata(database: Database[Document], day: date) -> dict[str, Any]:
    store = SnapshotStore(database)
    keys = store.scopes_of(day.isoformat())
    return {"matches": len(keys), "snapshots": store.count(keys)}


def live_metadata(database: Database[Document], day: date) -> dict[str, Any]:
    """What was told of a matchday so far, the latest first."""
    store = TriggerStore(database)
    keys = SnapshotStore(database).scopes_of(day.isoformat())
    told = sorted((one for key in keys for one in store.told(key)), key=lambda one: one["at"])
    rows = [
        f"| {one['entity']} {one['entity_id']} | {one['scope_key']} | {one['snapshot_id']} | "
        f"{'taken back' if one['retracted_by'] else 'stands'} |"
        for one in reversed(told[-SHOWN:])
    ]
    return {
        "activations": len(told),
        "retracted": sum(one["retracted_by"] is not None for one in told),
        "latest": dg.MetadataValue.md("\n".join([*TABLE_HEAD, *rows])),
    }


def replay_metadata(replayed: list[Replayed]) -> dict[str, Any]:
    again = [told for one in replayed for told in one.again]
    return {
        "matches": len(replayed),
        "snapshots": sum(one.snapshots for one in replayed),
        "activations_again": len(again),
        "retracted_again": sum(told["retracted_by"] is not None for told in again),
        "same_as_live": all(one.same for one in replayed),
    }


@dg.asset_check(
    asset=trigger_activations,
    name="no_dead_letters",
    description="T12: every notification was taken by its subscriber, or still may be.",
)
def no_dead_letters(mongo: MongoResource) -> dg.AssetCheckResult:
    outbox = Outbox(mongo.database, NOTIFICATION_POLICY)
    states, dead = outbox.by_state(), outbox.dead_letters(5)
    reasons = "; ".join(f"{letter['_id']}: {letter['last_error']}" for letter in dead)
    return dg.AssetCheckResult(
        passed=not states.get(DEAD),
        description=f"`footy triggers dead --resend` sends again: {reasons}" if dead else "none",
        metadata=dict(states),
    )


@dg.asset_check(
    asset=trigger_activations,
    name="replay_agrees",
    description="T9: today's snapshots, gone through again, give the answer that was told live.",
)
def replay_agrees(mongo: MongoResource, clock: ClockResource) -> dg.AssetCheckResult:
    day = clock.clock().now().date().isoformat()
    keys = SnapshotStore(mongo.database).scopes_of(day)
    wrong = [key for key in keys if not replay_scope(mongo.database, key).same]
    return dg.AssetCheckResult(
        passed=not wrong, metadata={"matches": len(keys), "wrong": ", ".join(wrong) or "none"}
    )


trigger_checks = [no_dead_letters, replay_agrees]
