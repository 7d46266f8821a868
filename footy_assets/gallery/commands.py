"""The command that runs the web app alone."""

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import stderr


def web() -> None:
    """Serve the gallery and the API, without Dagster. Ctrl-C stops it."""
    from footy_assets.gallery.serving import serve
    from footy_assets.logs import configure_logs

    configured, console = invocation_settings(), stderr()
    configure_logs(configured.log_level)
    serve(configured, on_ready=lambda url: console.print(f"Gallery: {url}", style="bold green"))
