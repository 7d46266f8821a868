"""The files for Prometheus and Grafana: loaded, checked, and true to the metrics we serve."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pymongo.database import Database

from footy_assets.clips.metrics import ClipMetrics
from footy_assets.clock import ManualClock
from footy_assets.gallery.work_metrics import WorkMetrics
from footy_assets.history.metrics import HistoryFigures
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.saga import Saga, begin
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.providers.metrics import ProviderMetrics
from footy_assets.providers.rules.health import Freshness, Grade, ProviderHealth
from footy_assets.providers.store.provider_state import FRESHNESS_EDGES, SCRAPE_EDGES, ProviderState
from footy_assets.search.metrics import SearchMetrics
from footy_assets.search.rules.heard import position_of
from footy_assets.search.store.heard_posts import HeardPosts
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.store.collections import ATTEMPTS, HISTORY, VIDEOS, Document
from footy_assets.store.site_browsers import SiteBrowsers
from footy_assets.store.site_feeds import SiteFeeds
from footy_assets_tests.matchday.goals import GOAL, put_goal
from footy_assets_tests.providers.reports import NOON
from resources.broker.queues import QueueState

FOLDER = Path(__file__).parents[2] / "monitoring"
# `./footy test` installs it next to Python where the system has none.
PROMTOOL = shutil.which("promtool") or shutil.which("promtool", path=Path(sys.executable).parent)
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="no promtool: apt-get install prometheus (Debian)"
)
# Served by `api/metrics.py`, or by Prometheus itself.
OTHERS = {
    *("footy_goals", "footy_clips", "up"),
    *("footy_live_up", "footy_live_watchers", "footy_live_changes_total"),
}
OPERATIONS = FOLDER.parent / "docs" / "operations.md"


@pytest.fixture
def served_metrics(database: Database[Document]) -> dict[str, Any]:
    """Every metric, with each kind of figure in the database."""
    state = ProviderState(database)
    state.increment(
        **{
            "scrapes:page:success": 3,
            "scrapes:page:failure": 1,
            "navigation_failures:page": 1,
            "navigation_failures:football-data.org": 1,
            "recycles:uptime": 2,
            "polls": 7,
        }
    )
    state.set_gauges(
        processes=5, contexts=1, pages=2, megabytes=300, browser_uptime=9, quota_day_left=99
    )
    state.set_gauges(queue_live=0, queue_completed=4)
    state.observe("freshness", [3.0, 20.0, 400.0], FRESHNESS_EDGES)
    state.observe("scrape:page", [0.3], SCRAPE_EDGES)
    state.set_running({"page": {"requests": 2, "matches": 9}})
    fresh = Freshness(3, 20, 40, 50, p99=48, sum=90)
    degraded = ProviderHealth(Grade.DEGRADED)
    state.save_grade("all", {}, degraded, Freshness(1, sum=5), NOON, observed=True)
    state.save_grade("all", state.grade()[1], degraded, fresh, NOON, observed=True)
    browser = {"uptime": 61.5, "tasks": 4, "processes": 8, "megabytes": 410.0}
    SiteBrowsers(database).record("x", browser)
    SiteHealth(database).record_canary("x", 0, "it answered with no posts", NOON)
    database[ATTEMPTS].insert_one({"outcome": "found nothing"})
    database[ATTEMPTS].insert_one({"failure_kinds": {"x": "LoginLost"}})
    database[VIDEOS].insert_one({"state": "refused", "reason": "private"})
    put_goal(database, replace(GOAL, attempts_counted=10))
    heard = {"kept": 3, "passed": 40, "new_reason": 1, "reconnects": 2}
    HeardPosts(database, "bluesky").advance(position_of(NOON), NOON + timedelta(seconds=2), heard)
    SiteFeeds(database).save("r/soccer", {"fetched_at": NOON})
    key = LeagueSeason(39, 2023)
    HistoryStore(database).add_season(begin(Saga(key), NOON), NOON, "a test")
    complete = {"processed": 1, "total": 1, "planned": True, "completed_at": NOON}
    database[HISTORY].update_one({}, {"$set": {"tallies.season": complete}})
    registry = CollectorRegistry()
    for room in (ProviderMetrics, SearchMetrics, ClipMetrics):
        registry.register(room(database))
    registry.register(HistoryFigures(database, ManualClock(NOON), HistoryRules()))
    queue = QueueState("footy-clips", waiting=4, workers=2)
    registry.register(WorkMetrics(lambda: {"queued": 3, "failure": 1}, lambda: [queue]))
    text = generate_latest(registry).decode()
    return {
        sample.name + json.dumps(sample.labels, sort_keys=True): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_equal_the_stored_counts(served_metrics: dict[str, Any]) -> None:
    assert served_metrics['footy_source_scrapes_total{"domain": "page", "status": "success"}'] == 3
    assert served_metrics['footy_source_recycles_total{"reason": "uptime"}'] == 2
    assert served_metrics["footy_polls_total{}"] == 7
    assert served_metrics['footy_search_attempts_total{"outcome": "found nothing"}'] == 1
    assert served_metrics["footy_goal_to_first_clip_seconds_count{}"] == 0
    assert served_metrics['footy_site_canary_ok{"site": "x"}'] == 0
    assert served_metrics["footy_browser_processes{}"] == 5
    assert served_metrics['footy_site_browser_uptime_seconds{"site": "x"}'] == 61.5
    assert served_metrics['footy_site_browser_processes{"site": "x"}'] == 8
    assert served_metrics['footy_site_browser_resident_megabytes{"site": "x"}'] == 410
    messages = 'footy_listener_messages_total{{"outcome": "{}", "site": "bluesky"}}'
    for outcome, count in {"kept": 3, "passed": 40, "too_large": 0, "other": 1}.items():
        assert served_metrics[messages.format(outcome)] == count
    assert served_metrics['footy_listener_reconnects_total{"site": "bluesky"}'] == 2
    assert served_metrics['footy_listener_lag_seconds{"site": "bluesky"}'] == 2
    last = 'footy_listener_last_message_timestamp_seconds{"site": "bluesky"}'
    assert served_metrics[last] == NOON.timestamp() + 2
    read_at = served_metrics['footy_feed_last_read_timestamp_seconds{"feed": "r/soccer"}']
    assert read_at == NOON.timestamp()
    assert served_metrics['footy_source_queue_depth{"priority": "completed"}'] == 4
    assert served_metrics['footy_source_grade{"grade": "degraded", "source": "all"}'] == 1
    assert served_metrics['footy_source_grade{"grade": "healthy", "source": "all"}'] == 0
    assert served_metrics['footy_staleness_seconds{"quantile": "0.95", "source": "all"}'] == 40
    assert served_metrics['footy_staleness_seconds{"quantile": "0.99", "source": "all"}'] == 48
    assert served_metrics['footy_staleness_seconds_sum{"source": "all"}'] == 95
    assert served_metrics['footy_staleness_seconds_count{"source": "all"}'] == 4
    assert served_metrics['footy_source_requests_running{"domain": "page"}'] == 2
    assert served_metrics['footy_runs{"state": "queued"}'] == 3
    assert served_metrics['footy_broker_queue_runs{"queue": "footy-clips"}'] == 4
    assert served_metrics['footy_broker_queue_workers{"queue": "footy-clips"}'] == 2
    assert served_metrics['footy_freshness_seconds_bucket{"le": "5.0"}'] == 1
    assert served_metrics['footy_freshness_seconds_bucket{"le": "300.0"}'] == 2
    assert served_metrics['footy_freshness_seconds_bucket{"le": "+Inf"}'] == 3
    assert served_metrics['footy_source_scrape_seconds_bucket{"domain": "page", "le": "0.5"}'] == 1


def promtool(*arguments: str) -> "subprocess.CompletedProcess[str]":
    assert PROMTOOL is not None
    return subprocess.run([PROMTOOL, *arguments], cwd=FOLDER, capture_output=True, text=True)


def test_metrics_of_the_spec_are_all_there(served_metrics: dict[str, Any]) -> None:
    have = {name.partition("{")[0] for name in served_metrics} | OTHERS
    assert have >= {
        *(f"footy_browser_{name}" for name in ("processes", "contexts", "pages")),
        *("footy_browser_uptime_seconds", "footy_source_queue_depth"),
        *("footy_freshness_seconds_bucket", "footy_source_scrape_seconds_bucket"),
        *("footy_source_scrapes_total", "footy_source_navigation_failures_total"),
        *("footy_source_recycles_total", "footy_staleness_seconds", "footy_polls_total"),
        *("footy_goals", "footy_clips", "footy_search_attempts_total"),
        *("footy_goal_to_first_clip_seconds_bucket", "footy_provider_quota_left"),
    }


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:footy_\w+|up)\b", expression))


def test_every_metric_of_the_dashboard_and_the_alerts_is_served(
    served_metrics: dict[str, Any],
) -> None:
    have = {name.partition("{")[0] for name in served_metrics} | OTHERS
    dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    dashboard_expressions = [t["expr"] for panel in dashboard["panels"] for t in panel["targets"]]
    alerts = re.findall(r"footy_\w+", (FOLDER / "alerts.yml").read_text().replace("footy-", ""))
    wanted = {name for expression in dashboard_expressions for name in names_in(expression)} | set(
        alerts
    )
    assert wanted <= have
    assert len(wanted) > 15


def test_grafana_can_load_the_dashboard() -> None:
    dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    assert dashboard["title"]
    assert dashboard["uid"]
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    cells: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        mine = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not mine & cells, f"{panel['title']} lies over another"
        cells |= mine


def test_every_alert_is_complete_and_has_a_test() -> None:
    alerts = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    for rule in rules:
        assert rule["expr"], rule
        assert rule["labels"]["severity"] in ("page", "warn"), rule
        assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}, rule
    loaded = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    assert loaded["rule_files"] == ["alerts.yml"]
    tried = yaml.safe_load((FOLDER / "alerts_test.yml").read_text())
    fired = {one["alertname"] for test in tried["tests"] for one in test["alert_rule_test"]}
    assert fired == {rule["alert"] for rule in rules}


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    alerts = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    text = OPERATIONS.read_text()
    runbooks = re.findall(r"^### (Footy\w+)\n\n(\S.*)$", text, re.MULTILINE)
    assert sorted(name for name, _ in runbooks) == sorted(rule["alert"] for rule in rules)
    for rule in rules:
        anchor = rule["alert"].lower()
        assert rule["annotations"]["runbook_url"] == f"docs/operations.md#{anchor}", rule


@needs_promtool
@pytest.mark.parametrize(
    "command",
    [
        ["check", "config", "prometheus.yml"],
        ["check", "rules", "alerts.yml"],
        ["test", "rules", "alerts_test.yml"],
    ],
)
def test_promtool_accepts_the_rules_and_they_fire(command: list[str]) -> None:
    done = promtool(*command)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_promtool_accepts_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    rules = [
        {"record": f"panel:{panel['id']}:{target['refId']}", "expr": target["expr"]}
        for panel in dashboard["panels"]
        for target in panel["targets"]
    ]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
