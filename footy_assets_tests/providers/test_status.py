"""L6: what the log and `/status` say of the providers, without servers."""

import json
from datetime import datetime, timedelta

import pytest
from pymongo.database import Database
from structlog.testing import capture_logs

from footy_assets.matchday.rules.fixture import AddedBy, new_fixture
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.configuration import status_summary
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    API_FOOTBALL_ONLY,
    read_providers,
)
from footy_assets.providers.rules.lifecycle import LifecycleLimits
from footy_assets.providers.rules.records import LastAnswers
from footy_assets.providers.rules.recovery import BrowserLimits
from footy_assets.store.collections import Document
from footy_assets_tests.providers.reports import NOON, after, sighting

TWO = """\
providers:
  espn: {adapter: espn, lead: true, precedence: 90}
  mine:
    adapter: my.own.Provider
    enabled: false
    limits: {max_concurrent: 2, min_interval: 5}
    settings: {password: s3cr3t, url: "https://user:s3cr3t@example.org"}
"""


@pytest.fixture
def monitor(database: Database[Document]) -> HealthMonitor:
    """One match in play, which the lead last reported at noon."""
    playing = new_fixture(sighting(elapsed=30), FixtureState.ACTIVE, NOON, AddedBy.BY_ID)
    MatchdayStore(database).add([playing])
    made = HealthMonitor(database, lambda: API_FOOTBALL_ONLY)
    report_at(made, NOON)
    return made


def report_at(monitor: HealthMonitor, now: datetime) -> None:
    answers = {API_FOOTBALL: LastAnswers(now, {5000: now})}
    monitor.state.record_poll_metrics({"polls": 1}, {}, answers)


def test_l6_each_change_of_a_grade_is_logged_once_at_its_level(monitor: HealthMonitor) -> None:
    with capture_logs() as lines:
        for seconds in (10, 70, 85, 130, 145):
            monitor.evaluate(after(seconds))
        monitor.recovery_started([API_FOOTBALL], after(150))
        monitor.recovery_started([API_FOOTBALL], after(151))
        report_at(monitor, after(160))
        for seconds in (165, 180):
            monitor.evaluate(after(seconds))
    for subject in ("all", API_FOOTBALL):
        changes = [line for line in lines if line.get("provider") == subject]
        assert {line["event"] for line in changes} == {"provider_grade_changed"}
        assert [(line["log_level"], line["before"], line["grade"]) for line in changes] == [
            ("warning", "healthy", "degraded"),
            ("critical", "degraded", "failing"),
            ("info", "failing", "recovering"),
            ("info", "recovering", "healthy"),
        ]


def test_l6_a_process_that_was_slower_logs_no_change(
    monitor: HealthMonitor, database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = HealthMonitor(database, lambda: API_FOOTBALL_ONLY)
    before = {name: monitor.state.grade(name) for name in ("all", API_FOOTBALL)}
    other.evaluate(after(130))
    monkeypatch.setattr(monitor.state, "grade", lambda name="all": before[name])
    with capture_logs() as lines:
        monitor.evaluate(after(130))
    assert lines == []


def test_l6_staleness_has_quantiles_sum_and_count(monitor: HealthMonitor) -> None:
    fresh = monitor.summary(after(20))["freshness"]
    assert fresh == {
        **dict.fromkeys(("median", "p50", "p95", "p99", "max", "sum"), 20.0),
        "count": 1,
    }


def test_l6_the_status_has_the_configuration_and_no_secret(database: Database[Document]) -> None:
    content = read_providers(TWO)
    monitor = HealthMonitor(database, lambda: content)
    monitor.state.switch("espn", False, NOON)
    monitor.state.set_running({"mine": {"requests": 1, "matches": 3}})
    limits = LifecycleLimits(2, timedelta(hours=1)), BrowserLimits(processes=7)
    summary = status_summary(monitor, content, *limits, NOON)
    found = summary["configuration"]
    assert found["lead"] == "espn"
    assert found["providers"]["espn"]["enabled"] is False
    assert found["providers"]["mine"] == {
        "lead": False,
        "enabled": False,
        "adapter": "my.own.Provider",
        "precedence": 50,
        "confidence": 1.0,
        "limits": {"max_concurrent": 2, "min_interval": 5.0, "burst": 1},
    }
    assert found["thresholds"]["pause_after_failures"] == 2
    assert found["thresholds"]["archive_hours"] == 1
    assert found["thresholds"]["very_stale_seconds"] == 120
    assert found["browser"]["processes"] == 7
    assert summary["running"] == {"mine": {"requests": 1, "matches": 3}}
    assert "s3cr3t" not in json.dumps(summary, default=str)
