"""Malformed invocations end with a sentence that says what is wrong, never with a traceback."""

import os
import subprocess
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest
from hypothesis import settings

from footy_assets.cli.output import UNEXPECTED
from footy_assets.errors import BadInput
from footy_assets_tests.cli.malformed import (
    BEYOND_64_BIT,
    LONG,
    NOT_UTF8,
    Invocation,
    malformed,
    write_files,
)
from footy_assets_tests.fixtures.command import FOOTY, NO_S3, Footy
from footy_assets_tests.fixtures.entry_point import run_here
from footy_assets_tests.media.cells import commands_share_a_cell

__all__ = ["commands_share_a_cell"]


class Entry:
    """Runs the entry point of `footy` in this process."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env

    def __call__(self, invocation: Invocation) -> CompletedProcess[str]:
        return run_here(invocation.arguments, {**self._env, **invocation.env}, invocation.stdin)


@pytest.fixture
def entry(footy: Footy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Entry:
    monkeypatch.chdir(tmp_path)
    return Entry({**footy.env, **NO_S3})


@pytest.mark.slow
@pytest.mark.usefixtures("commands_share_a_cell")
def test_no_malformed_invocation_ends_in_a_traceback(entry: Entry, tmp_path: Path) -> None:
    """Half of them, the same ones every time; HYPOTHESIS_PROFILE=explore tries all."""
    tried, failed = 0, []
    invocations = list(malformed(tmp_path))
    if settings.get_current_profile_name() == "same":
        invocations = Random(1).sample(invocations, len(invocations) // 2)
    for invocation in invocations:
        ended = entry(invocation)
        tried += 1
        if ended.returncode == UNEXPECTED or "Traceback" in ended.stderr:
            failed.append(f"{invocation!s}: {ended.stderr}")
        elif ended.returncode != 0 and not ended.stderr.strip():
            failed.append(f"{invocation!s}: exits with {ended.returncode} and says nothing")
    assert not failed, "\n".join(failed)
    assert tried >= 200


INPUT = BadInput.exit_code


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("close", BEYOND_64_BIT, "--why", "x"), "'9223372036854775808' is not a fixture id"),
        (("sources", "match", BEYOND_64_BIT), "should be less than or equal to"),
        (("aliases", "--team", BEYOND_64_BIT), "should be less than or equal to"),
        (("events", "--fixture", "9" * 5_000), "is not a fixture id"),
        (("explain", NOT_UTF8), "the argument 'caf�' is not UTF-8 text"),
        (("clip", "hash", LONG), "cannot be used: File name too long"),
        (("clip", "dedup", LONG), "cannot be used: File name too long"),
    ],
)
def test_a_wrong_argument_is_named(entry: Entry, arguments: tuple[str, ...], sentence: str) -> None:
    ended = entry(Invocation(arguments))
    assert (ended.returncode, sentence in ended.stderr) == (INPUT, True), ended.stderr


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("FOOTY_HOME", "~nosuchuser/home", "there is no user nosuchuser"),
        ("FOOTY_API_FOOTBALL_KEY", "ключ", "letters that an HTTP header cannot carry"),
        ("FOOTY_API_FOOTBALL_KEY", "k3y\r\nHost: x", "letters that an HTTP header cannot carry"),
        ("FOOTY_API_FOOTBALL_URL", "http://[", "not a URL that starts with http://"),
        ("FOOTY_S3_BUCKET", NOT_UTF8, "is not UTF-8 text"),
        ("FOOTY_RETENTION_DAYS", BEYOND_64_BIT, "less than or equal to"),
        ("FOOTY_POLL_SECONDS", "nan", "finite number"),
        ("FOOTY_CLOCK", "2025-01-01T00:00:00+00:00@nan@1", "START@SPEED@ANCHOR"),
    ],
)
def test_a_wrong_setting_is_named_and_a_secret_is_not_shown(
    entry: Entry, name: str, value: str, reason: str
) -> None:
    ended = entry(Invocation(("poll",), {name: value}))
    assert ended.returncode == INPUT
    assert name in ended.stderr
    assert reason in ended.stderr
    assert "KEY" not in name or value not in ended.stderr


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("nested", "is not JSON: nested deeper than 60 levels"),
        ("nested-objects", "is not JSON: nested deeper than 60 levels"),
        ("large", "is not JSON: longer than 1000000 characters"),
        ("beyond-64-bit", "is not JSON: a number is beyond 9223372036854775807"),
        ("half-a-letter", "half of a character"),
        ("not-utf8", "is not UTF-8 text"),
    ],
)
def test_a_wrong_trigger_file_is_explained(
    entry: Entry, tmp_path: Path, file: str, sentence: str
) -> None:
    write_files(tmp_path)
    ended = entry(Invocation(("triggers", "create", "--trigger", str(tmp_path / file))))
    assert (ended.returncode, sentence in ended.stderr) == (INPUT, True), ended.stderr


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("nested", "line 1: nested deeper than 60 levels"),
        ("aliases", "more than 20000 values"),
        ("large", "is larger than 1 MB"),
    ],
)
def test_a_wrong_providers_file_is_explained(
    entry: Entry, tmp_path: Path, file: str, reason: str
) -> None:
    write_files(tmp_path)
    env = {"FOOTY_SOURCES_FILE": str(tmp_path / file)}
    assert reason in entry(Invocation(("sources", "status"), env)).stderr


def test_a_name_in_brackets_is_printed_as_it_is(entry: Entry) -> None:
    ended = entry(Invocation(("triggers", "replay", "--game", "[/b] :smile: [red]x")))
    assert ended.returncode == 0
    assert "[/b] :smile: [red]x" in ended.stdout


@pytest.mark.parametrize("command", ["up", "demo"])
def test_an_unusable_home_is_named(entry: Entry, tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("")
    ended = entry(Invocation((command,), {"FOOTY_HOME": str(tmp_path / "file" / "home")}))
    assert ended.returncode == INPUT
    assert "cannot be used: Not a directory. Set FOOTY_HOME to a writable folder" in ended.stderr


def test_an_unexpected_error_is_one_sentence_and_the_log_has_the_details(
    entry: Entry, footy: Footy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footy_assets.runtime.commands.describe", lambda settings: 1 / 0)
    log = Path(footy.env["FOOTY_HOME"]) / "logs" / "errors.log"
    ended = entry(Invocation(("settings",)))
    assert ended.returncode == UNEXPECTED
    assert ended.stderr == (
        "footy: an unexpected error (ZeroDivisionError). This is a bug; the details are in "
        f"{log}.\n"
    )
    assert "Traceback" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    shown = entry(Invocation(("--debug", "settings"))).stderr
    assert "Traceback" in shown
    assert "the details are above" in shown


def run(env: dict[str, str], *arguments: str | bytes, **options: object) -> CompletedProcess[str]:
    done = subprocess.run(  # type: ignore[call-overload]
        [*FOOTY, *arguments], env=env, capture_output=True, timeout=60, check=False, **options
    )
    return CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.slow
def test_bytes_that_are_not_utf8_are_refused_by_the_installed_command(footy: Footy) -> None:
    ended = run(footy.env, "explain", b"caf\xe9")
    assert ended.returncode == INPUT
    assert ended.stderr == (
        "footy: the argument 'caf�' is not UTF-8 text. Write or rename it in UTF-8.\n"
    )


def read_only_folder(folder: Path) -> Path:
    """A folder in which this user cannot create files. The kernel's own are so for root, too."""
    if os.geteuid() == 0:
        return Path("/proc")
    folder.mkdir(mode=0o500)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", ["up", "demo"])
def test_a_read_only_home_is_named_by_the_installed_command(
    footy: Footy, tmp_path: Path, command: str
) -> None:
    home = read_only_folder(tmp_path / "read-only") / "home"
    ended = run({**footy.env, "FOOTY_HOME": str(home)}, command)
    assert ended.returncode == INPUT
    assert f"{home}" in ended.stderr
    assert "cannot be used" in ended.stderr
    assert "Set FOOTY_HOME to a writable folder" in ended.stderr
    assert "Traceback" not in ended.stderr
