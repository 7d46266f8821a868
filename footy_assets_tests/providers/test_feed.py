"""The score in the merged feed: what lowers it, and which provider it is credited to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.feed import Answer, SeasonSpan
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Cancellation, FixtureSighting
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.lifecycle import LifecycleLimits
from footy_assets.providers.rules.priority import Priority
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets.providers.rules.snapshots import MergedSnapshot
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.providers.harness import descriptor
from footy_assets_tests.providers.reports import AWAY, HOME, NOON, report, sighting


class FixedFeed:
    """A main provider that answers with a given sighting."""

    def __init__(self) -> None:
        self.now: FixtureSighting | None = None
        self.skipped: set[int] = set()

    def by_date(self, day: date) -> Answer:
        return Answer()

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        return Answer({5000: self.now} if self.now else {}, skipped=self.skipped)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return []

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return []


class TwoProviders:
    """The main provider and a second one, poll after poll."""

    def __init__(self, database: Database[Document]) -> None:
        ensure_indexes(database)
        self.main, self.clock = FixedFeed(), ManualClock(NOON)
        self.records, self.snapshots = ProviderRecords(database), MergedSnapshots(database)
        content = descriptor({API_FOOTBALL: 100, "second": 80})
        store = MatchdayStore(database)
        limits = LifecycleLimits(paused_after=3)
        self.feed = MergedFeed(self.main, store, self.clock, lambda: content, limits)

    def poll(self, answer: FixtureSighting | None) -> MergedSnapshot:
        self.clock.advance(30)
        self.main.now = answer
        self.feed.by_ids([5000])
        snapshot = self.snapshots.latest([5000])[5000].snapshot
        assert snapshot is not None
        return snapshot


@pytest.fixture
def two_providers(database: Database[Document]) -> TwoProviders:
    return TwoProviders(database)


def test_R3_a_guarded_score_keeps_its_provider(two_providers: TwoProviders) -> None:
    record = ProviderRecord(5000, "second", NOON, Priority.LIVE)
    two_providers.records.save([(None, record.succeeded(over=False, now=NOON))])
    two_providers.records.store_reports([report("second", 2, 0, minute=30)])
    assert two_providers.poll(None).fields["score.home"] == 2
    later = two_providers.poll(sighting(elapsed=31, score=(1, 0)))
    assert (later.fields["score.home"], later.provenance["score.home"].provider) == (2, "second")
    assert later.provenance["score.home"].timestamp == NOON
    assert later.provenance["minute"].provider == API_FOOTBALL


def test_an_old_VAR_decision_does_not_let_a_cached_answer_lower_the_score(
    two_providers: TwoProviders,
) -> None:
    decision = Cancellation(HOME.id, None, MatchMinute(12), "Goal Disallowed")
    two_providers.poll(sighting(elapsed=11, score=(1, 0)))
    after = sighting(elapsed=12, score=(0, 0), cancellations=(decision,))
    assert two_providers.poll(after).fields["score.home"] == 0
    two_providers.poll(replace(after, elapsed=69, goals_home=2))
    assert two_providers.poll(replace(after, elapsed=70, goals_home=1)).fields["score.home"] == 2


def test_a_VAR_decision_lowers_the_score_of_its_own_side_alone(two_providers: TwoProviders) -> None:
    decision = Cancellation(AWAY.id, None, MatchMinute(12), "Goal Disallowed")
    two_providers.poll(sighting(elapsed=11, score=(1, 1)))
    fields = two_providers.poll(
        sighting(elapsed=12, score=(0, 0), cancellations=(decision,))
    ).fields
    assert (fields["score.home"], fields["score.away"]) == (1, 0)


def test_l6_the_lead_s_match_is_paused_after_as_many_failures_as_configured(
    two_providers: TwoProviders,
) -> None:
    paused = []
    two_providers.poll(sighting(elapsed=11))
    for _ in range(3):
        two_providers.poll(None)
        paused.append(two_providers.records.of([5000])[5000, API_FOOTBALL].paused)
    assert paused == [False, False, True]


def test_R1_a_match_that_was_not_requested_has_not_failed(two_providers: TwoProviders) -> None:
    """A plan of few requests a day leaves matches out that are not in play."""
    two_providers.poll(sighting(elapsed=11))
    two_providers.main.skipped = {5000}
    for _ in range(9):
        two_providers.poll(None)
    assert two_providers.records.of([5000])[5000, API_FOOTBALL].life.failures == 0
    two_providers.main.skipped = set()
    two_providers.poll(None)
    assert two_providers.records.of([5000])[5000, API_FOOTBALL].life.failures == 1
