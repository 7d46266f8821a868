"""Jobs on matches and their searches: ingest with team aliases, the sweep, closing a match."""

import dagster as dg

from footy_assets.matchday.assets import fixtures
from footy_assets.matchday.operator_actions import close_fixture as close_a_fixture
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_runs import operator_action
from footy_assets.run_labels import QUEUE_PRIORITY_TAG, label_run
from footy_assets.search.assets import sweep_due_attempts, team_aliases
from footy_assets.search.store.searches import SearchStore
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

ingest_job = dg.define_asset_job(
    "ingest",
    selection=dg.AssetSelection.assets(fixtures, team_aliases),
    description="Ingest the fixtures of a matchday and their teams' aliases; safe to repeat.",
)


@dg.job(
    name="search",
    # Before what else waits for a worker.
    tags={QUEUE_PRIORITY_TAG: "9"},
    description="Search for every goal whose attempt is due, while more are due soon.",
)
def search_job() -> None:
    sweep_due_attempts()


class OneFixture(dg.Config):
    fixture_id: int
    why: str


@dg.op(description="Close a match for good, and the searches for its goals.")
def close_match(
    context: dg.OpExecutionContext,
    config: OneFixture,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    label_run(context, f"close-{config.fixture_id}")
    by = operator_action(context, mongo.database, clock.clock(), config.why)
    store, searches = MatchdayStore(mongo.database), SearchStore(mongo.database)
    closed = close_a_fixture(store, searches.close_fixture, by, config.fixture_id)
    context.add_output_metadata({"closed_because": closed.closed_because or ""})


@dg.job(description="Close a match for good, and the searches for its goals.")
def close_fixture() -> None:
    close_match()
