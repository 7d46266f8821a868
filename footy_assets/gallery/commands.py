"""The command that runs the web app alone."""

from footy_assets.cli.output import stderr
from footy_assets.settings import load_settings


def web() -> None:
    """Serve the gallery and the API, without Dagster. Ctrl-C stops it."""
    from footy_assets.gallery.serving import serve
    from footy_assets.logs import configure_logs

    configured, console = load_settings(), stderr()
    configure_logs(configured.log_level)
    serve(configured, on_ready=lambda url: console.print(f"Gallery: {url}", style="bold green"))
