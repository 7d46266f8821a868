"""Runs the web app as a process: connections, socket, shutdown."""

import socket
import sys
from collections.abc import Callable

import uvicorn
from sse_starlette.sse import AppStatus

from footy_assets.errors import BadInput
from footy_assets.gallery.app import create_app
from footy_assets.gallery.guard import is_loopback
from footy_assets.gallery.live_feed import LiveFeed
from footy_assets.gallery.services import make_services
from footy_assets.settings import Settings
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3

SHUTDOWN_SECONDS = 3
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
    require_token_beyond_loopback(settings)
    listening = listen(settings)
    port = listening.getsockname()[1]
    settings = settings.model_copy(update={"api_port": port})
    with listening, open_mongo(settings) as database, open_s3(settings) as objects:
        objects.ensure_bucket()
        services = make_services(settings, database, objects, settings.make_clock())
        config = uvicorn.Config(
            create_app(services),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        on_ready(settings.gallery_url)
        Server(config, services.feed).run(sockets=[listening])


def require_token_beyond_loopback(settings: Settings) -> None:
    if not is_loopback(settings.api_host) and settings.api_token is None:
        raise BadInput(
            f"FOOTY_API_HOST is {settings.api_host}, which other machines can reach, "
            "but FOOTY_API_TOKEN is not set",
            "Set FOOTY_API_TOKEN, or leave FOOTY_API_HOST at 127.0.0.1",
        )


def listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.api_host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.api_host, settings.api_port))
    except OSError as error:
        made.close()
        raise BadInput(
            f"{settings.api_host}:{settings.api_port} cannot be used for the web app: "
            f"{error.strerror}",
            "Set FOOTY_API_PORT to a free port, or to 0 for any",
        ) from error
    return made
