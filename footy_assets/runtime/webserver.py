"""`python -m footy_assets.runtime.webserver`: the Dagster UI behind our access control."""

import uvicorn

from footy_assets.dagster_internals import dagster_web_app
from footy_assets.logs import configure_logs
from footy_assets.runtime.dagster_guard import DagsterGuard, access_to_dagster
from footy_assets.runtime.home import Home
from footy_assets.settings import Settings, load_settings
from footy_assets.web_server.connections import ConnectionLimits
from footy_assets.web_server.listening import listen, server_config
from footy_assets.web_server.open_files import raise_open_files


def serve_dagster(settings: Settings) -> None:
    """Serves until a signal stops it."""
    raise_open_files()
    access = access_to_dagster(settings)
    access.require_token()
    limits = ConnectionLimits.for_this_process(settings.max_connections)
    with (
        listen(access, settings.dagster_port, "the Dagster UI") as listening,
        dagster_web_app(Home(settings.home).workspace) as app,
    ):
        config = server_config(DagsterGuard(app, access, limits), limits)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    configured = load_settings()
    configure_logs(configured.log_level)
    serve_dagster(configured)
