"""The commands of `footy`, put together."""

import sys

import typer

from footy_assets import __version__
from footy_assets.cli import clips as clip_files
from footy_assets.cli import history, sources, triggers
from footy_assets.cli.aliases import aliases
from footy_assets.cli.by_hand import audit, close, remove, rerank, revalidate
from footy_assets.cli.goals import clips as list_clips
from footy_assets.cli.goals import explain, search
from footy_assets.cli.logins import login
from footy_assets.cli.matchdays import events, fixtures, ingest, poll
from footy_assets.cli.output import INTERRUPTED, stderr
from footy_assets.cli.running import demo, doctor, settings, up
from footy_assets.cli.sources import health
from footy_assets.cli.web import web
from footy_assets.errors import FootyError
from footy_assets.logs import configure_logs
from footy_assets.settings import load_settings

app = typer.Typer(
    name="footy",
    help="From the football feed to stable goals and their clips, as Dagster assets.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    *(up, web, demo, doctor, health, settings, login),
    *(ingest, poll, fixtures, events, aliases),
    *(search, explain),
    *(revalidate, rerank, close, audit),
)
for command in COMMANDS:
    app.command()(command)
app.command("clips")(list_clips)
clip_files.app.command("remove")(remove)
app.add_typer(clip_files.app)
app.add_typer(triggers.app)
app.add_typer(history.app)
app.add_typer(sources.app)


def show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"footy {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=show_version, help="Print the version."
    ),
) -> None:
    # Logs go to stderr: stdout is for what a command prints.
    configure_logs(load_settings().log_level)


def main() -> None:
    """Run a command; a failure of ours is one sentence and an exit code that means something."""
    try:
        app()
    except FootyError as error:
        stderr().print(f"footy: {error.sentence()}", style="red", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
