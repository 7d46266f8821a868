"""Assembles the web app: routers, middleware, error handlers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from footy_assets import __version__
from footy_assets.gallery import http, operator_http, pages, problems, videos
from footy_assets.gallery.guard import Guard
from footy_assets.gallery.rendering import STATIC
from footy_assets.gallery.services import AppServices, Services
from footy_assets.history import http as history_http
from footy_assets.providers import http as provider_http
from footy_assets.triggers import follow_http, trigger_http
from footy_assets.triggers import http as snapshot_http
from footy_assets.web_server.connections import ConnectionLimits

THREADS = 40
PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"


def create_app(services: AppServices, limits: ConnectionLimits, *, live: bool = True) -> FastAPI:
    """`live=False` leaves out the live feed, to measure the pages without it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        if live:
            await services.feed.start()
        yield
        services.feed.close()
        await services.feed.join()

    app = FastAPI(
        title="footy",
        version=__version__,
        summary="Matches, goals and their clips.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.services = services
    app.add_middleware(Guard, settings=services.settings, metrics=services.metrics, limits=limits)
    problems.install(app)
    rooms = (trigger_http, follow_http, snapshot_http, history_http, provider_http)
    for module in (pages, videos, http, operator_http, *rooms):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.api_route("/metrics", methods=["GET", "HEAD"], include_in_schema=False)
    def metrics(services: Services) -> Response:
        return Response(services.metrics.page(), media_type=PROMETHEUS_TEXT)

    return app
