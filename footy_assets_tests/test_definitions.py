"""What Dagster loads: names, partitions and policies that people and schedules rely on."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from footy_assets.definitions import defs, resources_from
from footy_assets.settings import Settings, load_settings, settings_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
WORKSPACE = str(ROOT / "workspace.yaml")


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return defs() if callable(defs) else defs


def test_all_definitions_load(definitions: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(definitions)


@pytest.mark.parametrize(
    "name", ["fixtures", "live_events", "team_aliases", "match_snapshots", "trigger_activations"]
)
def test_matchday_assets_are_partitioned_by_day_and_backfilled_seven_per_run(
    definitions: dg.Definitions, name: str
) -> None:
    asset = definitions.resolve_assets_def(name)
    assert isinstance(asset.partitions_def, dg.DailyPartitionsDefinition)
    assert asset.partitions_def.end_offset == 1
    assert asset.backfill_policy == dg.BackfillPolicy.multi_run(7)
    spec = next(iter(asset.specs))
    assert spec.group_name in ("matchday", "triggers")
    assert spec.owners
    assert spec.kinds
    assert spec.description


def test_fixtures_must_be_ingested_by_0020_and_goals_may_be_a_week_old(
    definitions: dg.Definitions,
) -> None:
    policies = {
        spec.key.to_user_string(): spec.freshness_policy
        for spec in definitions.resolve_all_asset_specs()
        if spec.freshness_policy is not None
    }
    assert policies == {
        "fixtures": dg.FreshnessPolicy.cron("20 0 * * *", timedelta(minutes=20), "UTC"),
        "live_events": dg.FreshnessPolicy.time_window(timedelta(days=14), timedelta(days=8)),
    }


def test_live_events_come_from_fixtures(definitions: dg.Definitions) -> None:
    spec = next(iter(definitions.resolve_assets_def("live_events").specs))
    assert [dep.asset_key.to_user_string() for dep in spec.deps] == ["fixtures"]


def test_every_schedule_and_sensor_runs_by_default(definitions: dg.Definitions) -> None:
    repository = definitions.get_repository_def()
    assert {sensor.name for sensor in repository.sensor_defs} == {
        "live_poll",
        "ingest_due",
        "search_due",
        "clips_due",
        "retention",
        "trigger_notifications",
        "trigger_stages",
        "history_due",
        "season_backfill",
        "provider_health",
    }
    for sensor in repository.sensor_defs:
        assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
    (schedule,) = repository.schedule_defs
    assert schedule.cron_schedule == "5 0 * * *"
    assert schedule.execution_timezone == "UTC"
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING


@pytest.mark.parametrize("name", ["live_poll", "search_due", "retention", "history_due"])
def test_a_sensor_takes_its_rules_from_the_policy_as_the_assets_do(
    definitions: dg.Definitions, name: str
) -> None:
    assert "policy" in definitions.get_sensor_def(name).required_resource_keys


def test_the_live_tick_is_29_seconds_at_real_speed(definitions: dg.Definitions) -> None:
    assert definitions.get_sensor_def("live_poll").minimum_interval_seconds == 29


@pytest.mark.parametrize(
    "command", [["dg", "check", "defs"], ["dagster", "definitions", "validate", "-w", WORKSPACE]]
)
def test_dagsters_validation_commands_succeed_without_a_warning_from_this_code(
    command: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name(command[0]), *command[1:]],
        cwd=ROOT,
        env={**os.environ, "DAGSTER_HOME": str(tmp_path), "DAGSTER_DISABLE_TELEMETRY": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    ours = re.compile(r"(footy_assets|resources|sensors)/\S*: \w*Warning")
    assert not ours.search(output), output


def test_runs_execute_in_process(definitions: dg.Definitions) -> None:
    assert definitions.executor is dg.in_process_executor


def test_dagster_config_has_the_variable_of_a_secret_and_never_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = [name for name, field in Settings.model_fields.items() if "SecretStr" in str(field)]
    schemes = {"dagster_postgres_url": "postgresql", "broker_url": "amqp"}
    for name in secrets:
        url = f"{schemes.get(name, 'mongodb')}://u:geheim@h/?replicaSet=rs0"
        monkeypatch.setenv(f"FOOTY_{name.upper()}", url)
    config = ""
    for resource in resources_from(load_settings()).values():
        schema = resource.get_resource_definition().config_schema.as_field()
        config += repr(schema.default_value) if schema.default_provided else ""
    assert "geheim" not in config
    assert "{'env': 'FOOTY_MONGO_URI'}" in config
    assert "{'env': 'FOOTY_API_FOOTBALL_KEY'}" in config


def test_a_run_has_one_clock() -> None:
    """Overriding the clock resource is enough: nothing else creates a clock."""
    resources = resources_from(settings_of(clock="2025-05-10T11:30:00+00:00@60@1746878400"))
    clock = resources["clock"]
    assert clock.clock().speed == 60
    for name in ("sites", "aliases", "searching", "clip_work"):
        assert resources[name].clock == clock, name
