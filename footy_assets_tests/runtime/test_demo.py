"""`footy demo`, killed in the middle and resumed: the day still ends as it should."""

import json
import re
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from dagster import DagsterInstance, RunsFilter

from footy_assets.runtime.home import Home
from footy_assets.runtime.reaper import WITH_A_WORKER
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

SMALL = ("--match", "hat-trick")
GOALS_ONLY = ("demo", "--headless", "--no-clips", "--speed", "240")
# Four matches at a time, of those that begin first.
SOME_MATCHES = (
    *("--match", "hat-trick", "--match", "VAR reversals"),
    *("--match", "late scorer names", "--match", "re-attributions"),
)


def test_kill_9_of_everything_in_the_middle_loses_and_doubles_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = Stack(home, *GOALS_ONLY, *SOME_MATCHES)
    try:
        first.wait_until(lambda: len(re.findall("stable", first.said)) >= 6, 180)
    finally:
        first.kill_everything()
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


def test_a_new_demo_ends_what_a_killed_one_left_and_stopped_leaves_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = Stack(home, "demo", "--headless", *SMALL)
    second, orphans = None, []
    try:
        first.ui()
        orphans = first.family()[1:]
        first.process.kill()
        first.process.wait()
        second = Stack(home, "demo", "--headless", "--no-clips", *SMALL)
        second.ui()
        assert not [p for p in orphans if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
        assert second.stop() == 130
    finally:
        for process in (*first.family(), *orphans):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if second:
            second.kill_everything()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "there is no demo to resume"),
        (["--match", "the best one"], "the demo has no match 'the best one'"),
    ],
)
def test_an_impossible_demo_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    stack = Stack(tmp_path / "home", "demo", *arguments)
    assert stack.process.wait(60) == 2
    assert message in stack.said
