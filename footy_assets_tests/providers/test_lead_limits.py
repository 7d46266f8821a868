"""L4: a lead that refuses a part is left alone, and its details never delay a poll."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
)
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.rules.feed import Answer, Failure
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.lead_details import LeadDetails
from footy_assets.providers.lead_rosters import LeadRosters
from footy_assets.providers.rules.adapter import (
    FetchResult,
    LeagueClaim,
    MatchDetails,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.identify import Aliases, ListedMatch
from footy_assets.providers.rules.match import GoalClaim, Score
from footy_assets.providers.rules.recovery import BrowserFigures
from footy_assets.store.collections import Document
from footy_assets_tests.providers.reports import NOON

GOAL = GoalClaim("home", MatchMinute(10), "Normal Goal", "Mohamed Salah", "p1")
MATCH = ProviderMatch(
    ListedMatch("m1", NOON, "Liverpool", "Manchester City", "Premier League", "eng.1"),
    period="1H",
    score=Score(1, 0),
    goals=(GOAL,),
    home=TeamClaim("t1"),
    away=TeamClaim("t2"),
    league=LeagueClaim("eng.1", "Premier League", 2025),
)


@dataclass
class OneMatch:
    """An `Adapter` and `DetailsAdapter` that answers what it is given, and counts."""

    result: FetchResult = field(default_factory=lambda: FetchResult((MATCH,)))
    error: Exception | None = None
    fetch_error: Exception | None = None
    fetches: int = 0
    given: list[float] = field(default_factory=list)

    def discover(self, day: date, within: float) -> FetchResult:
        return self.result.on(day)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        self.fetches += 1
        if self.fetch_error is not None:
            raise self.fetch_error
        return self.result

    def details(self, match: ListedMatch, within: float) -> MatchDetails:
        self.given.append(within)
        if self.error is not None:
            raise self.error
        return MatchDetails()

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None: ...

    def reset(self) -> None: ...

    def close(self) -> None: ...


@dataclass
class Polled:
    """Each poll with a feed of its own, as in each tick of the sensor."""

    store: MatchdayStore
    adapter: OneMatch
    clock: ManualClock

    def feed(self) -> LeadFeed:
        return LeadFeed("own", self.adapter, self.store, self.clock, Aliases())

    def __call__(self, seconds: float = 30) -> Answer:
        self.clock.advance(seconds)
        ids = [fixture.id for fixture in self.store.fixtures_of(NOON.date())]
        assert len(ids) == 1
        return self.feed().by_ids(ids)


@pytest.fixture
def poll(database: Database[Document]) -> Polled:
    polled = Polled(MatchdayStore(database), OneMatch(), ManualClock(NOON))
    Ingest(polled.store, polled.feed(), polled.clock, TrackingPolicy()).day(NOON.date())
    return polled


@pytest.mark.parametrize(
    ("error", "pause"), [(ProviderRefused("no"), 30 * 60), (ProviderRateLimited("slower"), 60)]
)
def test_l4_refused_details_leave_the_provider_alone(
    poll: Polled, error: ProviderError, pause: float
) -> None:
    poll.adapter.error = error
    assert len(poll().sightings) == 1, "what the poll itself found counts"
    assert "not asked again before" in poll().failures[0].reason
    assert poll.adapter.fetches == 1
    assert len(poll(pause - 30).sightings) == 1


def test_l4_a_refusal_of_a_part_leaves_the_provider_alone(poll: Polled) -> None:
    refusal, ok = ProviderRefused("no"), poll.adapter.result
    poll.adapter.result = replace(ok, refusal=refusal, failures=(Failure("esp.1", "no"),))
    assert len(poll().sightings) == 1
    assert poll().sightings == {}
    assert poll.adapter.fetches == 1


def test_l3_an_adapter_that_raises_anything_ends_no_poll(poll: Polled) -> None:
    poll.adapter.error = KeyError("rosters")
    assert len(poll().sightings) == 1
    poll.adapter.fetch_error = KeyError("events")
    answer = poll()
    assert answer.sightings == {}
    assert "KeyError: 'events'" in answer.failures[0].reason
    [id_] = answer.failures[0].fixture_ids
    with pytest.raises(ProviderAnswerInvalid, match="rosters"):
        LeadRosters(poll.feed()).line_ups(id_, 5.0)


def fixed_times(*times: float) -> Callable[[], float]:
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize(
    ("seconds_later", "given"), [(0.0, [5.0]), (6.0, [2.0]), (8.0, [])], ids=str
)
def test_the_details_of_a_poll_have_eight_seconds_together(
    database: Database[Document], seconds_later: float, given: list[float]
) -> None:
    adapter = OneMatch()
    details = LeadDetails(
        "own", adapter, database, lambda error: None, fixed_times(0.0, seconds_later)
    )
    answer = Answer()
    assert details.add({1: MATCH}, answer) == {1: MATCH}
    assert adapter.given == given
    # The next poll asks for what this one had no time for.
    details = LeadDetails("own", adapter, database, lambda error: None, fixed_times(0.0))
    details.add({1: MATCH}, answer)
    assert len(adapter.given) == 1
