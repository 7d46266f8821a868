"""The web app, put together here and decided elsewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from footy_assets import __version__
from footy_assets.api import history, manage, pages, problems, sources, triggers, v1, videos
from footy_assets.api.guard import Guard
from footy_assets.api.parts import Parts, Shared
from footy_assets.api.rendering import STATIC

THREADS = 40
OPEN_METRICS = "text/plain; version=0.0.4; charset=utf-8"


def create_app(parts: Parts, *, live: bool = True) -> FastAPI:
    """`live=False` leaves the feed out: what the same pages cost without it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        if live:
            await parts.feed.start()
        yield
        parts.feed.close()
        await parts.feed.joined()

    app = FastAPI(
        title="footy",
        version=__version__,
        summary="Matches, goals and their clips.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.parts = parts
    app.add_middleware(Guard, settings=parts.settings, metrics=parts.metrics)
    problems.install(app)
    for part in (pages, videos, v1, triggers, manage, history, sources):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.api_route("/metrics", methods=["GET", "HEAD"], include_in_schema=False)
    def metrics(parts: Shared) -> Response:
        return Response(parts.metrics.page(), media_type=OPEN_METRICS)

    return app
