"""Everything Dagster loads, put together here and decided elsewhere."""

import dagster as dg

from footy_assets.assets.checks import matchday_checks
from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.jobs import ingest_job, retention_job
from footy_assets.assets.live_events import live_events
from footy_assets.assets.team_aliases import alias_checks, team_aliases
from footy_assets.settings import load_settings
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource
from resources.wikidata.resource import WikidataResource
from sensors.ingest import daily_ingest, ingest_due_sensor
from sensors.live_poll import live_poll_sensor
from sensors.retention import retention_sensor


@dg.definitions
def defs() -> dg.Definitions:
    settings = load_settings()
    return dg.Definitions(
        assets=[fixtures, team_aliases, live_events],
        asset_checks=[*matchday_checks, *alias_checks],
        jobs=[ingest_job, retention_job],
        schedules=[daily_ingest],
        sensors=[
            live_poll_sensor(settings),
            ingest_due_sensor(settings),
            retention_sensor(settings),
        ],
        resources={
            "mongo": MongoResource(),
            "s3": S3ClipsResource(),
            "football": FootballResource(),
            "wikidata": WikidataResource(),
            "clock": ClockResource(),
        },
        executor=dg.in_process_executor,
    )
