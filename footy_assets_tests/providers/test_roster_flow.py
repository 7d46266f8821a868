"""From the provider's line-ups over HTTP to a stable goal and a trigger that fires."""

from collections.abc import Sequence
from datetime import timedelta

from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.feed import Answer
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.rosters import name_scorers_of, refresh_rosters
from footy_assets.sim import fixture_json, goal
from footy_assets.store.collections import ensure_indexes
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.rules.line_up_moments import line_up_snapshots
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets_tests.matchday.harness import MatchdayHarness
from footy_assets_tests.triggers.rules.builders import option, trigger
from resources.api_football.client import ApiFootball
from resources.api_football.rosters import ApiFootballRosters


class NamingFeed:
    """The provider's answers to a poll, with scorers named by stored rosters."""

    def __init__(self, feed: ApiFootball, store: MatchdayStore) -> None:
        self._feed, self._store = feed, store
        self.by_date, self.team_ids, self.seasons = feed.by_date, feed.team_ids, feed.seasons

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        answer = self._feed.by_ids(ids, within)
        answer.sightings = name_scorers_of(self._store, answer.sightings)
        return answer


def test_e4_a_goal_with_a_name_alone_becomes_stable_by_the_line_up(
    harness: MatchdayHarness,
) -> None:
    store, clock, database = harness.store, harness.clock, harness.store.database
    ensure_indexes(database)
    script = harness.sim.world.scripts[0]
    striker, id_ = script.home.strikers[0], script.fixture_id
    clock.at = script.kickoff - timedelta(minutes=74)
    harness.track(id_)
    starts = option("line_up.starter", "in", str(striker.id))
    triggers = TriggerStore(database)
    triggers.create(trigger(starts, scope_id=str(id_)), clock.now(), "starts")

    def refresh() -> list[int]:
        """The matches whose line-ups are new."""
        return refresh_rosters(
            store,
            store.unfinished(),
            ApiFootballRosters(harness.feed),
            clock,
            squads_ahead=False,
            describe=line_up_snapshots,
        ).line_ups

    assert refresh() == []
    clock.advance(29 * 60)
    assert refresh() == [id_]
    SnapshotStore(database).store_from_fixtures()
    Evaluator(database, clock).run()
    fired = [one["snapshot_id"] for one in triggers.scope_activations(f"game/{id_}")]
    assert fired == [f"{id_}/line-up/home"]

    clock.at = script.kickoff + timedelta(minutes=31)
    sides = {"home": script.home.id, "away": script.away.id, "kickoff": script.kickoff}
    scored = goal(30, team=script.home.id, name=striker.name)
    harness.sim.put(fixture_json(id_, status="1H", elapsed=31, goals=[scored], **sides))
    feed = NamingFeed(harness.feed, store)
    for _ in range(3):
        run_cycle(store, feed, clock, harness.policy)
    (found,) = harness.live(id_)
    assert found.event_id == f"{id_}_{script.home.id}_{striker.id}_Goal_1"
    assert found.stable
