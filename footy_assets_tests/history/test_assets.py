"""Y5–Y7, Y11 through Dagster: assets, checks, sensors and jobs, on real servers."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock, ScaledClock
from footy_assets.definitions import defs
from footy_assets.history.assets import ASSET_OF, past_season
from footy_assets.history.checks import history_checks
from footy_assets.history.jobs import backfill_season_job, start_history_job
from footy_assets.history.progress import require_season, season_status
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.sourcing import HistoryWork
from footy_assets.history.start import lease_name, start
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.settings import load_settings
from footy_assets.sim import SimServer, clubs_of
from footy_assets.store.collections import HISTORY, Document
from footy_assets.store.leases import Leases
from footy_assets_tests.history.conftest import KEY, Sourcing
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource
from sensors.history import BACKFILL_TAG, history_due_sensor, season_backfill_sensor

pytestmark = pytest.mark.slow

# A minute's wait takes a second.
SPEED = 60.0
ONE = {"league": KEY.league, "season": KEY.season}


@dataclass
class DagsterHarness:
    store: HistoryStore
    sim: SimServer
    resources: dict[str, Any]
    instance: dg.DagsterInstance
    tables: Path
    clock: ManualClock

    def materialize(self, *keys: dg.AssetKey) -> dg.ExecuteInProcessResult:
        self.instance.add_dynamic_partitions("league_seasons", [str(KEY)])
        return dg.materialize(
            [past_season, *history_checks],
            partition_key=str(KEY),
            resources=self.resources,
            instance=self.instance,
            selection=dg.AssetSelection.assets(*keys) if keys else None,
            raise_on_error=False,
        )

    def tick(self, sensor: dg.SensorDefinition, cursor: str | None = None) -> dg.SensorResult:
        loaded = defs() if callable(defs) else defs
        with dg.build_sensor_context(
            instance=self.instance,
            cursor=cursor,
            resources=self.resources,
            repository_def=loaded.get_repository_def(),
        ) as context:
            result = sensor(context)
            if sensor.asset_selection is not None:
                # The daemon also validates the request.
                sensor.evaluate_tick(context)
        assert isinstance(result, dg.SensorResult)
        return result

    def do(self, job: dg.JobDefinition, op: str, **config: Any) -> None:
        job.execute_in_process(
            run_config={"ops": {op: {"config": config}}},
            resources=self.resources,
            instance=self.instance,
        )

    def later(self, minutes: float) -> None:
        self.clock.advance(minutes * 60)
        spec = ScaledClock(self.clock.now(), 1.0, time.time()).spec()
        self.resources["clock"] = ClockResource(spec=spec)


@pytest.fixture
def harness(
    database: Database[Document],
    mongo_uri: str,
    sim: SimServer,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[DagsterHarness]:
    monkeypatch.setenv("FOOTY_TABLES_FOLDER", str(tmp_path / "tables"))
    monkeypatch.setenv("FOOTY_TRACKED_TEAMS", "*")
    monkeypatch.setenv("FOOTY_SOURCES", "none")
    with dg.DagsterInstance.ephemeral() as instance:
        resources = {
            "mongo": MongoResource(uri=mongo_uri, database_name=database.name),
            "provider": ProviderResource(url=sim.url),
            "policy": PolicyResource.from_settings(load_settings()),
            "clock": ClockResource(spec=ScaledClock(clock.now(), SPEED, time.time()).spec()),
        }
        store = HistoryStore(database)
        yield DagsterHarness(store, sim, resources, instance, tmp_path / "tables", clock)


def test_y11_a_season_is_materialised_with_progress_tables_and_passing_checks(
    harness: DagsterHarness,
) -> None:
    result = harness.materialize()
    assert result.success
    evaluated = {e.check_name: e.passed for e in result.get_asset_check_evaluations()}
    assert len(evaluated) == sum(len(list(one.check_keys)) for one in history_checks)
    assert all(evaluated.values()), evaluated
    metadata = {
        event.asset_key: event.materialization.metadata
        for event in result.get_asset_materialization_events()
    }
    assert set(metadata) == set(ASSET_OF.values())
    for event in result.get_asset_materialization_events():
        assert event.partition == str(KEY)
    venues = {name: value.value for name, value in metadata[ASSET_OF[Tier.VENUE]].items()}
    assert (venues["processed"], venues["failed"], venues["total"]) == (20, 0, 20)
    assert venues["percent"] == 100.0
    assert venues["state"] == "Completed"
    assert venues["api_calls"] > 80
    players = pd.read_parquet(harness.tables / "player_seasons")
    assert len(players) == 610
    seen = harness.instance.fetch_observations(ASSET_OF[Tier.PLAYER_SEASON], limit=50).records
    assert len(seen) >= 2


def test_y6_missing_documents_fail_the_completeness_check_by_name(harness: DagsterHarness) -> None:
    venue = str(min(club.venue_id for club in clubs_of(39)))
    harness.sim.faults.garble(times=None, path="/venues", query={"id": venue})
    result = harness.materialize()
    assert result.success
    failed = {e.check_name: e for e in result.get_asset_check_evaluations() if not e.passed}
    assert set(failed) == {"venues_complete"}
    # Tried again while the other tiers last: by then all its tries may be used up.
    missing = rf"/venues\?id={venue} (failed|parked)"
    assert re.search(missing, str(failed["venues_complete"].description))


def test_y9_todays_figures_fail_the_content_checks(harness: DagsterHarness) -> None:
    harness.sim.faults.today(times=None, path="/players")
    result = harness.materialize()
    failed = {e.check_name for e in result.get_asset_check_evaluations() if not e.passed}
    assert "figures_agree" in failed


def test_one_tier_can_be_materialised_alone(harness: DagsterHarness) -> None:
    result = harness.materialize(ASSET_OF[Tier.SEASON])
    assert result.success
    assert {one.path for one in harness.sim.requests} == {"/leagues", "/fixtures"}


def test_y7_a_season_started_in_the_launchpad_gets_a_run_from_the_sensor(
    harness: DagsterHarness,
) -> None:
    harness.do(start_history_job, "begin_season", **ONE)
    harness.do(start_history_job, "begin_season", **ONE)
    assert harness.instance.get_dynamic_partitions("league_seasons") == [str(KEY)]
    result = harness.tick(history_due_sensor(load_settings()))
    (request,) = result.run_requests or []
    assert request.partition_key == str(KEY)
    assert request.tags["dagster/priority"] == "-10"
    assert harness.materialize().success
    assert not harness.tick(history_due_sensor(load_settings())).run_requests


def test_y7_the_sensor_adds_the_partition_of_a_season_started_elsewhere(
    harness: DagsterHarness,
) -> None:
    start(harness.store, harness.clock, KEY, "the command line")
    result = harness.tick(history_due_sensor(load_settings()))
    (added,) = result.dynamic_partitions_requests or []
    assert added.partition_keys == [str(KEY)]


def test_y5_a_stalled_season_fails_its_check_once_and_recovers(
    harness: DagsterHarness, capfd: pytest.CaptureFixture[str]
) -> None:
    start(harness.store, harness.clock, KEY, "the command line")
    sensor = history_due_sensor(load_settings())
    assert not harness.tick(sensor).asset_events
    harness.later(minutes=31)
    capfd.readouterr()
    result = harness.tick(sensor)
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    (line,) = [one for one in logged if one["event"] == "season_stalled"]
    assert (line["season"], line["minutes"], line["level"]) == (str(KEY), 31, "warning")
    (event,) = result.asset_events
    assert isinstance(event, dg.AssetCheckEvaluation)
    assert not event.passed
    assert "WaitingForSeason for 31 minutes" in str(event.description)
    assert not harness.tick(sensor, cursor=result.cursor).asset_events
    assert harness.materialize().success
    (event,) = harness.tick(sensor, cursor=result.cursor).asset_events
    assert isinstance(event, dg.AssetCheckEvaluation)
    assert event.passed


def test_y7_no_run_is_requested_while_a_command_works_on_the_season(
    harness: DagsterHarness,
) -> None:
    start(harness.store, harness.clock, KEY, "the command line")
    sensor = history_due_sensor(load_settings())
    with Leases(harness.store.database).hold(lease_name(KEY)):
        assert not harness.tick(sensor).run_requests
    assert harness.tick(sensor).run_requests


def test_a_failed_run_is_not_requested_again_at_once(harness: DagsterHarness) -> None:
    start(harness.store, harness.clock, KEY, "the command line")
    harness.sim.faults.errors({"token": "wrong key"}, times=None)
    assert not harness.materialize().success
    resume_at = require_season(harness.store, KEY).resume_at
    assert resume_at is not None
    sensor = history_due_sensor(load_settings())
    # The clock ran fast during the run: set it to the time that the record has.
    harness.clock.at = resume_at
    harness.later(minutes=-1)
    assert not harness.tick(sensor).run_requests
    harness.sim.faults.clear()
    harness.later(minutes=1)
    assert harness.tick(sensor).run_requests


def test_y7_a_broken_season_does_not_block_the_others(
    harness: DagsterHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(KEY, season=2022)
    start(harness.store, harness.clock, KEY, "the command line")
    harness.clock.advance(1)
    start(harness.store, harness.clock, other, "the command line")
    harness.later(minutes=0)
    seasons = harness.store.database[HISTORY]
    unreadable = {"_id": "12345678901:2023", "league": 12_345_678_901, "season": 2023}
    seasons.insert_one({**(seasons.find_one({}, {"_id": 0}) or {}), **unreadable})

    def broken(work: HistoryWork, key: LeagueSeason) -> SeasonRecord:
        raise ValueError("unexpected")

    with monkeypatch.context() as patched:
        patched.setattr(HistoryWork, "recompute_state", broken)
        assert not harness.materialize().success
    status = season_status(harness.store, harness.clock, KEY, HistoryRules())
    assert status["resume_because"] == "ValueError('unexpected')"
    (request,) = harness.tick(history_due_sensor(load_settings())).run_requests or []
    assert request.partition_key == str(other)


class Killed(BaseException):
    pass


@pytest.mark.parametrize(
    "state",
    [SagaState.WAITING_FOR_VENUE, SagaState.WAITING_FOR_PLAYER_SEASON],
)
def test_y7_killed_after_the_last_document_of_a_tier_the_season_continues(
    harness: DagsterHarness, sourcing: Sourcing, monkeypatch: pytest.MonkeyPatch, state: SagaState
) -> None:
    alive = HistoryWork.recompute_state

    def dies(work: HistoryWork, key: LeagueSeason) -> SeasonRecord:
        record = require_season(work.store, key)
        if record.saga.state is state and record.tallies and work.store.next_due(key) is None:
            raise Killed
        return alive(work, key)

    with monkeypatch.context() as patched:
        patched.setattr(HistoryWork, "recompute_state", dies)
        with pytest.raises(Killed):
            sourcing.source()
    assert require_season(harness.store, KEY).saga.state is state
    sensor = history_due_sensor(load_settings())
    assert harness.tick(sensor).run_requests
    assert harness.materialize().success
    assert require_season(harness.store, KEY).saga.state is SagaState.COMPLETED
    assert not harness.tick(sensor).run_requests


def test_y12_killed_before_the_export_a_completed_season_is_exported(
    harness: DagsterHarness, sourcing: Sourcing
) -> None:
    sourcing.source()
    assert require_season(harness.store, KEY).saga.state is SagaState.COMPLETED
    sensor = history_due_sensor(load_settings())
    assert harness.tick(sensor).run_requests
    calls_before = len(harness.sim.requests)
    assert harness.materialize().success
    assert len(harness.sim.requests) == calls_before
    assert len(pd.read_parquet(harness.tables / "seasons")) == 1
    assert not harness.tick(sensor).run_requests


def test_y10_killed_while_a_refresh_is_requested_the_season_is_refreshed(
    harness: DagsterHarness, sourcing: Sourcing
) -> None:
    sourcing.source()
    harness.store.mark_exported(require_season(harness.store, KEY))
    sensor = history_due_sensor(load_settings())
    assert not harness.tick(sensor).run_requests
    documents = harness.store.refresh(KEY, sourcing.clock.now())
    calls_before = len(harness.sim.requests)
    assert harness.tick(sensor).run_requests
    assert harness.materialize().success
    assert len(harness.sim.requests) == calls_before + documents
    assert require_season(harness.store, KEY).saga.state is SagaState.COMPLETED
    assert not harness.tick(sensor).run_requests


def test_y6_a_season_with_parked_documents_gets_no_more_runs(
    harness: DagsterHarness, sourcing: Sourcing
) -> None:
    venue = str(min(club.venue_id for club in clubs_of(39)))
    harness.sim.faults.garble(times=None, path="/venues", query={"id": venue})
    sourcing.source()
    assert harness.materialize().success
    assert require_season(harness.store, KEY).saga.state is SagaState.WAITING_FOR_PLAYER_SEASON
    assert not harness.tick(history_due_sensor(load_settings())).run_requests


def test_y11_backfilling_a_seasons_goals_is_one_action(harness: DagsterHarness) -> None:
    harness.materialize(ASSET_OF[Tier.SEASON])
    harness.do(backfill_season_job, "backfill_season", **ONE, why="a test")
    sensor = season_backfill_sensor(load_settings())
    (request,) = harness.tick(sensor).run_requests or []
    record = require_season(harness.store, KEY)
    assert record.backfill is not None
    assert request.tags[BACKFILL_TAG] == record.backfill["id"]
    subset = request.asset_graph_subset
    assert subset is not None
    requested = {(key.to_user_string(), day) for key, day in subset.iterate_asset_partitions()}
    days = {row["matchday"] for row in harness.store.rows(KEY, "/fixtures")}
    assert len(days) > 100
    assert requested == {(name, day) for name in ("fixtures", "live_events") for day in days}
