"""The settings of a command: loaded once for each invocation, and not kept for the next."""

import json
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from footy_assets.cli import invocation
from footy_assets.cli.app import app
from footy_assets.cli.invocation import invocation_settings
from footy_assets.settings import Settings, load_settings


def bucket(**env: str) -> str:
    with patch("footy_assets.cli.app.configure_logs"):
        done = CliRunner().invoke(app, ["settings", "--json"], env=env)
    assert done.exit_code == 0, done.output
    return next(row["value"] for row in json.loads(done.stdout) if row["name"] == "FOOTY_S3_BUCKET")


def test_a_command_reads_the_settings_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Settings] = []

    def load() -> Settings:
        loaded.append(load_settings())
        return loaded[-1]

    monkeypatch.setattr(invocation, "load_settings", load)
    bucket()
    assert len(loaded) == 1


def test_the_next_invocation_in_a_process_reads_its_own_environment() -> None:
    assert bucket(FOOTY_S3_BUCKET="one") == "one"
    assert bucket(FOOTY_S3_BUCKET="two") == "two"


def test_nothing_is_kept_after_an_invocation(monkeypatch: pytest.MonkeyPatch) -> None:
    bucket(FOOTY_S3_BUCKET="one")
    monkeypatch.setenv("FOOTY_S3_BUCKET", "other")
    assert invocation_settings().s3_bucket == "other"
