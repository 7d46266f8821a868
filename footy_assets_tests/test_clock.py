"""Clocks that several processes read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from footy_assets.clock import ScaledClock, SystemClock, parse_clock

START = datetime(2025, 5, 10, 11, 30, tzinfo=UTC)


def test_no_spec_is_the_clock_of_the_system() -> None:
    assert parse_clock(None) == SystemClock()


@pytest.mark.parametrize("file", [None, Path("/home/ada@work/skipped")])
def test_a_clock_is_read_from_its_spec(file: Path | None) -> None:
    clock = ScaledClock(START, 60.0, 1746878400.0, file)
    assert parse_clock(clock.spec()) == clock


@pytest.mark.parametrize(
    "spec", ["x", "2025-05-10T11:30:00@60@1", "2025-05-10T11:30:00+00:00@0@1", "1@2@3"]
)
def test_a_wrong_spec_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="clock"):
        parse_clock(spec)


def test_time_that_is_skipped_is_skipped_for_all_who_read_the_clock(tmp_path: Path) -> None:
    # So slow that it stands still while the test runs.
    clock = ScaledClock(START, 1e-9, 0.0, tmp_path / "skipped")
    other = parse_clock(clock.spec())
    clock.skip_to(START + timedelta(hours=2))
    clock.skip_to(START + timedelta(hours=3))
    clock.skip_to(START + timedelta(hours=1))
    assert abs(other.now() - (START + timedelta(hours=3))) < timedelta(minutes=1)
    assert abs(clock.now() - other.now()) < timedelta(seconds=1)


def test_a_clock_without_a_file_skips_nothing() -> None:
    clock = ScaledClock(START, 1e-9, 0.0)
    clock.skip_to(START + timedelta(hours=2))
    assert clock.now() < START + timedelta(minutes=1)
