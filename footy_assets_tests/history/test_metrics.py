"""Y13: what metrics and log say of the seasons and their tiers."""

from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pymongo.database import Database
from structlog.testing import capture_logs

from footy_assets.clock import ManualClock
from footy_assets.history.metrics import HistoryFigures
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import TIERS
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import Document
from footy_assets_tests.history.conftest import FIRST_TWO, KEY, Sourcing

pytestmark = pytest.mark.slow
NUMBER_OF_VENUES = 20


def served(database: Database[Document], clock: ManualClock) -> dict[str, float]:
    """By name and the values of the labels, in the order of their names."""
    registry = CollectorRegistry()
    registry.register(HistoryFigures(database, clock, HistoryRules()))
    return {
        " ".join((sample.name, *(sample.labels[name] for name in sorted(sample.labels)))): value
        for family in text_string_to_metric_families(generate_latest(registry).decode())
        for sample in family.samples
        for value in [sample.value]
    }


def test_y13_a_completed_season_is_counted_with_signals_durations_and_times(
    loaded_season: Sourcing,
) -> None:
    metrics = served(loaded_season.store.database, loaded_season.clock)
    assert metrics["footy_history_seasons_started_total"] == 1
    assert metrics["footy_history_seasons_completed_total"] == 1
    status = loaded_season.status()
    for tier in TIERS:
        assert metrics[f"footy_history_tier_seconds_count {tier}"] == 1
        assert metrics[f"footy_history_tier_seconds_bucket +Inf {tier}"] == 1
        started = metrics[f"footy_history_tier_started_timestamp_seconds {KEY} {tier}"]
        completed = metrics[f"footy_history_tier_completed_timestamp_seconds {KEY} {tier}"]
        assert 0 < started <= completed
        assert metrics[f"footy_history_signals_total {tier}"] >= 1
        assert status["tiers"][tier]["completed_at"] is not None
    signals = sum(metrics[f"footy_history_signals_total {tier}"] for tier in TIERS)
    assert signals == status["signals"]


def test_y13_the_flag_calculation_is_logged_once(sourcing: Sourcing) -> None:
    with capture_logs() as lines:
        sourcing.source(tiers=FIRST_TWO)
        sourcing.work.recompute_state(KEY)
    flags: dict[str, Any] = {
        line["tier"]: line for line in lines if line["event"] == "tier_flagged"
    }
    assert len([line for line in lines if line["event"] == "tier_flagged"]) == len(flags)
    season, venue = flags["season"], flags["venue"]
    assert (season["total"], season["flagged"], season["first_flagged"]) == (1, 1, 1)
    of_venues = venue["total"], venue["flagged"], venue["first_flagged"]
    assert of_venues == (NUMBER_OF_VENUES, 1, NUMBER_OF_VENUES)


def test_without_seasons_the_metrics_are_zero(
    database: Database[Document], clock: ManualClock
) -> None:
    assert HistoryStore(database).seasons() == []
    metrics = served(database, clock)
    assert metrics["footy_history_seasons_started_total"] == 0
    assert metrics["footy_history_tier_seconds_count season"] == 0
    assert not any(name.startswith("footy_history_tier_started") for name in metrics)
