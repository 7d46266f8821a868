"""How many goals have a clip: in figures, the check, metrics and the command."""

from dataclasses import replace
from datetime import date, timedelta

import dagster as dg
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from pymongo.database import Database

from footy_assets.clips.checks import coverage_evaluation
from footy_assets.clips.coverage import day_figures, days_of_goals, goals_have_clips, match_figures
from footy_assets.clips.metrics import ClipMetrics
from footy_assets.clips.rules.coverage import Coverage, CoverageTarget
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.matchday.rules.goal import Removal, RemovalReason
from footy_assets.matchday.store.documents import goal_document
from footy_assets.store.collections import CLIPS, EVENTS, Document
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.matchday.goals import GOAL, KICKOFF, STABLE, put_goal

DAY = KICKOFF.date()
TARGET = CoverageTarget(0.8, 5)


def put(
    database: Database[Document],
    name: str,
    *verified: bool,
    counted: int = 10,
    fixture_id: int = 5000,
) -> None:
    """A goal with a clip for each of `verified`."""
    goal = replace(
        GOAL, key=name, event_id=f"{fixture_id}_40_306_Goal_{name}", fixture_id=fixture_id
    )
    put_goal(database, replace(goal, attempts_counted=counted))
    for number, is_verified in enumerate(verified):
        key = f"{name}-{number}"
        database[CLIPS].insert_one(
            {
                "_id": key,
                "goal_key": name,
                "verified": is_verified,
                "key": key,
                "public_key": key,
                "stored_at": STABLE + timedelta(minutes=2),
            }
        )


@pytest.fixture
def store(database: Database[Document]) -> CoverageStore:
    """Four goals whose search is over, one that is searched for, and two that do not matter."""
    put(database, "1", True, False)
    put(database, "2", False)
    put(database, "3", True)
    put(database, "4", fixture_id=5001)
    put(database, "5", counted=3, fixture_id=5001)
    removed = replace(GOAL, key="6", removal=Removal(STABLE, RemovalReason.VAR))
    database[EVENTS].insert_one(goal_document(removed))
    not_searched = replace(GOAL, key="7", event_id="5000_40_7_Goal_1", attempts_planned=0)
    database[EVENTS].insert_one(goal_document(not_searched))
    return CoverageStore(database)


def test_a_day_and_a_match_are_counted_with_all_their_stable_goals(store: CoverageStore) -> None:
    assert day_figures(store, DAY) == {
        "stable_goals": 5,
        "stable_with_clip": 3,
        "stable_with_verified_clip": 2,
        "stable_coverage": 0.6,
        "stable_verified_coverage": 0.4,
    }
    assert match_figures(store, 5001)["match_coverage"] == 0
    assert match_figures(store, 9) == {
        "match_goals": 0,
        "match_with_clip": 0,
        "match_with_verified_clip": 0,
    }


@pytest.mark.parametrize(
    ("coverage", "met"),
    [
        (Coverage(), True),
        (Coverage(4, 0), True),
        (Coverage(5, 3), False),
        (Coverage(5, 4), True),
    ],
)
def test_the_target_is_judged_from_enough_goals_on(coverage: Coverage, met: bool) -> None:
    assert TARGET.is_met(coverage) is met


def test_the_check_judges_goals_whose_search_is_over(
    store: CoverageStore, database: Database[Document]
) -> None:
    assert goals_have_clips(store, [DAY], TARGET).passed, "only four can be judged"
    database[EVENTS].update_one({"_id": "5"}, {"$set": {"attempts_counted": 10}})
    found = goals_have_clips(store, [DAY], TARGET)
    assert not found.passed
    assert found.summary == "2025-05-10: 3 of 5 goals have a clip, 2 a verified one"
    evaluation = coverage_evaluation(database, [DAY], TARGET)
    assert (evaluation.passed, evaluation.severity) == (False, dg.AssetCheckSeverity.WARN)


def test_without_goals_the_check_passes_and_no_ratio_is_served(
    database: Database[Document],
) -> None:
    store = CoverageStore(database)
    assert days_of_goals(store, None) == []
    assert goals_have_clips(store, [], TARGET).passed
    assert goals_have_clips(store, [date(2020, 1, 1)], TARGET).passed
    registry = CollectorRegistry()
    registry.register(ClipMetrics(database))
    served = generate_latest(registry).decode()
    assert "footy_coverage_goals 0.0" in served
    assert "footy_coverage_ratio{" not in served


def test_the_check_of_a_run_is_about_the_day_of_its_goal(store: CoverageStore) -> None:
    assert days_of_goals(store, ["5000_40_306_Goal_1", "1_2_3_Goal_1"]) == [DAY]
    assert days_of_goals(store, None) == [DAY]


def test_metrics_are_those_of_the_latest_matchday(
    store: CoverageStore, database: Database[Document]
) -> None:
    registry = CollectorRegistry()
    registry.register(ClipMetrics(database))
    served = generate_latest(registry).decode()
    assert "footy_coverage_goals 4.0" in served
    assert 'footy_coverage_ratio{clip="any"} 0.75' in served
    assert 'footy_coverage_ratio{clip="verified"} 0.5' in served


def test_footy_coverage_shows_matches_and_the_day(store: CoverageStore, footy: Footy) -> None:
    shown = footy.json("coverage")
    assert (shown["date"], shown["goals"], shown["coverage"]) == ("2025-05-10", 5, 0.6)
    assert [match["with_clip"] for match in shown["matches"]] == [3, 0]
    assert footy.json("coverage", "--date", "2020-01-01")["matches"] == []
    assert "3 of 5 goals have a clip" in footy("coverage").stdout
