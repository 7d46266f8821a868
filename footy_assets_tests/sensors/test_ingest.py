"""When fixtures are ingested: at 00:05, and later if that was missed."""

from datetime import UTC, datetime

import dagster as dg

from footy_assets.matchday.ingest import ingest_missed, run_key_of_missed
from footy_assets.run_labels import LABEL_TAG
from sensors.matchday import daily_ingest


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_F2_the_daily_ingest_requests_today() -> None:
    context = dg.build_schedule_context(scheduled_execution_time=at("2024-12-05T00:05"))
    request = daily_ingest(context)
    assert isinstance(request, dg.RunRequest)
    assert request.partition_key == "2024-12-05"
    assert request.tags[LABEL_TAG] == "ingest-05_12_2024"


def test_a_missed_ingest_is_noticed_ten_minutes_after_its_time() -> None:
    assert not ingest_missed(at("2024-12-05T00:04"), None)
    assert not ingest_missed(at("2024-12-05T00:14"), at("2024-12-04T00:05"))
    assert ingest_missed(at("2024-12-05T00:15"), at("2024-12-04T00:05"))
    assert ingest_missed(at("2024-12-05T18:00"), None)


def test_an_ingest_of_today_is_not_requested_again() -> None:
    assert not ingest_missed(at("2024-12-05T18:00"), at("2024-12-05T00:05"))


def test_yesterdays_ingest_of_days_ahead_does_not_replace_todays() -> None:
    assert ingest_missed(at("2024-12-05T18:00"), at("2024-12-03T00:05"))


def test_f2_an_ingest_that_failed_is_requested_again_within_five_minutes() -> None:
    """A stack that starts during a match knows none of them until its ingest is done."""
    keys = [run_key_of_missed(at(f"2024-12-05T18:{minute:02}")) for minute in range(60)]
    assert len(set(keys)) == 12
    assert keys[4:6] == ["missed-2024-12-05T18:00", "missed-2024-12-05T18:05"]
