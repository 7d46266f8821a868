"""When fixtures are brought in: at 00:05, and when that was missed."""

from datetime import UTC, datetime

import dagster as dg

from footy_assets.assets.labels import LABEL_TAG
from sensors.ingest import daily_ingest, ingest_missed


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_F2_the_daily_ingest_asks_for_today() -> None:
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


def test_an_ingest_of_today_is_not_asked_for_again() -> None:
    assert not ingest_missed(at("2024-12-05T18:00"), at("2024-12-05T00:05"))


def test_yesterdays_look_ahead_does_not_stand_for_todays_ingest() -> None:
    assert ingest_missed(at("2024-12-05T18:00"), at("2024-12-03T00:05"))
