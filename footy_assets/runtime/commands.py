"""Commands that run the stack, or check it."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, stderr, stdout
from footy_assets.cli.signals import stop_on_signals
from footy_assets.setting_lists import describe


class WorkerQueue(StrEnum):
    CLIPS = "clips"
    BROWSER = "browser"
    ALL = "all"


class PartName(StrEnum):
    CODE_SERVER = "code-server"
    DAEMON = "daemon"
    DAGSTER_UI = "dagster-ui"
    WEB = "web"
    WORKER = "worker"


if TYPE_CHECKING:
    from footy_assets.runtime.check_result import CheckResult


def up(
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The football provider that leads, for example espn, which needs no key. "
            "Default: FOOTY_PROVIDER.",
        ),
    ] = None,
) -> None:
    """Run everything: embedded servers (unless configured), Dagster daemon and UI, web app.

    Ctrl-C or SIGTERM stops it cleanly.
    """
    from footy_assets.runtime.disk import DiskGuard
    from footy_assets.runtime.provider_notice import provider_notice
    from footy_assets.runtime.supervisor import running

    configured, console = invocation_settings(), stderr()
    if provider is not None:
        configured = configured.model_copy(update={"provider": provider})
    stopped = stop_on_signals()
    if notice := provider_notice(configured):
        console.print(notice, style="yellow")

    def report(text: str) -> None:
        console.print(f"· {text}", markup=False)

    DiskGuard(configured.home, report).wait(stopped.is_set)
    if stopped.is_set():
        return
    with running(configured, on_progress=report) as stack:
        console.print(f"Gallery: {stack.gallery}", style="bold green")
        console.print(f"Dagster UI: {stack.ui}   (Ctrl-C stops everything)", style="bold green")
        stack.watch(until=stopped.is_set)
        console.print("Stopping …")


def worker(
    queue: Annotated[
        WorkerQueue,
        typer.Option(help="Runs to take: clips, browser (searches and all the rest), or all."),
    ] = WorkerQueue.ALL,
    slots: Annotated[int, typer.Option(min=1, max=256, help="Runs at a time.")] = 2,
) -> None:
    """Run what `footy up` hands to the broker, on this machine or another one.

    Needs FOOTY_BROKER_URL, FOOTY_DAGSTER_POSTGRES_URL, FOOTY_MONGO_URI, FOOTY_S3_ENDPOINT_URL and
    the other settings as `footy up` has them, and a FOOTY_HOME of this machine. Ctrl-C or SIGTERM
    stops it after the runs that it has; a second one at once, and they are started again.
    """
    from footy_assets.runtime.worker import run_worker

    run_worker(invocation_settings(), queue.value, slots)


def code_server() -> None:
    """Run Dagster's code server alone, the first part of a `footy up` in several containers.

    Upgrades the documents, creates indexes and bucket, and writes the Dagster instance into
    FOOTY_HOME, which `footy daemon` and `footy dagster-ui` share. Needs FOOTY_MONGO_URI and
    FOOTY_S3_ENDPOINT_URL.
    """
    from footy_assets.runtime.parts import serve_code

    console = stderr()
    serve_code(invocation_settings(), lambda text: console.print(f"· {text}", markup=False))


def daemon() -> None:
    """Run Dagster's daemon alone: sensors, schedules, the queue of runs."""
    import time

    from footy_assets.runtime.parts import run_daemon

    run_daemon(invocation_settings(), time.time())


def dagster_ui() -> None:
    """Serve the Dagster UI alone, behind the access control of `footy up`."""
    from footy_assets.runtime.parts import show_dagster_ui

    show_dagster_ui(invocation_settings())


def alive(
    part: Annotated[PartName, typer.Argument(help="The part of this machine or container.")],
) -> None:
    """Check that one part works: for health checks of containers. Exits with 1 if it does not."""
    from footy_assets.runtime.alive import failure_of

    if (failure := failure_of(part.value, invocation_settings())) is not None:
        stderr().print(f"{part.value}: {failure}", markup=False)
        raise typer.Exit(1)


def demo(
    speed: Annotated[
        float, typer.Option(min=1.0, max=240.0, help="Speed-up over real time.")
    ] = 60.0,
    seed: Annotated[
        int, typer.Option(help="Random seed; the same seed gives the same matchday.")
    ] = 7,
    headless: Annotated[
        bool, typer.Option("--headless", help="Print plain lines instead of a live table.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep everything running until Ctrl-C, and keep the data."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a demo that was interrupted or killed.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Play all 18 matches, with every oddity of a real feed, not six."
        ),
    ] = False,
    match: Annotated[
        list[str] | None,
        typer.Option(help="Play only this match of the 18, by title; repeatable."),
    ] = None,
    clips: Annotated[
        bool, typer.Option("--clips/--no-clips", help="Search for clips, or stop after the goals.")
    ] = True,
    kickoff_in: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=600.0,
            help="At least so many seconds until the first kickoff.",
        ),
    ] = 15.0,
    kickoff_now: Annotated[
        bool,
        typer.Option("--kickoff-now", help="Let the demo that runs skip the time before kickoff."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Play a simulated matchday through the real pipeline, and check the result.

    Runs embedded servers, a simulated provider and simulated sites on loopback, with the real
    Dagster daemon, webserver, sensors, browser and listener. Exits with 0 only if every goal ended
    as scripted, with at least one correct clip and no wrong one, every site gave clips, and nothing
    was downloaded that its post ruled out.
    """
    from footy_assets.runtime.demo import DemoOptions, kick_off_now, play
    from footy_assets.runtime.demo_day import DemoDay

    configured = invocation_settings()
    if kickoff_now:
        kick_off_now(configured)
        return
    stopped = stop_on_signals()
    day = DemoDay(seed, everything, clips, match or ())
    options = DemoOptions(day, speed, headless or as_json, keep, resume, kickoff_in)
    outcome = play(configured, options, stopped.is_set)
    if as_json:
        print_json(outcome.as_json())
    raise typer.Exit(outcome.exit_code)


def doctor(as_json: Json = False) -> None:
    """Check the installation and say how to fix it. Exits with 1 if something required fails."""
    from footy_assets.runtime.doctor import examine

    rows = []
    for examined in examine(invocation_settings()):
        rows.append(asdict(examined))
        if not as_json:
            _print_examined(examined)
    if as_json:
        print_json(rows)
    raise typer.Exit(int(any(not row["ok"] and not row["optional"] for row in rows)))


def _print_examined(examined: "CheckResult") -> None:
    mark, style = ("ok", "green") if examined.ok else ("x", "red")
    if examined.optional and not examined.ok:
        mark, style = "-", "yellow"
    console = stdout()
    console.print(Text(f"{mark:<3}", style=style), Text(f"{examined.name}: {examined.detail}"))
    if not examined.ok:
        console.print(Text(f"    → {examined.fix}"))


def settings(as_json: Json = False) -> None:
    """List every setting with value, default and description; secrets are masked."""
    rows = describe(invocation_settings())
    if as_json:
        print_json(rows)
        return
    columns = {"name": "setting", "value": "value", "description": "description"}
    print_rows(rows, columns, "")
