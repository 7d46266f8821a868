"""SE3: aliases at search time and ahead of it, also during outages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import PickerUnavailable
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.journal import Journal
from footy_assets.retries import RetryPolicy
from footy_assets.search.aliases import MAX_UNANSWERED, TeamAliases, sides
from footy_assets.search.rules.team_facts import Hits, Items, TeamProfile, WikiItem
from footy_assets.search.store.team_aliases import AliasProvenance, TeamAliasStore
from footy_assets.sim import SimServer, clubs_of
from footy_assets.store.collections import REJECTS, Document
from footy_assets_tests.matchday.harness import MatchdayHarness
from resources.api_football.client import ApiFootball
from resources.wikidata.client import Wikidata

UNITED = Side(33, "Manchester United")
LIVERPOOL = Side(40, "Liverpool")
ATLETICO = Side(530, "Atletico Madrid")
BELGIUM = Side(1, "Belgium")
UNKNOWN_TEAM = Side(424242, "Real Nowhere")


@dataclass
class Picker:
    choice: tuple[str, ...] = ()
    fails: bool = False
    offered: list[list[str]] = field(default_factory=list)
    model: str = "words-1"

    def pick(self, profile: TeamProfile, words: Sequence[str]) -> tuple[str, ...]:
        self.offered.append(list(words))
        if self.fails:
            raise PickerUnavailable("the alias model answered 500")
        return self.choice


@pytest.fixture
def wikidata(sim: SimServer) -> Wikidata:
    return Wikidata(sim.wikidata_url, sleep=lambda _: None)


@pytest.fixture
def aliases(
    database: Database[Document],
    feed: ApiFootball,
    wikidata: Wikidata,
    clock: ManualClock,
) -> TeamAliases:
    store = TeamAliasStore(database)
    return TeamAliases(store, feed, wikidata, clock, journal=Journal(database))


def request_count(sim: SimServer) -> int:
    """Requests for team names to the provider and to Wikidata."""
    return len(sim.wikidata.requests) + sum(r.path == "/teams" for r in sim.requests)


@pytest.mark.parametrize(
    ("team", "words"),
    [
        (UNITED, {"MUFC", "Utd", "Devils", "Manchester", "United"}),
        (LIVERPOOL, {"LFC", "Reds", "Anfield", "Liverpool"}),
        (ATLETICO, {"ATM", "Atletico", "Atleti", "Madrid"}),
        (BELGIUM, {"Belgium", "Belgian", "Belgique"}),
    ],
)
def test_se3_missing_aliases_are_resolved_at_search_time(
    aliases: TeamAliases, team: Side, words: set[str]
) -> None:
    assert words <= set(aliases.aliases_for(team))
    known = aliases.store.get(team.id)
    assert known is not None
    assert known.provenance is AliasProvenance.WIKIDATA
    assert known.expires_at - known.resolved_at == timedelta(days=30)
    assert known.facts["picked_by"] == "ranking"
    assert known.problems == ()


def test_se3_every_club_of_the_simulated_leagues_is_distinguished_from_its_decoys(
    aliases: TeamAliases,
) -> None:
    for league in (39, 140, 78, 135, 61):
        for club in clubs_of(league)[:4]:
            words = aliases.aliases_for(Side(club.id, club.name))
            known = aliases.store.get(club.id)
            assert known is not None
            assert known.facts["item"] == f"Q{900_000_000 + club.id * 10}", club.name
            assert "Wrong" not in words


def test_se3_stored_aliases_need_no_request(
    aliases: TeamAliases, sim: SimServer, clock: ManualClock
) -> None:
    first = aliases.aliases_for(UNITED)
    before = request_count(sim)
    assert before > 0
    clock.advance(29 * 86_400)
    assert aliases.aliases_for(UNITED) == first
    assert request_count(sim) == before
    clock.advance(2 * 86_400)
    assert aliases.aliases_for(UNITED) == first
    assert request_count(sim) > before, "after 30 days it is resolved again"


def test_se3_after_ingest_a_search_sends_no_requests_for_aliases(
    aliases: TeamAliases, harness: MatchdayHarness, sim: SimServer
) -> None:
    harness.put(5000, home=33, away=40, home_name="Manchester United")
    harness.put(5001, home=40, away=530, away_name="Atletico Madrid")
    harness.track(5000, 5001)
    report = aliases.precache(sides(harness.store.find_fixtures()))
    assert (report.teams, report.cached, report.left, report.calls) == (3, 0, [], 3)
    assert report.found == {AliasProvenance.WIKIDATA: 3}
    assert report.warnings == []
    assert sum(r.path == "/teams" for r in sim.requests) == 3
    before = request_count(sim)
    for team in sides(harness.store.find_fixtures()):
        assert aliases.aliases_for(team)
    assert request_count(sim) == before
    again = aliases.precache(sides(harness.store.find_fixtures()))
    assert (again.teams, again.cached) == (3, 3)
    assert request_count(sim) == before


@pytest.mark.parametrize("fault", ["fail", "html", "empty", "truncate"])
def test_se3_without_any_answer_the_words_of_the_name_are_used_for_an_hour(
    aliases: TeamAliases, sim: SimServer, clock: ManualClock, fault: str
) -> None:
    getattr(sim.wikidata.faults, fault)(times=None)
    sim.faults.fail(500, times=None, path="/teams")
    assert aliases.aliases_for(UNITED) == ("Manchester", "United")
    before = request_count(sim)
    clock.advance(3_000)
    assert aliases.aliases_for(UNITED) == ("Manchester", "United")
    assert request_count(sim) == before, "later searches of the match send no requests"
    sim.wikidata.faults.clear()
    sim.faults.clear()
    clock.advance(1_000)
    assert "MUFC" in aliases.aliases_for(UNITED), "resolved once the servers are back"


def test_se3_failures_are_recorded_with_their_reason(
    aliases: TeamAliases, sim: SimServer, database: Database[Document]
) -> None:
    sim.wikidata.faults.fail(403)
    aliases.aliases_for(UNITED)
    known = aliases.store.get(33)
    assert known is not None
    assert known.problems == ("wikidata: Wikidata refused the request (403)",)
    (note,) = database[REJECTS].find()
    assert note["subject"] == "aliases of team 33"


def test_se3_expired_aliases_are_used_while_wikidata_is_down(
    aliases: TeamAliases, sim: SimServer, clock: ManualClock
) -> None:
    good = aliases.aliases_for(UNITED)
    clock.advance(31 * 86_400)
    sim.wikidata.faults.fail(503, times=None)
    assert aliases.aliases_for(UNITED) == good
    before = request_count(sim)
    clock.advance(1_800)
    assert aliases.aliases_for(UNITED) == good
    assert request_count(sim) == before
    known = aliases.store.get(33)
    assert known is not None
    assert known.provenance is AliasProvenance.WIKIDATA
    assert known.problems == ("wikidata: Wikidata answered 503",)


class EmptyWikidata:
    """A Wikidata that answers every request with an empty result."""

    def search(self, phrase: str) -> Hits:
        return Hits()

    def items(self, ids: Collection[str]) -> Items:
        return Items()

    names = items

    def country(self, id: str) -> WikiItem | None:
        return None


def test_se3_a_team_that_wikidata_does_not_know_has_its_name_for_a_day(
    database: Database[Document], feed: ApiFootball, clock: ManualClock
) -> None:
    aliases = TeamAliases(TeamAliasStore(database), feed, EmptyWikidata(), clock)
    assert aliases.aliases_for(UNITED) == ("Manchester", "United")
    known = aliases.store.get(33)
    assert known is not None
    assert known.provenance is AliasProvenance.NAME
    assert known.expires_at - known.resolved_at == timedelta(days=1)


def test_se3_an_empty_answer_does_not_replace_resolved_aliases(
    aliases: TeamAliases, feed: ApiFootball, clock: ManualClock
) -> None:
    good = aliases.aliases_for(UNITED)
    clock.advance(31 * 86_400)
    assert TeamAliases(aliases.store, feed, EmptyWikidata(), clock).aliases_for(UNITED) == good


def test_se3_an_unknown_team_has_the_words_of_its_name(aliases: TeamAliases) -> None:
    assert aliases.aliases_for(UNKNOWN_TEAM) == ("Real", "Nowhere")
    known = aliases.store.get(UNKNOWN_TEAM.id)
    assert known is not None
    assert known.provenance is AliasProvenance.FALLBACK
    assert "no such team" in known.problems[0]


def test_se3_aliases_without_the_provider_expire_soon(aliases: TeamAliases, sim: SimServer) -> None:
    """Only the provider knows whether Belgium is a country or a club."""
    sim.faults.fail(500, times=None, path="/teams")
    words = aliases.aliases_for(UNITED)
    assert {"MUFC", "Manchester", "United"} <= set(words)
    known = aliases.store.get(33)
    assert known is not None
    assert known.provenance is AliasProvenance.FALLBACK


def test_se3_an_ingest_neither_fails_nor_waits_long_when_wikidata_is_down(
    aliases: TeamAliases, sim: SimServer
) -> None:
    sim.wikidata.faults.fail(500, times=None)
    teams = [Side(club.id, club.name) for club in clubs_of(39)]
    report = aliases.precache(teams)
    assert report.teams == 20
    assert MAX_UNANSWERED <= report.found[AliasProvenance.FALLBACK] <= MAX_UNANSWERED + 2
    assert len(report.left) == 20 - report.found[AliasProvenance.FALLBACK]
    assert len(report.warnings) >= 20
    assert len(sim.wikidata.requests) <= 3 * (MAX_UNANSWERED + 2), (
        "a server that is down gets no more requests"
    )


def test_se3_an_ingest_ends_in_time_when_wikidata_hangs(
    database: Database[Document], feed: ApiFootball, clock: ManualClock, sim: SimServer
) -> None:
    sim.wikidata.faults.slow(0.3, times=None)
    teams = [Side(club.id, club.name) for club in clubs_of(39)]
    patient = RetryPolicy(1, 0.0, 1.0, timeout=2.0)
    with Wikidata(sim.wikidata_url, retry=patient) as slow:
        aliases = TeamAliases(TeamAliasStore(database), feed, slow, clock)
        report = aliases.precache(teams, within=1.0)
    assert report.left
    assert len(report.left) + sum(report.found.values()) == 20


def test_se3_no_teams_send_no_requests(aliases: TeamAliases, sim: SimServer) -> None:
    assert aliases.precache([]).teams == 0
    assert request_count(sim) == 0


@pytest.mark.parametrize(
    ("picker", "by", "problem"),
    [
        (Picker(("united", "MUFC")), "words-1", None),
        (Picker(("United", "City")), "ranking", "picker: it chose words that were not offered"),
        (Picker(()), "ranking", "picker: it chose words that were not offered"),
        (Picker(fails=True), "ranking", "picker: the alias model answered 500"),
    ],
)
def test_se3_a_model_picks_and_the_ranking_replaces_an_invalid_choice(
    database: Database[Document],
    feed: ApiFootball,
    wikidata: Wikidata,
    clock: ManualClock,
    picker: Picker,
    by: str,
    problem: str | None,
) -> None:
    aliases = TeamAliases(TeamAliasStore(database), feed, wikidata, clock, picker)
    words = aliases.aliases_for(UNITED)
    known = aliases.store.get(33)
    assert known is not None
    assert known.provenance is AliasProvenance.WIKIDATA
    assert known.facts["picked_by"] == by
    assert (problem in known.problems) == (problem is not None)
    expected = ("United", "MUFC") if by == "words-1" else None
    assert expected in (None, words)
    assert "MUFC" in picker.offered[0]


def test_se3_both_teams_of_each_match_soonest_first(harness: MatchdayHarness) -> None:
    start = harness.sim.world.starts_at
    harness.put(5001, home=40, away=50, kickoff=start + timedelta(hours=5))
    harness.put(5000, home=60, away=50, kickoff=start + timedelta(hours=3))
    harness.track(5000, 5001)
    assert [side.id for side in sides(harness.store.find_fixtures())] == [60, 50, 40]
