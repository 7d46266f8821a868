"""The job that ingests fixtures by id."""

import dagster as dg

from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.operator_actions import ingest_ids
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_runs import operator_action
from footy_assets.policies import tracking_policy
from footy_assets.run_labels import label_run
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource


class IngestByIdConfig(dg.Config):
    ids: list[int]
    why: str


@dg.op(description="F2: ingest fixtures by id, tracked or not.")
def ingest_by_id(
    context: dg.OpExecutionContext,
    config: IngestByIdConfig,
    mongo: MongoResource,
    provider: ProviderResource,
    clock: ClockResource,
    policy: PolicyResource,
) -> None:
    label_run(context, f"ingest-{'-'.join(map(str, config.ids))}")
    time, tracking = clock.clock(), tracking_policy(policy.as_settings())
    ingest = Ingest(MatchdayStore(mongo.database), provider.feed, time, tracking)
    by = operator_action(context, mongo.database, time, config.why)
    report = ingest_ids(ingest, by, config.ids)
    context.add_output_metadata({"kept": len(report.kept_ids), "added": report.added})


@dg.job(description="Ingest fixtures by id, tracked or not. For a day, materialize `fixtures`.")
def ingest_fixtures() -> None:
    ingest_by_id()
