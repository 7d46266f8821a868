"""The live tick, evaluated as Dagster does, against a simulated provider and a real MongoDB."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import structlog.testing
from pymongo.database import Database

from footy_assets.clips.resource import HeldClipsResource
from footy_assets.clock import ManualClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.poll_pace import PollPace, polls_in_this_tick
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.settings import load_settings
from footy_assets.sim import Quota as SimQuota
from footy_assets.sim import SimServer, World, fixture_json, goal
from footy_assets.store.collections import Document
from footy_assets_tests.clips.clip_harness import ClipHarness, no_log_lines
from resources.api_football.client import ApiFootball
from resources.clock import ClockResource
from resources.embedded.weed import S3Server
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.provider.resource import ProviderResource
from resources.s3.clip_store import ClipStore
from sensors.matchday import live_poll_sensor

pytestmark = pytest.mark.slow

KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)


@dataclass
class Tick:
    """Evaluates the sensor at given times of a manual clock and keeps its cursor."""

    sim: SimServer
    clock: ManualClock
    store: MatchdayStore
    resources: dict[str, Any]
    sensor: dg.SensorDefinition
    cursor: str | None = None

    def __call__(self) -> dg.SensorResult:
        spec = f"{self.clock.at.isoformat()}@1@{time.time()}"
        resources = {**self.resources, "clock": ClockResource(spec=spec)}
        with ExitStack() as stack:
            context = stack.enter_context(
                dg.build_sensor_context(cursor=self.cursor, resources=resources)
            )
            result = self.sensor(context)
        assert isinstance(result, dg.SensorResult)
        self.cursor = result.cursor
        self.clock.advance(30)
        return result


@pytest.fixture
def tick(database: Database[dict[str, Any]], mongo_uri: str, tmp_path: Path) -> Iterator[Tick]:
    clock = ManualClock(KICKOFF + timedelta(minutes=31))
    with SimServer(World.from_scripts([], day=KICKOFF.date()), clock) as sim:
        sim.put(fixture_json(5000, status="1H", elapsed=31, kickoff=KICKOFF))
        store = MatchdayStore(database)
        with ApiFootball(sim.url, None) as feed:
            Ingest(store, feed, clock, TrackingPolicy(teams="*")).ids([5000])
        mongo = MongoResource(uri=mongo_uri, database_name=database.name)
        spec = f"{clock.at.isoformat()}@1@{time.time()}"
        resources = {
            "mongo": mongo,
            "held_clips": HeldClipsResource(mongo=mongo, clock=ClockResource(spec=spec)),
            "provider": ProviderResource(url=sim.url),
            "policy": PolicyResource.from_settings(load_settings()),
        }
        sensor = live_poll_sensor(load_settings(home=tmp_path, confirm_seconds=0))
        yield Tick(sim, clock, store, resources, sensor)


def put_goal(tick: Tick) -> None:
    goals = [goal(31, team=40, player=234, name="M. Salah")]
    tick.sim.put(fixture_json(5000, status="1H", elapsed=32, kickoff=KICKOFF, goals=goals))


def materialized(result: dg.SensorResult) -> list[dg.AssetMaterialization]:
    return [e for e in result.asset_events if isinstance(e, dg.AssetMaterialization)]


def test_F10_a_tick_without_a_change_reports_nothing(tick: Tick) -> None:
    tick()
    result = tick()
    assert not result.asset_events
    assert not result.run_requests
    assert result.skip_reason is not None
    assert "nothing changed" in str(result.skip_reason.skip_message)


def test_se8_the_tick_that_makes_a_goal_stable_publishes_what_is_held_for_it(
    tick: Tick,
    database: Database[Document],
    s3: S3Server,
    clip_store: ClipStore,
    tmp_path: Path,
) -> None:
    tick.resources["held_clips"] = HeldClipsResource(
        mongo=tick.resources["mongo"],
        clock=tick.resources["held_clips"].clock,
        home=str(tmp_path),
        s3_endpoint_url=s3.endpoint_url,
        s3_access_key_id=s3.access_key_id,
        s3_secret_access_key=s3.secret_access_key,
        s3_bucket=clip_store.bucket,
    )
    put_goal(tick)
    tick()
    (seen,) = tick.store.goals_of([5000])[5000]
    harness = ClipHarness(database, clip_store, tmp_path / "work")
    harness.choose_video("x:good", "good", goal_key=seen.key)
    harness.work().run(seen, "run-1", no_log_lines)
    assert harness.videos() == {"x:good": "held"}
    assert "clips" not in {str(one.asset_key.to_user_string()) for one in materialized(tick())}
    assert harness.clips() == []
    published = [m for m in materialized(tick()) if m.asset_key == dg.AssetKey("clips")]
    assert [one.partition for one in published] == [seen.event_id]
    assert len(harness.clips()) == 1
    assert harness.videos() == {"x:good": "taken"}


def test_a_goal_is_reported_poll_by_poll_until_it_is_stable_and_then_no_more(tick: Tick) -> None:
    tick()
    put_goal(tick)
    states = []
    for _ in range(5):
        reported = materialized(tick())
        states.append(
            [
                record.data["state"]
                for event in reported
                for record in event.metadata["goal_table"].records
            ]
        )
    assert states == [["detected"], ["debouncing"], ["stable"], [], []]


def test_a_materialization_names_its_matchday_and_carries_numbers(tick: Tick) -> None:
    tick()
    put_goal(tick)
    (event,) = materialized(tick())
    assert event.partition == "2025-05-10"
    assert event.asset_key == dg.AssetKey("live_events")
    assert event.metadata["goals"].value == 1
    assert event.metadata["stable_goals"].value == 0
    assert event.metadata["api_calls"].value == 1
    assert event.metadata["quota_day_remaining"].value > 0
    assert event.metadata["label"].value == "monitor-10_05_2025-14:31"


def test_checks_are_evaluated_with_each_change(tick: Tick) -> None:
    tick()
    put_goal(tick)
    result = tick()
    evaluated = {
        e.check_name: e.passed
        for e in result.asset_events
        if isinstance(e, dg.AssetCheckEvaluation)
    }
    assert evaluated == {
        "identities_unique": True,
        "score_agrees": True,
        "goals_have_clips": True,
    }


def test_a_provider_that_returns_nothing_is_reported_and_the_pace_is_kept(tick: Tick) -> None:
    tick.sim.faults.errors({"token": "Error/Missing application key."}, times=None)
    result = tick()
    assert "the provider returned nothing" in str(result.skip_reason)
    assert PollPace.from_cursor(result.cursor).last is not None
    asked = [one for one in tick.sim.requests if one.path == "/fixtures/lineups"]
    assert asked == [], "it would not answer for line-ups either"


def test_A1_a_file_of_providers_that_is_refused_is_logged_once_and_not_at_every_poll(
    tick: Tick, tmp_path: Path
) -> None:
    (tmp_path / "sources.yaml").write_text("sources: [")
    with structlog.testing.capture_logs() as lines:
        for _ in range(3):
            tick()
    assert [line["event"] for line in lines].count("providers_file_refused") == 1


def test_F7_with_a_small_quota_used_up_polls_are_15_minutes_apart(tick: Tick) -> None:
    tick.sim.quota = SimQuota(per_day=len(tick.sim.requests), per_minute=1000)
    polled = []
    for _ in range(32):
        before = len(tick.sim.requests)
        tick()
        polled.append(len(tick.sim.requests) > before)
    assert sum(polled) == 2


def test_F7_a_low_quota_slows_the_tick_down_before_it_runs_out(tick: Tick) -> None:
    tick.sim.quota = SimQuota(per_day=100, per_minute=1000)
    polled = []
    for _ in range(40):
        before = len(tick.sim.requests)
        tick()
        polled.append(len(tick.sim.requests) > before)
    assert polled[0]
    assert 3 <= sum(polled) < 20


@pytest.mark.parametrize(("used", "requests"), [(0, 1), (30, 0)])
def test_F7_line_ups_are_requested_from_the_first_quarter_of_a_small_quota(
    tick: Tick, used: int, requests: int
) -> None:
    tick.sim.quota = SimQuota(per_day=100, per_minute=1000)
    with ApiFootball(tick.sim.url, None) as feed:
        for _ in range(used):
            feed.by_ids([5000])
    tick()
    asked = [one for one in tick.sim.requests if one.path == "/fixtures/lineups"]
    assert len(asked) == requests


def test_the_cursor_stores_the_pace() -> None:
    pace = PollPace(KICKOFF, Quota(day_limit=100, day_remaining=7), 3)
    restored = PollPace.from_cursor(pace.to_cursor())
    assert (restored.last, restored.quota, restored.calls) == (pace.last, pace.quota, 3)
    assert PollPace.from_cursor(None).wait(KICKOFF, 30.0) == 0.0


def test_with_an_accelerated_clock_one_tick_makes_polls_30_seconds_apart() -> None:
    clock = ManualClock(KICKOFF, speed=60.0)
    pace, moments = PollPace(None, None, 0), []
    for _ in polls_in_this_tick(clock, pace, 30.0):
        moments.append(clock.now())
        pace.last = clock.now()
    assert len(moments) == 29
    apart = {later - earlier for earlier, later in pairwise(moments)}
    assert apart == {timedelta(seconds=30)}


@pytest.mark.parametrize(
    ("since_last", "waits"),
    [(30.4, 0.0), (29.5, 0.0), (24.0, 5.0), (15.0, 14.0)],
    ids=["on time", "a little early", "the last tick was slow to begin", "as early as may be"],
)
def test_in_real_time_one_tick_is_one_poll(since_last: float, waits: float) -> None:
    clock = ManualClock(KICKOFF)
    pace = PollPace(KICKOFF - timedelta(seconds=since_last), None, 0)
    assert len(list(polls_in_this_tick(clock, pace, 30.0))) == 1
    assert clock.slept == [waits]


def test_in_real_time_a_tick_right_after_a_poll_makes_none() -> None:
    clock = ManualClock(KICKOFF)
    pace = PollPace(KICKOFF - timedelta(seconds=10), None, 0)
    assert not list(polls_in_this_tick(clock, pace, 30.0))
    assert not clock.slept


def test_f11_one_tick_polls_a_match_with_an_unconfirmed_goal_again(
    tick: Tick, tmp_path: Path
) -> None:
    """The clock is fast, and ordinary polls are so far apart that a tick has one."""
    settings = load_settings(home=tmp_path, poll_seconds=1_000, confirm_seconds=20)
    tick.sim.put(fixture_json(5001, status="1H", elapsed=31, kickoff=KICKOFF))
    with ApiFootball(tick.sim.url, None) as feed:
        Ingest(tick.store, feed, tick.clock, TrackingPolicy(teams="*")).ids([5001])
    put_goal(tick)
    before = len(tick.sim.requests)
    tick.resources |= {"clock": ClockResource(spec=f"{tick.clock.at.isoformat()}@60@{time.time()}")}
    with dg.build_sensor_context(resources=tick.resources) as context:
        result = live_poll_sensor(settings)(context)
    polls = [one.params["ids"] for one in tick.sim.requests[before:] if one.path == "/fixtures"]
    assert polls == ["5000-5001", "5000", "5000"]
    assert isinstance(result, dg.SensorResult)
    [event] = materialized(result)
    assert [record.data["state"] for record in event.metadata["goal_table"].records] == ["stable"]
    assert PollPace.from_cursor(result.cursor).calls == 1
