"""The services of the web app, opened once and shared by all requests."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request
from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.gallery.dagster_ui import DagsterUi
from footy_assets.gallery.health import Health
from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.gallery.metrics import Metrics
from footy_assets.gallery.view_cache import ViewCache
from footy_assets.gallery.views import Gallery
from footy_assets.gallery.work_metrics import WorkMetrics
from footy_assets.history.metrics import HistoryFigures
from footy_assets.policies import history_rules
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from resources.broker.queues import queues_of
from resources.s3.clip_store import ClipStore


@dataclass(frozen=True, slots=True)
class AppServices:
    settings: Settings
    database: Database[Document]
    objects: ClipStore
    clock: Clock
    gallery: Gallery
    feed: LiveFeed
    views: ViewCache
    dagster: DagsterUi
    metrics: Metrics
    health: Health


def make_services(
    settings: Settings, database: Database[Document], objects: ClipStore, clock: Clock
) -> AppServices:
    feed = LiveFeed(database)
    dagster = DagsterUi(
        settings.dagster_url if settings.dagster_port else None,
        settings.dagster_public_url,
        settings.api_token,
    )
    return AppServices(
        settings=settings,
        database=database,
        objects=objects,
        clock=clock,
        gallery=Gallery(database, clock, objects.bucket),
        feed=feed,
        views=ViewCache(lambda: feed.changes),
        dagster=dagster,
        metrics=Metrics(
            database,
            feed,
            HistoryFigures(database, clock, history_rules(settings)),
            WorkMetrics(
                dagster.count_runs if dagster.url else None, queues_of(settings.broker_url)
            ),
        ),
        health=Health(database, objects, feed, dagster),
    )


def services_of(request: Request) -> AppServices:
    return cast(AppServices, request.app.state.services)


Services = Annotated[AppServices, Depends(services_of)]
