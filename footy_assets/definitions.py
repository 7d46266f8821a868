"""Everything Dagster loads, put together here and decided elsewhere."""

import dagster as dg

from footy_assets.assets.by_hand import by_hand_jobs
from footy_assets.assets.checks import matchday_checks
from footy_assets.assets.clip_checks import clip_checks
from footy_assets.assets.clips import clips
from footy_assets.assets.discovered_videos import discovered_videos, search_job
from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.history import past_season
from footy_assets.assets.history_checks import history_checks
from footy_assets.assets.history_jobs import history_jobs, source_history_job
from footy_assets.assets.jobs import ingest_job, retention_job
from footy_assets.assets.live_events import live_events
from footy_assets.assets.source_checks import source_checks
from footy_assets.assets.source_health import source_health_checks
from footy_assets.assets.team_aliases import alias_checks, team_aliases
from footy_assets.assets.triggers import match_snapshots, trigger_activations, trigger_checks
from footy_assets.logs import configure_structured_logs
from footy_assets.settings import load_settings
from resources.clip_work import ClipWorkResource
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource
from resources.searching import SearcherResource
from resources.video_sources import VideoSourcesResource
from resources.wikidata.resource import WikidataResource
from sensors.history import history_due_sensor, season_backfill_sensor
from sensors.ingest import daily_ingest, ingest_due_sensor
from sensors.live_poll import live_poll_sensor
from sensors.retention import retention_sensor
from sensors.searches import clips_due_sensor, clips_job, search_due_sensor
from sensors.sources import source_health_sensor
from sensors.triggers import trigger_notifications_sensor, trigger_stages_sensor


@dg.definitions
def defs() -> dg.Definitions:
    settings = load_settings()
    configure_structured_logs(settings.log_level)
    mongo, s3, football = MongoResource(), S3ClipsResource(), FootballResource()
    wikidata, sources = WikidataResource(), VideoSourcesResource(mongo=mongo)
    return dg.Definitions(
        assets=[
            *(fixtures, team_aliases, live_events, discovered_videos, clips),
            *(match_snapshots, trigger_activations),
            past_season,
        ],
        asset_checks=[
            *(*matchday_checks, *alias_checks, *source_checks, *clip_checks, *trigger_checks),
            *(*source_health_checks, *history_checks),
        ],
        jobs=[
            *(ingest_job, retention_job, search_job, clips_job, source_history_job),
            *by_hand_jobs,
            *history_jobs,
        ],
        schedules=[daily_ingest],
        sensors=[
            live_poll_sensor(settings),
            ingest_due_sensor(settings),
            search_due_sensor(settings),
            clips_due_sensor(settings),
            retention_sensor(settings),
            trigger_stages_sensor(settings),
            trigger_notifications_sensor(settings),
            history_due_sensor(settings),
            season_backfill_sensor(settings),
            source_health_sensor(settings),
        ],
        resources={
            "mongo": mongo,
            "s3": s3,
            "football": football,
            "wikidata": wikidata,
            "clock": ClockResource(),
            "sources": sources,
            "searching": SearcherResource(
                mongo=mongo, sources=sources, football=football, wikidata=wikidata
            ),
            "clip_work": ClipWorkResource(mongo=mongo, s3=s3),
            "in_memory": dg.mem_io_manager,
        },
        executor=dg.in_process_executor,
    )
