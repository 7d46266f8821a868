"""Materialising `fixtures` and `live_events` through Dagster, on real servers."""

import dagster as dg
import pytest
from dagster import AssetKey

from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.matchday.checks import matchday_check, matchday_checks
from footy_assets.matchday.integrity import identities_unique, no_fixture_lost, score_agrees
from footy_assets.matchday.views import event_row, fixture_row
from footy_assets.run_labels import LABEL_TAG
from footy_assets.sim.check_goals import check_goals
from footy_assets_tests.fixtures.past_days import Scenario

pytestmark = pytest.mark.slow

CHECKS = [
    matchday_check(fixtures.key, no_fixture_lost),
    matchday_check(live_events.key, identities_unique),
    matchday_check(live_events.key, score_agrees),
]


def materialize(scenario: Scenario, partition_key: str) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [fixtures, live_events, *CHECKS],
        partition_key=partition_key,
        resources=scenario.resources,
        instance=scenario.instance,
    )


def backfill(scenario: Scenario, first: str, last: str) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        [fixtures, live_events, *CHECKS],
        resources=scenario.resources,
        instance=scenario.instance,
        tags={
            "dagster/asset_partition_range_start": first,
            "dagster/asset_partition_range_end": last,
        },
    )


def right(scenario: Scenario) -> bool:
    store, now = scenario.store, scenario.world.ends_at
    found = [f for day in scenario.world.days for f in store.fixtures_of(day)]
    goals = store.goals_of([f.id for f in found])
    return check_goals(
        scenario.world,
        [fixture_row(f, now) for f in found],
        [event_row(goal, f.matchday) for f in found for goal in goals[f.id]],
    ).right


def test_a_past_matchday_ends_with_its_goals_and_passing_checks(past_days: Scenario) -> None:
    for day in past_days.days():
        result = materialize(past_days, day)
        assert result.success
        evaluated = {e.check_name: e.passed for e in result.get_asset_check_evaluations()}
        assert evaluated == {
            "no_fixture_lost": True,
            "identities_unique": True,
            "score_agrees": True,
        }
    assert right(past_days)


def test_several_past_days_in_one_run_end_the_same(past_days: Scenario) -> None:
    days = past_days.days()
    result = backfill(past_days, days[0], days[-1])
    assert result.success
    assert right(past_days)
    materialized = {
        event.partition
        for event in result.get_asset_materialization_events()
        if event.asset_key == AssetKey("live_events")
    }
    assert materialized == set(days)


def test_metadata_has_counts_a_table_of_goals_and_the_requests_used(
    past_days: Scenario,
) -> None:
    day = past_days.days()[0]
    result = materialize(past_days, day)
    (event,) = result.asset_materializations_for_node("live_events")
    metadata = {name: value.value for name, value in event.metadata.items() if name != "goal_table"}
    goals = sum(g.live for f in past_days.store.goals_of(_ids(past_days, day)).values() for g in f)
    assert metadata["fixtures"] == metadata["fixtures_completed"] == 3
    assert metadata["goals"] == metadata["goals_stable"] == goals > 0
    assert metadata["by_status"] == {"FT": 3}
    assert len(event.metadata["goal_table"].records) == goals
    assert metadata["api_calls"] >= 3
    assert metadata["quota_day_remaining"] > 0


def test_runs_carry_a_label_that_a_person_can_read(past_days: Scenario) -> None:
    result = materialize(past_days, "2025-05-01")
    run = past_days.instance.get_run_by_id(result.run_id)
    assert run is not None
    assert run.tags[LABEL_TAG] == "ingest-01_05_2025"


def test_a_second_run_of_the_same_day_changes_nothing(past_days: Scenario) -> None:
    day = past_days.days()[0]
    materialize(past_days, day)
    before = sorted(past_days.store.database["events"].find(), key=lambda d: d["_id"])
    materialize(past_days, day)
    assert sorted(past_days.store.database["events"].find(), key=lambda d: d["_id"]) == before


def test_a_lost_fixture_fails_its_check(past_days: Scenario) -> None:
    day = past_days.days()[0]
    materialize(past_days, day)
    victim = _ids(past_days, day)[0]
    past_days.store.fixtures.delete_one({"_id": victim})
    finding = no_fixture_lost(past_days.store, past_days.world.days[0])
    assert not finding.passed
    assert finding.details["lost"] == [victim]


def test_a_score_without_matching_goals_fails_its_check(past_days: Scenario) -> None:
    day = past_days.days()[0]
    materialize(past_days, day)
    victim = next(f for f in past_days.store.fixtures_of(past_days.world.days[0]) if sum(f.goals))
    past_days.store.events.delete_one({"fixture_id": victim.id})
    finding = score_agrees(past_days.store, past_days.world.days[0])
    assert not finding.passed
    assert finding.details["unexplained"] == [f"{victim.id} {victim.name}"]


def test_a_provider_that_is_down_fails_the_run_with_its_reason(past_days: Scenario) -> None:
    past_days.sim.faults.errors({"plan": "Free plans do not have access to this date."}, times=None)
    result = dg.materialize(
        [fixtures],
        partition_key="2025-05-01",
        resources=past_days.resources,
        instance=past_days.instance,
        raise_on_error=False,
    )
    assert not result.success
    (failure,) = result.get_step_failure_events()
    assert "Free plans do not have access" in failure.event_specific_data.error_display_string


def test_every_check_of_the_product_is_loaded() -> None:
    names = {key.name for check in matchday_checks for key in check.check_keys}
    assert names == {"no_fixture_lost", "identities_unique", "score_agrees", "stores_healthy"}


def _ids(scenario: Scenario, day: str) -> list[int]:
    return [f.id for f in scenario.store.find_fixtures() if f.matchday.isoformat() == day]
