"""What the web app is made of, opened once and shared by every request."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request
from pymongo.database import Database

from footy_assets.api.dagster_ui import DagsterUi
from footy_assets.api.gallery import Gallery
from footy_assets.api.health import Health
from footy_assets.api.history_metrics import HistoryFigures
from footy_assets.api.live_feed import LiveFeed
from footy_assets.api.metrics import Metrics
from footy_assets.api.view_cache import ViewCache
from footy_assets.clock import Clock
from footy_assets.operations.history_start import history_rules
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from resources.clip_store import ClipStore


@dataclass(frozen=True, slots=True)
class Parts:
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


def make_parts(
    settings: Settings, database: Database[Document], objects: ClipStore, clock: Clock
) -> Parts:
    feed = LiveFeed(database)
    dagster = DagsterUi(settings.dagster_url if settings.dagster_port else None)
    return Parts(
        settings=settings,
        database=database,
        objects=objects,
        clock=clock,
        gallery=Gallery(database, clock, objects.bucket),
        feed=feed,
        views=ViewCache(lambda: feed.changes),
        dagster=dagster,
        metrics=Metrics(database, feed, HistoryFigures(database, clock, history_rules(settings))),
        health=Health(database, objects, feed, dagster),
    )


def parts_of(request: Request) -> Parts:
    return cast(Parts, request.app.state.parts)


Shared = Annotated[Parts, Depends(parts_of)]
