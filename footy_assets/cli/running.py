"""Commands that run the product, or say how it is."""

import signal
from dataclasses import asdict
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footy_assets.cli.output import Json, print_json, print_rows, stderr, stdout
from footy_assets.settings import describe, load_settings

if TYPE_CHECKING:
    from footy_assets.runtime.doctor import Examined


def up() -> None:
    """Run everything: embedded servers where none are set, Dagster's daemon and UI, the web app.

    Stops it all cleanly on Ctrl-C or SIGTERM.
    """
    from footy_assets.runtime.supervisor import running

    configured, console = load_settings(), stderr()
    stopped = stop_on_signals()
    if configured.api_football_key is None:
        console.print(
            "FOOTY_API_FOOTBALL_KEY is not set: the provider will refuse us until it is.",
            style="yellow",
        )
    with running(configured, say=lambda text: console.print(f"· {text}")) as stack:
        console.print(f"Gallery: {stack.gallery}", style="bold green")
        console.print(f"Dagster UI: {stack.ui}   (Ctrl-C stops everything)", style="bold green")
        stack.watch(until=stopped.is_set)
        console.print("stopping …")


def demo(
    speed: Annotated[
        float, typer.Option(min=1.0, max=240.0, help="How many times faster than life.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Which matchday; the same seed is the same day.")] = 7,
    headless: Annotated[
        bool, typer.Option("--headless", help="Plain lines instead of a live table.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="At the end keep everything up until Ctrl-C, and its data."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a demo that was interrupted or killed.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="All 18 matches with every trap of a feed, not six.")
    ] = False,
    match: Annotated[
        list[str] | None,
        typer.Option(help="Only this one of the 18, by its title; may be given several times."),
    ] = None,
    clips: Annotated[
        bool, typer.Option("--clips/--no-clips", help="Search for clips, or end with the goals.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Play a simulated matchday through the real pipeline, and judge the result.

    Embedded servers, a simulated provider and a simulated site where fans post, on loopback, and
    the real Dagster daemon, webserver, sensors and browser. Exits with 0 only if every goal of the
    script ended as it should, with at least one right clip and no wrong one.
    """
    from footy_assets.runtime.demo import Day, DemoOptions, play

    configured = load_settings()
    stopped = stop_on_signals()
    day = Day(seed, everything, clips, match or ())
    options = DemoOptions(day, speed, headless or as_json, keep, resume)
    outcome = play(configured, options, stopped.is_set)
    if as_json:
        print_json(outcome.as_json())
    raise typer.Exit(outcome.exit_code)


def doctor(as_json: Json = False) -> None:
    """Say what is missing and how to fix it. Exits with 1 if something needed is."""
    from footy_assets.runtime.doctor import examine

    rows = []
    for examined in examine(load_settings()):
        rows.append(asdict(examined))
        if not as_json:
            _print_examined(examined)
    if as_json:
        print_json(rows)
    raise typer.Exit(int(any(not row["ok"] and not row["optional"] for row in rows)))


def _print_examined(examined: "Examined") -> None:
    mark, style = ("ok", "green") if examined.ok else ("x", "red")
    if examined.optional and not examined.ok:
        mark, style = "-", "yellow"
    console = stdout()
    console.print(Text(f"{mark:<3}", style=style), Text(f"{examined.name}: {examined.detail}"))
    if not examined.ok:
        console.print(Text(f"    → {examined.fix}"))


def settings(as_json: Json = False) -> None:
    """List every setting with its value, default and meaning; secrets are masked."""
    rows = describe(load_settings())
    if as_json:
        print_json(rows)
        return
    columns = {"name": "setting", "value": "value", "description": "meaning"}
    print_rows(rows, columns, "")


def stop_on_signals() -> Event:
    """Ctrl-C, SIGTERM and a closed terminal all mean: stop cleanly, which takes some seconds."""
    stopped = Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    return stopped
