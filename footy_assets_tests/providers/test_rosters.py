"""Line-ups and squads are fetched a few at a time, kept, and give scorers their ids."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderKnowsNone,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import FixtureSighting, GoalSighting, Player, Side
from footy_assets.matchday.store.documents import goal_document
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.providers.rosters import RosterReport, name_scorers_of, refresh_rosters
from footy_assets.providers.rules.rosters import FoundLineUps, FoundSquad
from footy_assets.store.collections import EVENTS, FIXTURES, LINE_UPS, REJECTS, SQUADS, Document
from footy_assets_tests.matchday.goals import FIXTURE, GOAL, KICKOFF

SALAH = RosterPlayer(Player(306, "Mohamed Salah"), 11, "F", starts=True)
BRUNO = RosterPlayer(Player(9, "Bruno Fernandes"), 8, "M", starts=True)
BOTH = (LineUp(40, (SALAH,), "4-3-3"), LineUp(33, (BRUNO,), "4-2-3-1"))
OTHER = replace(FIXTURE, id=5001, home=Side(50, "Arsenal"), away=Side(51, "Chelsea"))


@dataclass
class Rosters:
    """A `RosterFeed` that answers what it is given, and lists its requests."""

    out: dict[int, tuple[LineUp, ...]] = field(default_factory=dict)
    squads: dict[int, tuple[RosterPlayer, ...]] = field(default_factory=dict)
    error: ProviderError | None = None
    unreadable: tuple[Unreadable, ...] = ()
    requests: list[str] = field(default_factory=list)

    def line_ups(self, match_id: int, within: float) -> FoundLineUps:
        self._request(f"match {match_id}")
        return FoundLineUps(self.out.get(match_id, ()), self.unreadable)

    def squad(self, team_id: int, within: float) -> FoundSquad:
        self._request(f"team {team_id}")
        return FoundSquad(self.squads.get(team_id, ()))

    def _request(self, what: str) -> None:
        self.requests.append(what)
        if self.error is not None:
            raise self.error


@dataclass
class Refresh:
    database: Database[Document]
    feed: Rosters = field(default_factory=Rosters)
    clock: ManualClock = field(default_factory=lambda: ManualClock(KICKOFF))

    def __call__(self, *fixtures: Fixture, minutes: float = 0, most: int = 9) -> RosterReport:
        """Some minutes later."""
        self.clock.at += timedelta(minutes=minutes)
        self.feed.requests.clear()
        store = MatchdayStore(self.database)
        return refresh_rosters(
            store, fixtures or (FIXTURE,), self.feed, self.clock, max_requests=most
        )


@pytest.fixture
def refresh(database: Database[Document]) -> Refresh:
    return Refresh(database)


def test_line_ups_are_requested_until_both_are_there_and_then_kept(refresh: Refresh) -> None:
    store = RosterStore(refresh.database)
    refresh.feed.out[5000] = BOTH[:1]
    assert refresh().line_ups == []
    assert (store.line_ups(5000).line_ups, store.line_ups(5000).fetched_at) == (BOTH[:1], None)
    assert refresh(minutes=4).requests == 0
    # An answer without them, in between, deletes nothing.
    refresh.feed.out[5000] = ()
    assert refresh(minutes=1).requests == 1
    assert store.line_ups(5000).line_ups == BOTH[:1]
    refresh.feed.out[5000] = BOTH
    assert refresh(minutes=5).line_ups == [5000]
    assert store.line_ups(5000).line_ups == BOTH
    assert store.line_ups(5000).fetched_at == refresh.clock.now()
    assert refresh(minutes=600).requests == 0


def test_a_line_up_of_another_team_is_not_stored(refresh: Refresh) -> None:
    refresh.feed.out[5000] = (*BOTH, LineUp(77, (SALAH,)))
    refresh()
    assert RosterStore(refresh.database).line_ups(5000).line_ups == BOTH


def test_a_call_sends_no_more_requests_than_it_may(refresh: Refresh) -> None:
    sent = []
    while refresh(FIXTURE, OTHER, most=4).requests:
        sent.append(list(refresh.feed.requests))
    assert sent == [["match 5000", "match 5001", "team 40", "team 33"], ["team 50", "team 51"]]
    assert refresh(OTHER, most=0).requests == 0


def test_the_requests_of_a_call_have_eight_seconds_together(refresh: Refresh) -> None:
    seconds = 0.0
    given = []

    class SlowRosters(Rosters):
        def line_ups(self, match_id: int, within: float) -> FoundLineUps:
            nonlocal seconds
            given.append(within)
            seconds += 4.0
            return super().line_ups(match_id, within)

    def request(within: float, *fixtures: Fixture) -> None:
        store, feed = MatchdayStore(refresh.database), SlowRosters()
        refresh_rosters(
            store, fixtures, feed, refresh.clock, within=within, monotonic=lambda: seconds
        )

    third = replace(OTHER, id=5002)
    request(60.0, FIXTURE, OTHER, third)
    assert given == [5.0, 4.0]
    request(0.2, third)
    assert given == [5.0, 4.0]
    request(3.0, third)
    assert given == [5.0, 4.0, 3.0]


def test_without_a_match_in_time_nothing_is_read_or_requested(refresh: Refresh) -> None:
    refresh.clock.at -= timedelta(hours=13)
    assert refresh() == RosterReport()


@pytest.mark.parametrize(
    "error", [ProviderUnavailable("no answer"), ProviderRefused("not allowed")]
)
def test_a_provider_that_does_not_answer_is_asked_once_and_again_after_five_minutes(
    refresh: Refresh, error: ProviderError
) -> None:
    refresh.feed.error = error
    report = refresh(FIXTURE, OTHER)
    assert refresh.feed.requests == ["match 5000"]
    assert [str(one) for one in report.failures] == [f"line-ups of fixture 5000: {error}"]
    assert refresh(FIXTURE, OTHER, minutes=4).requests == 0
    assert RosterStore(refresh.database).line_ups(5001).failure == str(error)
    refresh.feed.error, refresh.feed.out[5000] = None, BOTH
    assert refresh(FIXTURE, OTHER, minutes=1).requests == 6
    assert RosterStore(refresh.database).line_ups(5000).failure is None


@pytest.mark.parametrize("error", [ProviderAnswerInvalid("nonsense"), ProviderKnowsNone("no such")])
def test_an_answer_that_cannot_be_read_stops_no_other(
    refresh: Refresh, error: ProviderError
) -> None:
    refresh.feed.error = error
    assert (refresh().requests, refresh().requests) == (3, 0)
    assert refresh.database[SQUADS].count_documents({"failure": str(error)}) == 2


def test_unreadable_parts_are_in_the_journal(refresh: Refresh) -> None:
    refresh.feed.unreadable = (Unreadable("line-up of fixture 5000", "player: wrong"),)
    assert refresh().unreadable == list(refresh.feed.unreadable)
    assert refresh.database[REJECTS].distinct("reason") == ["player: wrong"]


def test_an_empty_squad_keeps_the_players_of_the_last_one(refresh: Refresh) -> None:
    refresh.feed.squads[40] = (SALAH,)
    refresh()
    refresh.feed.squads.clear()
    assert 40 in refresh(minutes=24 * 60).squads
    rosters = RosterStore(refresh.database).rosters({5000: (40, 33)})
    assert rosters[5000].squads == {40: (SALAH,), 33: ()}


# -- scorers --------------------------------------------------------------------------------


def test_a_scorer_that_is_not_in_the_squad_has_it_fetched_again_after_12_hours(
    refresh: Refresh,
) -> None:
    refresh.feed.out[5000] = BOTH
    refresh(minutes=-60)
    put_goal(refresh, Player(None, "M. Salah"))
    assert refresh(minutes=719).requests == 0
    assert refresh(minutes=1).squads == [40]


def test_an_own_goal_has_the_squad_of_the_other_team_fetched(refresh: Refresh) -> None:
    put_goal(refresh, Player(None, "B. Fernandes"), detail="Own Goal")
    refresh(most=1)
    assert refresh.feed.requests == ["team 33"]


@pytest.mark.parametrize("changes", [{"player": Player(None, None)}, {"player": Player(7, "A")}])
def test_a_goal_that_no_roster_can_name_has_nothing_fetched(
    refresh: Refresh, changes: dict[str, Player]
) -> None:
    put_goal(refresh, **changes)
    refresh(most=1)
    assert refresh.feed.requests == ["match 5000"]


def test_sightings_get_the_ids_of_stored_rosters(refresh: Refresh) -> None:
    refresh.feed.out[5000] = BOTH
    refresh.feed.squads[50] = (RosterPlayer(Player(7, "Bukayo Saka")),)
    refresh(FIXTURE, OTHER)
    store = MatchdayStore(refresh.database)
    named = name_scorers_of(
        store,
        {
            5000: seen(FIXTURE, Player(None, "Salah")),
            5001: seen(OTHER, Player(None, "B. Saka")),
            5002: seen(replace(FIXTURE, id=5002, home=Side(60, "X")), Player(None, "Salah")),
            5003: seen(replace(OTHER, id=5003), Player(1, "Somebody")),
        },
    )
    found = {id_: one.goals[0].scorer for id_, one in named.items() if one.goals}
    assert found == {
        5000: Player(306, "Salah"),
        5001: Player(7, "B. Saka"),
        5002: Player(None, "Salah"),
        5003: Player(1, "Somebody"),
    }


# -- snapshots and retention ----------------------------------------------------------------


def test_t15_the_snapshots_of_line_ups_wait_in_the_fixture(refresh: Refresh) -> None:
    put_goal(refresh, Player(7, "A"))
    refresh.feed.out[5000] = BOTH
    described = []

    def describe(fixture: Fixture, line_ups: object) -> list[dict[str, str]]:
        described.append((fixture.id, line_ups))
        return [{"id": "5000/line-up/home"}]

    store = MatchdayStore(refresh.database)
    refresh_rosters(store, [FIXTURE], refresh.feed, refresh.clock, describe=describe)
    assert described == [(5000, list(BOTH))]
    fixture = refresh.database[FIXTURES].find_one({"_id": 5000})
    assert fixture is not None
    assert fixture["unstored"] == [{"id": "5000/line-up/home"}]


def test_f9_line_ups_go_with_their_match_and_squads_with_time(refresh: Refresh) -> None:
    refresh(FIXTURE, OTHER)
    store = RetentionStore(refresh.database)
    store.delete_fixture(5000)
    assert refresh.database[LINE_UPS].distinct("_id") == [5001]
    refresh(FIXTURE, minutes=24 * 60, most=2)
    store.delete_squads_before(refresh.clock.now())
    assert refresh.database[SQUADS].distinct("_id") == [40]


def put_goal(refresh: Refresh, player: Player, detail: str = "Normal Goal") -> GoalEvent:
    goal = replace(GOAL, player=player, detail=detail)
    refresh.database[EVENTS].insert_one(goal_document(goal))
    refresh.database[FIXTURES].insert_one({"_id": 5000})
    return goal


def seen(fixture: Fixture, scorer: Player) -> FixtureSighting:
    goal = GoalSighting(fixture.home.id, scorer, MatchMinute(30), "Normal Goal")
    return FixtureSighting(
        *(fixture.id, KICKOFF, "1H", 31, None, fixture.league, fixture.home, fixture.away, 1, 0),
        goals=(goal,),
    )
