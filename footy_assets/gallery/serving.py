"""Runs the web app as a process: connections, socket, shutdown."""

import socket
import sys
from collections.abc import Callable

import uvicorn
from sse_starlette.sse import AppStatus

from footy_assets.gallery.access import access_of
from footy_assets.gallery.app import create_app
from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.gallery.services import make_services
from footy_assets.settings import Settings
from footy_assets.web_server.connections import ConnectionLimits
from footy_assets.web_server.listening import listen, server_config
from footy_assets.web_server.open_files import raise_open_files
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3

# Pages are rendered in threads. The event loop gets its turn this often meanwhile.
TURN_SECONDS = 0.001


class Server(uvicorn.Server):
    """Ends the live streams first: they would never end by themselves."""

    def __init__(self, config: uvicorn.Config, feed: LiveFeed) -> None:
        super().__init__(config)
        self._feed = feed
        # sse-starlette would cut streams off at the signal; the feed ends each one properly.
        AppStatus.enable_automatic_graceful_drain = False

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.close()
        await super().shutdown(sockets)


def serve(settings: Settings, on_ready: Callable[[str], None] = lambda _: None) -> None:
    """Serves until a signal stops it; `on_ready` receives the address."""
    sys.setswitchinterval(TURN_SECONDS)
    raise_open_files()
    access = access_of(settings)
    access.require_token()
    listening = listen(access, settings.api_port, "the web app")
    port = listening.getsockname()[1]
    settings = settings.model_copy(update={"api_port": port})
    with listening, open_mongo(settings) as database, open_s3(settings) as objects:
        objects.ensure_bucket()
        services = make_services(settings, database, objects, settings.make_clock())
        limits = ConnectionLimits.for_this_process(settings.max_connections)
        config = server_config(create_app(services, limits), limits)
        on_ready(settings.gallery_url)
        Server(config, services.feed).run(sockets=[listening])
