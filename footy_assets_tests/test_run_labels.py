"""P1: names that a person can read."""

from dataclasses import replace
from datetime import UTC, date, datetime

from footy_assets.clips.publish import upload_lease
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.run_labels import (
    clips_label,
    ingest_label,
    monitor_label,
    search_label,
    sweep_label,
)
from footy_assets_tests.matchday.goals import FIXTURE, GOAL


def at(elapsed: int, extra: int | None = None) -> GoalEvent:
    return replace(GOAL, minute=MatchMinute(elapsed, extra), event_id="123456_40_306_Goal_1")


def test_p1_ingests_and_polls_are_named_after_their_time() -> None:
    day = date(2024, 12, 5)
    assert ingest_label([day]) == "ingest-05_12_2024"
    assert monitor_label(datetime(2024, 12, 5, 15, 23, tzinfo=UTC)) == "monitor-05_12_2024-15:23"


def test_p1_searches_and_clips_are_named_after_their_goal() -> None:
    goal = at(45, 3)
    assert search_label(FIXTURE, goal) == "search-Liverpool-Salah-45+3min-123456_40_306_Goal_1"
    assert clips_label(FIXTURE, goal, 3) == "clips-Liverpool-Salah-3vids-123456_40_306_Goal_1"
    assert sweep_label(7) == "search-7-events"


def test_p1_the_upload_s_lease_is_named_after_its_goal() -> None:
    assert upload_lease(GOAL.key) == f"upload-{GOAL.key}"
