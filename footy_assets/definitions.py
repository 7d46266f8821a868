"""Everything that Dagster loads. Only composes; the rules are elsewhere."""

from typing import Any

import dagster as dg

from footy_assets.clips.assets import clips
from footy_assets.clips.batch_io import BatchIOManager
from footy_assets.clips.checks import clip_checks
from footy_assets.clips.jobs import (
    clips_job,
    remove_clip,
    rerank_goal,
    retention_job,
    revalidate_goal,
)
from footy_assets.clips.resource import ClipWorkResource, HeldClipsResource
from footy_assets.history.assets import past_season
from footy_assets.history.checks import history_checks
from footy_assets.history.jobs import history_jobs, source_history_job
from footy_assets.logs import configure_structured_logs
from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.matchday.checks import matchday_checks
from footy_assets.matchday.jobs import ingest_fixtures
from footy_assets.providers.checks import provider_health_checks
from footy_assets.providers.resource import LeadResource
from footy_assets.search.assets import discovered_videos, team_aliases
from footy_assets.search.attempt_io import AttemptIOManager
from footy_assets.search.checks import alias_checks, site_checks
from footy_assets.search.jobs import close_fixture, ingest_job, search_job
from footy_assets.search.resource import SearcherResource, TeamAliasesResource
from footy_assets.settings import Settings, load_settings
from footy_assets.tracing import start_tracing
from footy_assets.triggers.assets import match_snapshots, trigger_activations, trigger_checks
from resources.browser.resource import BrowserResource
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.resource import S3ClipsResource
from resources.sites.resource import SitesResource
from resources.wikidata.resource import WikidataResource
from sensors.clips import clips_due_sensor, retention_sensor
from sensors.history import history_due_sensor, season_backfill_sensor
from sensors.matchday import daily_ingest, ingest_due_sensor, live_poll_sensor
from sensors.providers import provider_health_sensor
from sensors.search import search_due_sensor
from sensors.triggers import trigger_notifications_sensor, trigger_stages_sensor


def resources_from(settings: Settings) -> dict[str, Any]:
    """Every resource, with fields from the same settings and with one clock."""
    mongo, s3 = MongoResource.from_settings(settings), S3ClipsResource.from_settings(settings)
    clock, policy = ClockResource(spec=settings.clock), PolicyResource.from_settings(settings)
    provider = LeadResource.from_settings(settings, mongo=mongo, clock=clock)
    wikidata = WikidataResource.from_settings(settings)
    browser = BrowserResource.from_settings(settings)
    sites = SitesResource.from_settings(settings, mongo=mongo, clock=clock, browser=browser)
    aliases = TeamAliasesResource.from_settings(
        settings, mongo=mongo, provider=provider, wikidata=wikidata, clock=clock
    )
    searching = SearcherResource.from_settings(
        settings, mongo=mongo, sites=sites, aliases=aliases, clock=clock
    )
    clip_work = ClipWorkResource.from_settings(settings, mongo=mongo, s3=s3, clock=clock)
    held_clips = HeldClipsResource.from_settings(settings, mongo=mongo, clock=clock)
    return {
        "mongo": mongo,
        "s3": s3,
        "browser": browser,
        "provider": provider,
        "sites": sites,
        "clock": clock,
        "policy": policy,
        "wikidata": wikidata,
        "aliases": aliases,
        "searching": searching,
        "clip_work": clip_work,
        "held_clips": held_clips,
        "attempts": AttemptIOManager(searching=searching),
        "batches": BatchIOManager(clip_work=clip_work),
    }


@dg.definitions
def defs() -> dg.Definitions:
    settings = load_settings()
    configure_structured_logs(settings.log_level)
    start_tracing("footy-dagster")
    return dg.Definitions(
        assets=[
            *(fixtures, team_aliases, live_events, discovered_videos, clips),
            *(match_snapshots, trigger_activations),
            past_season,
        ],
        asset_checks=[
            *(*matchday_checks, *alias_checks, *site_checks, *clip_checks, *trigger_checks),
            *(*provider_health_checks, *history_checks),
        ],
        jobs=[
            *(ingest_job, retention_job, search_job, clips_job, source_history_job),
            *(ingest_fixtures, close_fixture, revalidate_goal, rerank_goal, remove_clip),
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
            provider_health_sensor(settings),
        ],
        resources=resources_from(settings),
        executor=dg.in_process_executor,
    )
