"""`footy triggers …`: the whole command, in this process; once as one of its own."""

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
from footy_assets.triggers.documents import read_trigger
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.subscriber import subscriber
from footy_assets_tests.triggers.words import GAME, GOAL_AT_HOME, document, option, snap, trigger


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Footy = Callable[..., Done]
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
    """From the arguments to the exit code; only the interpreter is not started anew."""

    def run(*arguments: str) -> Done:
        monkeypatch.setattr("sys.argv", ["footy", "triggers", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return Done(int(ended.value.code or 0), told.out, told.err)

    # Where a process of its own writes its logs: here they are pytest's.
    monkeypatch.setattr("footy_assets.cli.app.configure_logs", lambda level: None)
    return run


def said(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def file(path: Path, told: Any) -> str:
    path.write_text(told if isinstance(told, str) else json.dumps(told))
    return str(path)


def test_t13_eval_tells_for_each_snapshot_whether_and_why(footy: Footy, tmp_path: Path) -> None:
    per_half = document(GOAL_AT_HOME, limits={"football.match.half": 1})
    halves = enumerate([1, 1, 2], start=1)
    lines = [snap(n, goal__team="home", match__half=h).model_dump_json() for n, h in halves]
    rows = said(
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
        "football.match.half/1": 1,
        "football.match.half/2": 1,
    }
    assert rows[1]["explanation"]["refused_by_limit"] == "football.match.half"
    assert rows[1]["explanation"]["conditions"][0]["options"][0]["value"] == "home"


def test_t14_a_trigger_may_be_wrapped_plain_or_flat() -> None:
    plain = document(GOAL_AT_HOME, limits={"minute": 1}, disabled=True)
    flat = {**plain["trigger"], "conditions": plain["conditions"], "limits": plain["limits"]}
    wrapped = {"data": {"type": "trigger", "attributes": {**plain, "counts": {"scope": 3}}}}
    assert read_trigger(flat) == read_trigger(plain) == read_trigger(wrapped)


def test_a_bad_trigger_is_one_sentence_that_names_the_field(footy: Footy, tmp_path: Path) -> None:
    """As a process of its own, as people run it."""
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
    assert said(footy("list", "--json")) == []


def test_create_list_explain_and_replay(footy: Footy, stages: Stages, tmp_path: Path) -> None:
    told = {"data": {"type": "trigger", "attributes": document(GOAL_AT_HOME)}}
    made = said(footy("create", "--trigger", file(tmp_path / "t.json", told), "--json"))
    assert made["type"] == "trigger"
    stages.push(snap(1, goal__team="away"), snap(2, goal__team="home"))
    stages.evaluate()
    [listed] = said(footy("list", "--entity", "user", "--game", GAME, "--json"))
    assert listed["id"] == made["id"]
    assert listed["attributes"]["counts"] == {"scope": 1}
    assert said(footy("list", "--entity-id", "8", "--json")) == []
    assert said(footy("explain", made["id"], "--json"))["fired"] is True
    assert "away" in footy("explain", made["id"], "--snapshot", "s1").stdout
    assert footy("explain", "nobody").returncode == 4
    [again] = said(footy("replay", "--game", GAME, "--json"))
    assert (again["same_as_live"], again["told_live"]) == (True, 1)
    assert [one["reason"] for one in again["activations"]] == ["s2"]
    assert footy("replay").returncode == 2


def test_t12_dead_letters_are_listed_and_sent_again(footy: Footy, stages: Stages) -> None:
    with subscriber("500") as fake:
        stages.make(trigger(GOAL_AT_HOME))
        stages.subscribe(fake)
        stages.push(snap(1, goal__team="home"))
        stages.evaluate()
        stages.clock.advance(24 * 3600)
        stages.notify()
        [letter] = said(footy("dead", "--json"))
        assert letter["error"].endswith("HTTP 500")
        said(footy("dead", "--resend", "--json"))
        assert said(footy("dead", "--json")) == []
    assert stages.states() == {"pending": 1}
