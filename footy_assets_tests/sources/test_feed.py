"""The score as the merged feed keeps it: what lowers it, and who is named for it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.feed import Answer, SeasonSpan
from footy_assets.matchday.minute import MatchMinute
from footy_assets.matchday.sighting import Cancellation, FixtureSighting
from footy_assets.operations.sources_feed import MergedFeed
from footy_assets.sources.descriptors import MAIN
from footy_assets.sources.priority import Priority
from footy_assets.sources.records import SourceRecord
from footy_assets.sources.snapshots import Snapshot
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_records import SourceRecords
from footy_assets.store.source_snapshots import SourceSnapshots
from footy_assets_tests.sources.stand import described
from footy_assets_tests.sources.words import AWAY, HOME, NOON, report, sighting


class Says:
    """A main provider that says what it is told to."""

    def __init__(self) -> None:
        self.now: FixtureSighting | None = None

    def by_date(self, day: date) -> Answer:
        return Answer()

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        return Answer({5000: self.now} if self.now else {})

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return []

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return []


class Two:
    """The main provider and a second one, poll after poll."""

    def __init__(self, database: Database[Document]) -> None:
        ensure_indexes(database)
        self.main, self.clock = Says(), ManualClock(NOON)
        self.records, self.snapshots = SourceRecords(database), SourceSnapshots(database)
        content = described({MAIN: 100, "second": 80})
        store = MatchdayStore(database)
        self.feed = MergedFeed(self.main, store, self.clock, lambda: content)

    def poll(self, said: FixtureSighting | None) -> Snapshot:
        self.clock.advance(30)
        self.main.now = said
        self.feed.by_ids([5000])
        snapshot = self.snapshots.latest([5000])[5000].snapshot
        assert snapshot is not None
        return snapshot


@pytest.fixture
def two(database: Database[Document]) -> Two:
    return Two(database)


def test_R3_a_score_that_is_kept_is_from_whoever_told_it(two: Two) -> None:
    record = SourceRecord(5000, "second", NOON, Priority.LIVE)
    two.records.save([(None, record.succeeded(over=False, now=NOON))])
    two.records.store_reports([report("second", 2, 0, minute=30)])
    assert two.poll(None).fields["score.home"] == 2
    later = two.poll(sighting(elapsed=31, score=(1, 0)))
    assert (later.fields["score.home"], later.provenance["score.home"].source) == (2, "second")
    assert later.provenance["score.home"].timestamp == NOON
    assert later.provenance["minute"].source == MAIN


def test_an_old_VAR_decision_lets_no_cached_answer_roll_the_score_back(two: Two) -> None:
    decision = Cancellation(HOME.id, None, MatchMinute(12), "Goal Disallowed")
    two.poll(sighting(elapsed=11, score=(1, 0)))
    after = sighting(elapsed=12, score=(0, 0), cancellations=(decision,))
    assert two.poll(after).fields["score.home"] == 0
    two.poll(replace(after, elapsed=69, goals_home=2))
    assert two.poll(replace(after, elapsed=70, goals_home=1)).fields["score.home"] == 2


def test_a_VAR_decision_lowers_the_score_of_its_own_side_alone(two: Two) -> None:
    decision = Cancellation(AWAY.id, None, MatchMinute(12), "Goal Disallowed")
    two.poll(sighting(elapsed=11, score=(1, 1)))
    told = two.poll(sighting(elapsed=12, score=(0, 0), cancellations=(decision,))).fields
    assert (told["score.home"], told["score.away"]) == (1, 0)
