"""Jobs: the ingest of a matchday, and retention."""

import dagster as dg

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.runs import prune_runs
from footy_assets.assets.team_aliases import team_aliases
from footy_assets.operations.retention import clear_removed, restamp_renamed, retire
from footy_assets.operations.rules import rules
from footy_assets.settings import load_settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.leases import Leases
from footy_assets.store.retention import RetentionStore
from resources.clock import ClockResource
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource

ingest_job = dg.define_asset_job(
    "ingest",
    selection=dg.AssetSelection.assets(fixtures, team_aliases),
    description="Bring in the fixtures of a matchday and their teams' names; safe to repeat.",
)


@dg.op(description="E6: delete what removed goals left in S3; their tombstones stay.")
def clear_removed_goals(
    context: dg.OpExecutionContext, mongo: MongoResource, s3: S3ClipsResource, clock: ClockResource
) -> None:
    documents, leases = ClipDocuments(mongo.database), Leases(mongo.database)
    store = RetentionStore(mongo.database)
    deleted = clear_removed(store, documents, leases, s3.store, clock.clock())
    context.log.info(f"{deleted} objects of removed goals deleted")


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    description="E5: clips of renamed goals say their new name; they stay where they are.",
)
def restamp_renamed_goals(
    context: dg.OpExecutionContext, mongo: MongoResource, s3: S3ClipsResource
) -> None:
    stamped = restamp_renamed(ClipDocuments(mongo.database), s3.store)
    context.log.info(f"{stamped} clips of renamed goals restamped")


@dg.op(ins={"after": dg.In(dg.Nothing)}, description="F9: marks, then objects, then documents.")
def retire_matches(
    context: dg.OpExecutionContext, mongo: MongoResource, s3: S3ClipsResource, clock: ClockResource
) -> None:
    keep = rules(load_settings()).deadlines.retention
    report = retire(RetentionStore(mongo.database), s3.store, clock.clock(), keep)
    context.add_output_metadata(
        {"fixtures": report.fixtures, "events": report.events, "objects": report.objects}
    )


@dg.op(ins={"after": dg.In(dg.Nothing)}, description="Delete old runs and the files they left.")
def prune_old_runs(context: dg.OpExecutionContext, clock: ClockResource) -> None:
    keep = rules(load_settings()).deadlines.retention
    context.add_output_metadata({"runs": prune_runs(context.instance, clock.clock().now() - keep)})


@dg.job(
    name="retention",
    description="Forget matches that ended more than FOOTY_RETENTION_DAYS ago, and old runs.",
)
def retention_job() -> None:
    cleared = restamp_renamed_goals(after=clear_removed_goals())
    prune_old_runs(after=retire_matches(after=cleared))
