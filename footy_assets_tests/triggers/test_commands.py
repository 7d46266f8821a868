"""`footy triggers …`, run in this process and once in a separate one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.cli import main
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.documents import parse_trigger
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import subscriber
from footy_assets_tests.triggers.rules.builders import (
    GAME,
    GOAL_AT_HOME,
    document,
    option,
    snap,
    trigger,
)

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class CommandResult:
    returncode: int
    stdout: str
    stderr: str


Footy = Callable[..., CommandResult]
MAIN = "from footy_assets.cli import main; main()"


@pytest.fixture
def env(
    mongo_uri: str, database: Database[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("FOOTY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FOOTY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FOOTY_MONGO_URI", mongo_uri)
    monkeypatch.setenv("FOOTY_MONGO_DATABASE", database.name)


@pytest.fixture
def footy(env: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Footy:
    """Runs a command in this process, from its arguments to its exit code."""

    def run(*arguments: str) -> CommandResult:
        monkeypatch.setattr("sys.argv", ["footy", "triggers", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        output = capsys.readouterr()
        return CommandResult(int(ended.value.code or 0), output.out, output.err)

    # A separate process configures its logs; here pytest captures them.
    monkeypatch.setattr("footy_assets.cli.app.configure_logs", lambda level: None)
    return run


def json_of(done: CommandResult) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def file(path: Path, output: Any) -> str:
    path.write_text(output if isinstance(output, str) else json.dumps(output))
    return str(path)


def test_t13_eval_explains_each_snapshot(footy: Footy, tmp_path: Path) -> None:
    per_half = document(GOAL_AT_HOME, limits={"football.match.half": 1})
    halves = enumerate([1, 1, 2], start=1)
    lines = [snap(n, goal__team="home", match__half=h).model_dump_json() for n, h in halves]
    rows = json_of(
        footy(
            "eval",
            *("--trigger", file(tmp_path / "t.json", per_half)),
            *("--snapshots", file(tmp_path / "s.jsonl", "\n".join(lines))),
            "--json",
        )
    )
    assert [(row["snapshot_id"], row["fired"], row["next"]) for row in rows] == [
        ("s1", True, True),
        ("s2", False, None),
        ("s3", True, True),
    ]
    assert rows[2]["counts"] == {
        "scope": 2,
        "minute": 0,
        "football.match.half/1": 1,
        "football.match.half/2": 1,
    }
    assert rows[1]["explanation"]["refused_by_limit"] == "football.match.half"
    assert rows[1]["explanation"]["conditions"][0]["options"][0]["value"] == "home"


def test_t14_a_trigger_may_be_wrapped_plain_or_flat() -> None:
    plain = document(GOAL_AT_HOME, limits={"minute": 1}, disabled=True)
    flat = {**plain["trigger"], "conditions": plain["conditions"], "limits": plain["limits"]}
    wrapped = {"data": {"type": "trigger", "attributes": {**plain, "counts": {"scope": 3}}}}
    assert parse_trigger(flat) == parse_trigger(plain) == parse_trigger(wrapped)


def test_a_bad_trigger_is_one_sentence_that_names_the_field(footy: Footy, tmp_path: Path) -> None:
    """Runs in a separate process, as users run it."""
    path = file(tmp_path / "t.json", document(option("match.minute", "ge", "eighty")))
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "triggers", "create", "--trigger", path],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "conditions.0.targets" in done.stderr
    assert json_of(footy("list", "--json")) == []


def test_create_list_explain_and_replay(footy: Footy, stages: Stages, tmp_path: Path) -> None:
    output = {"data": {"type": "trigger", "attributes": document(GOAL_AT_HOME)}}
    made = json_of(footy("create", "--trigger", file(tmp_path / "t.json", output), "--json"))
    assert made["type"] == "trigger"
    stages.push(snap(1, goal__team="away"), snap(2, goal__team="home"))
    stages.evaluate()
    [listed] = json_of(footy("list", "--entity", "user", "--game", GAME, "--json"))
    assert listed["id"] == made["id"]
    assert listed["attributes"]["counts"] == {"scope": 1, "minute": 0}
    assert json_of(footy("list", "--entity-id", "8", "--json")) == []
    assert json_of(footy("explain", made["id"], "--json"))["fired"] is True
    assert "away" in footy("explain", made["id"], "--snapshot", "s1").stdout
    assert footy("explain", "nobody").returncode == 4
    [again] = json_of(footy("replay", "--game", GAME, "--json"))
    assert (again["same_as_live"], again["told_live"]) == (True, 1)
    assert [one["reason"] for one in again["activations"]] == ["s2"]
    assert footy("replay").returncode == 2


def test_t22_show_update_pause_resume_limits_and_delete(footy: Footy, tmp_path: Path) -> None:
    path = file(tmp_path / "t.json", document(GOAL_AT_HOME, name="Goals"))
    id = json_of(footy("create", "--trigger", path, "--json"))["id"]
    shown = json_of(footy("show", id, "--json"))["attributes"]
    assert (shown["trigger"]["name"], shown["counts"]) == ("Goals", {"scope": 0, "minute": 0})
    assert "goal.team in ['home']" in footy("show", id).stdout
    change = file(tmp_path / "u.json", {"trigger": {"name": "Goals at home"}})
    updated = json_of(footy("update", id, "--trigger", change, "--json"))
    assert updated["attributes"]["trigger"]["name"] == "Goals at home"
    for command, disabled in (("pause", True), ("resume", False)):
        done = json_of(footy(command, id, "--json"))["attributes"]["trigger"]
        assert done["disabled"] is disabled
    limited = json_of(footy("limits", id, "scope=3", "football.match.half=1", "--json"))
    assert limited["attributes"]["limits"] == {"scope": 3, "football.match.half": 1}
    assert json_of(footy("limits", id, "--json"))["limits"]["scope"] == 3
    assert "football.match.half" in footy("limits", id).stdout
    assert footy("limits", id, "scope").returncode == 2
    assert footy("limits", id, "football.half=1").returncode == 2
    assert json_of(footy("delete", id, "--json")) == {"id": id, "deleted": True}
    assert footy("show", id).returncode == 4
    assert footy("pause", id).returncode == 4


def test_t22_an_entity_is_disabled_and_enabled_by_command(footy: Footy, stages: Stages) -> None:
    ids = stages.make(trigger(GOAL_AT_HOME), trigger(GOAL_AT_HOME, scope_id="6000"))
    who = ("--entity", "user", "--entity-id", "7")
    assert json_of(footy("disable", *who, "--json")) == {"disabled": True, "changed": ids}
    assert not any(stages.triggers.get(id).trigger.listens for id in ids)
    assert footy("enable", *who, "--game", GAME).stdout == "user 7: 1 triggers enabled\n"
    assert [stages.triggers.get(id).trigger.listens for id in ids] == [True, False]


def test_t19_a_wrong_target_is_one_sentence_with_a_suggestion(footy: Footy, tmp_path: Path) -> None:
    wrong = file(tmp_path / "t.json", document(option("goal.team", "in", "hme")))
    done = footy("create", "--trigger", wrong)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'conditions.0.targets: "hme" is no team' in done.stderr
    assert 'did you mean "home"?' in done.stderr
    unchecked = file(tmp_path / "p.json", document(option("goal.player", "in", "306")))
    done = footy("create", "--trigger", unchecked)
    assert (done.returncode, "accepted unchecked" in done.stderr) == (0, True)


def test_t12_dead_letters_are_listed_and_sent_again(footy: Footy, stages: Stages) -> None:
    with subscriber("500") as fake:
        stages.make(trigger(GOAL_AT_HOME))
        stages.subscribe(fake)
        stages.push(snap(1, goal__team="home"))
        stages.evaluate()
        stages.clock.advance(24 * 3600)
        stages.notify()
        [letter] = json_of(footy("dead", "--json"))
        assert letter["error"].endswith("HTTP 500")
        json_of(footy("dead", "--resend", "--json"))
        assert json_of(footy("dead", "--json")) == []
    assert stages.states() == {"pending": 1}
