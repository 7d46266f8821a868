"""The `footy` command line."""

import sys
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

import typer

from footy_assets import __version__
from footy_assets.cli.arguments import require_utf8
from footy_assets.cli.invocation import begin_invocation
from footy_assets.cli.loading import LazyGroup
from footy_assets.cli.output import INTERRUPTED, UNEXPECTED, stderr
from footy_assets.cli.unexpected import report_unexpected
from footy_assets.errors import FootyError
from footy_assets.logs import configure_logs
from footy_assets.private_files import make_private_by_default
from footy_assets.tracing import start_tracing

app = typer.Typer(
    name="footy",
    cls=LazyGroup,
    help="Goal clips from football feeds and fan posts, as a Dagster pipeline.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@dataclass
class ErrorOptions:
    """Where the command line notes what it needs to know when a command fails."""

    debug: bool = False


def show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"footy {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=show_version, help="Print the version."
    ),
    env_file: Path | None = typer.Option(
        None, "--env-file", metavar="FILE", help="One more file of settings (NAME=value lines)."
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Print the traceback of an unexpected error."
    ),
) -> None:
    ctx.ensure_object(ErrorOptions).debug = debug
    # Logs go to stderr; stdout is for results.
    configure_logs(begin_invocation(ctx, env_file).log_level)
    start_tracing("footy")


def main() -> None:
    """Run a command. An error prints one sentence and sets a documented exit code."""
    make_private_by_default()
    # A terminal that cannot show a letter gets its number instead of an error.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = ErrorOptions()
    try:
        require_utf8(sys.argv)
        app(obj=options)
    except FootyError as error:
        _print_error(error.sentence())
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        _print_error(report_unexpected(error, options.debug))
        sys.exit(UNEXPECTED)


def _print_error(sentence: str) -> None:
    stderr().print(f"footy: {sentence}", style="red", soft_wrap=True)
