"""`footy demo`, killed and started anew, or resumed: the day still ends as it should."""

import json
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from dagster import DagsterInstance, RunsFilter

from footy_assets.clock import ScaledClock
from footy_assets.errors import BadInput
from footy_assets.runtime.demo import DemoOptions, kick_off_now, play
from footy_assets.runtime.demo_day import DemoDay, load_progress, save_progress
from footy_assets.runtime.demo_outcome import DemoOutcome
from footy_assets.runtime.home import Home
from footy_assets.runtime.reaper import WITH_A_WORKER
from footy_assets.settings import settings_of
from footy_assets_tests.fixtures.films import FILMED_MATCH
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

GOALS_ONLY = ("demo", "--headless", "--no-clips", "--speed", "240")
# Four matches at a time, of those that begin first.
SOME_MATCHES = (
    *("--match", "hat-trick", "--match", "VAR reversals"),
    *("--match", "late scorer names", "--match", "re-attributions"),
)


def test_a_killed_demo_is_cleared_away_or_resumed_and_loses_and_doubles_nothing(
    tmp_path: Path, footage: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "footage").symlink_to(footage)
    left = kill_while_it_starts(Stack(home, "demo", "--headless", "--match", FILMED_MATCH))
    first = Stack(home, *GOALS_ONLY, *SOME_MATCHES)
    try:
        first.wait_until(lambda: len(re.findall("stable", first.said)) >= 6, 180)
        assert still_running(left) == [], "a new demo ends what a killed one left"
    finally:
        first.kill_everything()
        end(left)
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(home) in str(p.info["cmdline"])]

    again = Stack(home, *GOALS_ONLY, "--resume", "--keep", "--json")
    try:
        again.wait_until(lambda: "Still running:" in again.said, 240)
        with DagsterInstance.from_config(str(Home(home / "demo").dagster)) as instance:
            in_flight = RunsFilter(statuses=WITH_A_WORKER)
            again.wait_until(lambda: not instance.get_runs(in_flight), 60)
        code = again.stop()
    finally:
        again.kill_everything()
    outcome = json.loads(again.said.strip().splitlines()[-1])
    assert outcome["unexpected"] == []
    assert [goal for goal in outcome["goals"] if goal["problem"]] == []
    assert outcome["right"]
    assert code == 0, outcome


def kill_while_it_starts(demo: Stack) -> list[psutil.Process]:
    """Kills the demo itself with -9; returns all that it had started: servers, films' renderers,
    and the first of those that are in its record."""
    left: list[psutil.Process] = []
    try:
        demo.wait_until(lambda: bool(demo.running("footy_assets.runtime.code_server")), 120)
    finally:
        left = demo.family()[1:]
        demo.process.kill()
        demo.process.wait()
    assert left
    return left


def still_running(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def end(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def test_a_demo_that_was_stopped_before_its_end_exits_with_130() -> None:
    assert DemoOutcome(None, (), {}, "").exit_code == 130


def test_there_is_no_kickoff_without_a_demo(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no demo is running"):
        kick_off_now(settings_of(home=tmp_path / "home"))


def test_a_demo_skips_the_time_before_kickoff_and_is_resumed_where_it_was(tmp_path: Path) -> None:
    home, day = Home(tmp_path / "demo"), DemoDay(matches=[FILMED_MATCH])
    home.path.mkdir()
    just_before = day.world().scripts[0].kickoff - timedelta(minutes=5)
    # So slow that it stands still while the test runs.
    before = ScaledClock(just_before - timedelta(hours=9), 1e-9, 0.0, home.path / "skipped")
    save_progress(home, day, before)
    kick_off_now(settings_of(home=tmp_path))
    assert abs(before.now() - just_before) < timedelta(seconds=1)
    save_progress(home, day, before)
    assert abs(load_progress(home)[1] - just_before) < timedelta(seconds=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (DemoOptions(resume=True), "there is no demo to resume"),
        (DemoOptions(DemoDay(matches=["the best one"])), "the demo has no match 'the best one'"),
    ],
)
def test_an_impossible_demo_is_refused(tmp_path: Path, options: DemoOptions, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        play(settings_of(home=tmp_path / "home"), options, lambda: False)
