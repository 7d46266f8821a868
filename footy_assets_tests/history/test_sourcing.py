"""Y1–Y10: a whole season from HTTP into MongoDB, with and without failures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import httpx
import pytest

from footy_assets.errors import (
    BadInput,
    Busy,
    NotFound,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRefused,
)
from footy_assets.history.operator_actions import advance, backfill, forget, retry
from footy_assets.history.progress import require_season, stalled_seasons, waiting_time
from footy_assets.history.rules.content import CONTENT_CHECKS, SeasonContent
from footy_assets.history.rules.documents import DocumentRequest, SourcedDocument
from footy_assets.history.rules.feed import Page
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import RETRY_AFTER
from footy_assets.history.rules.parse import parse_rows
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.sourcing import Ended
from footy_assets.history.start import lease_name, start
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.sim import Quota, clubs_of
from footy_assets.sim.season_responses import players
from footy_assets.store.collections import AUDIT, HISTORY, HISTORY_DOCUMENTS
from footy_assets_tests.history.conftest import KEY, Sourcing
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow

VENUES = sorted(club.venue_id for club in clubs_of(39))
LAST_VENUE = str(VENUES[-1])
FIRST_VENUE = str(VENUES[0])
FIRST_TWO = (Tier.SEASON, Tier.VENUE)


def flagged_documents(sourcing: Sourcing, tier: Tier) -> list[SourcedDocument]:
    found = [d for d in sourcing.store.documents(KEY) if d.request.tier is tier and d.notify]
    return sorted(found, key=lambda d: d.request.order)


def problems(content: SeasonContent) -> dict[str, list[str]]:
    return {question.__name__: question(content) for question in CONTENT_CHECKS}


def waits(sourcing: Sourcing, url: str) -> list[float]:
    """Seconds between the requests for one url."""
    times = [one.at for one in sourcing.requests if one.path + "?" + _query(one.params) == url]
    return [(b - a).total_seconds() for a, b in pairwise(times)]


def _query(params: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in params.items())


def test_y1_a_season_is_loaded_completely_and_correctly(loaded_season: Sourcing) -> None:
    status = loaded_season.status()
    assert status["state"] == "Completed"
    assert status["complete"]
    totals = {name: (tier["processed"], tier["total"]) for name, tier in status["tiers"].items()}
    assert totals["season"] == (1, 1)
    assert totals["venue"] == totals["team_season"] == (20, 20)
    pages_and_transfers = 40 + len(loaded_season.store.rows(KEY, "/transfers"))
    assert totals["player_season"] == (pages_and_transfers, pages_and_transfers)
    content = loaded_season.store.content(KEY)
    assert len(content.fixtures) == 380
    assert len(content.team_seasons) == 20
    assert len(content.player_seasons) == 20 * 30 + 10
    assert not any(problems(content).values())


def test_y9_todays_squads_are_never_requested(loaded_season: Sourcing) -> None:
    assert loaded_season.requested("/players")
    assert not loaded_season.requested("/players/squads")


def test_y1_tiers_start_in_order(loaded_season: Sourcing) -> None:
    first = {}
    for place, one in enumerate(loaded_season.requests):
        first.setdefault(one.path, place)
    order = sorted(first, key=lambda path: first[path])
    assert order == [
        *("/fixtures", "/leagues", "/teams", "/venues", "/teams/statistics"),
        *("/players", "/transfers"),
    ]


def test_y2_the_last_documents_of_each_tier_are_flagged(loaded_season: Sourcing) -> None:
    assert len(flagged_documents(loaded_season, Tier.SEASON)) == 1
    assert [d.request.parameter("id") for d in flagged_documents(loaded_season, Tier.VENUE)] == [
        VENUES[-1]
    ]
    assert len(flagged_documents(loaded_season, Tier.TEAM_SEASON)) == 1
    pages = flagged_documents(loaded_season, Tier.PLAYER_SEASON)
    assert [(d.request.path, d.request.parameter("page")) for d in pages] == [("/players", 2)] * 2


def test_y2_a_document_keeps_its_flag_through_retry_and_refresh(sourcing: Sourcing) -> None:
    query = {"id": LAST_VENUE}
    sourcing.sim.faults.fail(500, times=2, path="/venues", query=query)
    sourcing.source(tiers=FIRST_TWO)
    (retried,) = flagged_documents(sourcing, Tier.VENUE)
    assert retried.failures == 2
    assert retried.processed

    start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
    assert flagged_documents(sourcing, Tier.VENUE)[0].request == retried.request
    assert sourcing.work.run(KEY, tiers=FIRST_TWO).outcomes.keys() == {"unchanged"}
    assert flagged_documents(sourcing, Tier.VENUE)[0].request == retried.request

    changed = {"content_hash": "what was known before"}
    sourcing.store.database[HISTORY_DOCUMENTS].update_one({"notify": True}, {"$set": changed})
    start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
    assert sourcing.work.run(KEY, tiers=FIRST_TWO).outcomes["updated"] == 1
    assert flagged_documents(sourcing, Tier.VENUE)[0].request == retried.request


def test_y6_a_failing_page_is_retried_after_the_pauses_and_recovers(sourcing: Sourcing) -> None:
    query = {"team": "3905", "page": "2"}
    sourcing.sim.faults.fail(500, times=5, path="/players", query=query)
    report = sourcing.source()
    assert report.ended is Ended.COMPLETED
    assert report.failed == 5
    assert waits(sourcing, "/players?team=3905&season=2023&page=2") == [0, 0, 10, 30, 60]


def test_y6_an_unreadable_document_blocks_completeness_only(sourcing: Sourcing) -> None:
    sourcing.sim.faults.garble(times=None, path="/venues", query={"id": FIRST_VENUE})
    report = sourcing.source()
    assert report.ended is Ended.NOTHING_DUE
    status = sourcing.status()
    assert status["state"] == "WaitingForPlayerSeason"
    assert not status["complete"]
    assert status["tiers"]["venue"] | {"started_at": None} == {
        "started_at": None,
        "processed": 19,
        "failed": 1,
        "total": 20,
        "planned": True,
        "complete": False,
        "empty": False,
    }
    assert all(status["tiers"][name]["complete"] for name in ("team_season", "player_season"))
    (missing,) = status["failed_documents"]
    assert missing["url"] == f"/venues?id={FIRST_VENUE}"
    assert missing["state"] == "parked"
    assert missing["failures"] == len(RETRY_AFTER) + 1
    assert "answer: id: Field required" in missing["reason"]
    assert waits(sourcing, missing["url"]) == list(RETRY_AFTER)

    sourcing.sim.faults.clear()
    assert retry(sourcing.store, sourcing.by, KEY) == 1
    assert sourcing.work.run(KEY).ended is Ended.COMPLETED
    assert sourcing.status()["complete"]
    assert len(sourcing.requested("/teams")) == 1


class Unstorable(ApiFootball):
    """One venue's capacity does not fit into BSON; one club has too many pages."""

    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        responses = super().pages(requests, within)
        for place, (one, response) in enumerate(zip(requests, responses, strict=True)):
            assert isinstance(response, Page)
            if one.url == f"/venues?id={FIRST_VENUE}":
                response.response[0]["capacity"] = 10**20
            if one.url == "/players?team=3901&season=2023&page=1":
                responses[place] = replace(response, pages=10**9)
        return responses


def test_y6_an_unstorable_response_is_parked_and_blocks_completeness_only(
    sourcing: Sourcing,
) -> None:
    with Unstorable(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        assert sourcing.source().ended is Ended.NOTHING_DUE
    venue, page = sourcing.status()["failed_documents"]
    assert venue["state"] == page["state"] == "parked"
    assert "answer: it cannot be stored: " in venue["reason"]
    assert "answer: 1000000000 pages" in page["reason"]


def test_y5_an_unreadable_flagged_document_raises_an_alert_and_time_never_advances_the_saga(
    sourcing: Sourcing,
) -> None:
    sourcing.sim.faults.garble(times=None, path="/venues", query={"id": LAST_VENUE})
    assert sourcing.source().ended is Ended.NOTHING_DUE
    assert sourcing.status()["state"] == "WaitingForVenue"
    waited = waiting_time(require_season(sourcing.store, KEY).saga, sourcing.clock.now())
    sourcing.clock.advance(29 * 60 - waited.total_seconds())
    assert not stalled_seasons(sourcing.store, sourcing.clock.now(), sourcing.work.rules)
    sourcing.clock.advance(timedelta(days=7).total_seconds())
    alerts = stalled_seasons(sourcing.store, sourcing.clock.now(), sourcing.work.rules)
    assert [one.key for one in alerts] == [KEY]
    assert sourcing.work.run(KEY).ended is Ended.NOTHING_DUE
    assert sourcing.status()["state"] == "WaitingForVenue"
    assert not sourcing.requested("/players")


def test_y5_an_operator_starts_the_next_tier_and_it_is_recorded(sourcing: Sourcing) -> None:
    sourcing.sim.faults.garble(times=None, path="/venues", query={"id": LAST_VENUE})
    sourcing.source()
    assert advance(sourcing.store, sourcing.by, KEY).state is SagaState.WAITING_FOR_TEAM_SEASON
    sourcing.work.run(KEY, patience=10**9)
    status = sourcing.status()
    assert status["state"] == "WaitingForPlayerSeason"
    assert status["history"][2] | {"at": ""} == {
        "state": "WaitingForTeamSeason",
        "at": "",
        "because": "forced",
        "by": "me: a test",
    }
    assert status["tiers"]["player_season"]["complete"]
    entry = sourcing.store.database[AUDIT].find_one({"operation": "advance season"})
    assert entry is not None
    assert entry["outcome"] == "forced to WaitingForTeamSeason"
    with pytest.raises(BadInput, match="no further tier"):
        advance(sourcing.store, sourcing.by, KEY)


def test_y3_a_tier_starts_while_documents_of_the_one_before_are_retried(
    sourcing: Sourcing,
) -> None:
    sourcing.sim.faults.fail(500, times=4, path="/venues", query={"id": FIRST_VENUE})
    sourcing.source(patience=5)
    status = sourcing.status()
    assert status["tiers"]["venue"]["failed"] == 1
    assert status["tiers"]["player_season"]["complete"]
    assert sourcing.work.run(KEY, patience=60).ended is Ended.COMPLETED


def test_y2_a_season_without_teams_is_empty(sourcing: Sourcing) -> None:
    sourcing.sim.faults.empty(path="/teams")
    assert sourcing.source().ended is Ended.COMPLETED
    status = sourcing.status()
    assert [one["because"] for one in status["history"]] == [
        *("started", "signalled", "empty", "empty", "complete")
    ]
    assert status["tiers"]["venue"]["empty"]
    assert problems(sourcing.store.content(KEY))["clubs_are_the_leagues"]


def test_y6_a_season_unknown_to_the_provider_is_parked_with_that_reason(sourcing: Sourcing) -> None:
    unknown = replace(KEY, season=1999)
    start(sourcing.store, sourcing.clock, unknown, "a test")
    assert sourcing.work.run(unknown, patience=0).ended is Ended.NOTHING_DUE
    (parked,) = [d for d in sourcing.store.documents(unknown) if d.reason]
    assert parked.reason == "answer: the provider has no season 1999 of league 39"
    assert parked.failures == len(sourcing.requested("/leagues")) == 3


def test_y7_a_second_start_returns_the_running_one(
    sourcing: Sourcing, loaded_season: Sourcing
) -> None:
    first = start(sourcing.store, sourcing.clock, KEY, "me")
    sourcing.clock.advance(60)
    again = start(sourcing.store, sourcing.clock, KEY, "you")
    assert again == first
    assert again.started_by == "me"
    done = start(loaded_season.store, loaded_season.clock, KEY, "you")
    assert done.saga.state is SagaState.COMPLETED


def test_y7_state_is_rebuilt_from_the_documents(sourcing: Sourcing) -> None:
    stop_after = iter(range(100))
    sourcing.source(stopped=lambda: next(stop_after) == 8)
    before = require_season(sourcing.store, KEY)
    assert before.saga.state is SagaState.WAITING_FOR_TEAM_SEASON
    sourcing.store.database[HISTORY].delete_one({"_id": str(KEY)})
    requests = len(sourcing.requests)
    start(sourcing.store, sourcing.clock, KEY, "after the loss")
    after = sourcing.work.recompute_state(KEY)
    assert after.saga.state is before.saga.state
    assert after.saga.entered == before.saga.entered
    assert after.tallies == before.tallies
    assert len(sourcing.requests) == requests


def test_y7_one_worker_at_a_time(sourcing: Sourcing) -> None:
    start(sourcing.store, sourcing.clock, KEY, "me")
    with sourcing.work.leases.hold(lease_name(KEY)), pytest.raises(Busy):
        sourcing.work.run(KEY)


def test_y5_a_season_can_be_forgotten_unless_a_process_works_on_it(
    sourcing: Sourcing,
) -> None:
    sourcing.source(tiers=[Tier.SEASON])
    with sourcing.work.leases.hold(lease_name(KEY)), pytest.raises(Busy):
        forget(sourcing.store, sourcing.by, KEY)
    known = len(sourcing.store.documents(KEY))
    assert forget(sourcing.store, sourcing.by, KEY) == known > 0
    assert not sourcing.store.documents(KEY)
    with pytest.raises(NotFound):
        sourcing.status()


def test_y7_a_season_that_was_never_started_is_not_found(sourcing: Sourcing) -> None:
    with pytest.raises(NotFound, match="39:2023 was never started"):
        sourcing.status()


def test_y11_the_backfill_of_a_running_season_requests_the_days_already_played(
    sourcing: Sourcing,
) -> None:
    sourcing.source(tiers=[Tier.SEASON])
    sourcing.clock.at = datetime(2023, 12, 1, tzinfo=UTC)
    days = backfill(sourcing.store, sourcing.by, KEY)
    assert days
    assert max(days) <= "2023-12-01"
    sourcing.clock.at = datetime(2023, 7, 1, tzinfo=UTC)
    with pytest.raises(BadInput, match="has no matchday to backfill"):
        backfill(sourcing.store, sourcing.by, KEY)


def test_y10_processed_documents_are_not_fetched_again(sourcing: Sourcing) -> None:
    stop_after = iter(range(100))
    sourcing.source(stopped=lambda: next(stop_after) == 9)
    sourcing.source()
    urls = [(one.path, _query(one.params)) for one in sourcing.requests]
    assert len(urls) == len(set(urls)) == sourcing.status()["documents"]
    sourcing.source()
    assert len(sourcing.requests) == len(urls)


def test_y10_ten_interrupted_seasons_fetch_nothing_twice(
    sourcing: Sourcing,
) -> None:
    """First tiers only, for speed; the same code runs for all tiers."""
    rng = Random(10)
    ten = [LeagueSeason(league, season) for league in (39, 140) for season in range(2020, 2025)]
    for _ in range(2):
        for key in ten:
            stop_after = iter(range(100))
            halt = rng.randint(0, 2)
            sourcing.source(
                key=key,
                tiers=[Tier.SEASON],
                stopped=lambda stop_after=stop_after, halt=halt: next(stop_after) == halt,
            )
    for key in ten:
        sourcing.source(key=key, tiers=[Tier.SEASON])
    urls = [(one.path, _query(one.params)) for one in sourcing.requests]
    assert len(urls) == len(set(urls)) == 2 * len(ten)


def test_y10_a_refresh_fetches_everything_and_keeps_unchanged_content(sourcing: Sourcing) -> None:
    sourcing.source()
    documents = sourcing.store.database[HISTORY_DOCUMENTS]
    before = {d["_id"]: d["rows"] for d in documents.find()}
    start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
    assert sourcing.status()["state"] == "WaitingForPlayerSeason"
    report = sourcing.work.run(KEY)
    assert report.ended is Ended.COMPLETED
    assert report.outcomes == {"unchanged": len(before)}
    assert {d["_id"]: d["rows"] for d in documents.find()} == before


class OnePageMore(ApiFootball):
    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        responses = super().pages(requests, within)
        return [
            replace(response, pages=3)
            if isinstance(response, Page) and "/players?team=3901&" in one.url
            else response
            for one, response in zip(requests, responses, strict=True)
        ]


def test_y10_a_refresh_stores_new_page_counts_and_rows_of_an_unchanged_response(
    sourcing: Sourcing,
) -> None:
    sourcing.source()
    documents = sourcing.store.database[HISTORY_DOCUMENTS]
    venues = sourcing.store.rows(KEY, "/venues")
    documents.update_many({"path": "/venues"}, {"$unset": {"rows.0.capacity": 1}})
    start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
    with OnePageMore(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        report = sourcing.source()
    assert report.ended is Ended.COMPLETED
    assert report.outcomes.keys() == {"unchanged", "new"}
    assert sourcing.store.rows(KEY, "/venues") == venues
    assert [one for one in sourcing.requested("/players") if one["page"] == "3"] == [
        {"team": "3901", "season": "2023", "page": "3"}
    ]


def test_y10_a_refresh_as_the_season_completes_is_not_lost(
    sourcing: Sourcing, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, requests_before = HistoryStore.save, []

    def save(store: HistoryStore, before: SeasonRecord, after: SeasonRecord) -> bool:
        if after.saga.state is SagaState.COMPLETED and not requests_before:
            requests_before.append(len(sourcing.requests))
            start(store, sourcing.clock, KEY, "somebody else", refresh=True)
        return undisturbed(store, before, after)

    monkeypatch.setattr(HistoryStore, "save", save)
    assert sourcing.source().ended is Ended.COMPLETED
    assert len(sourcing.requests) == 2 * requests_before[0]


def test_y6_a_failed_refresh_of_the_team_list_blocks_completeness(
    sourcing: Sourcing,
) -> None:
    sourcing.source()
    sourcing.sim.faults.fail(500, times=None, path="/teams")
    start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
    assert sourcing.source().ended is Ended.NOTHING_DUE
    assert [one["url"] for one in sourcing.status()["failed_documents"]] == [
        "/teams?league=39&season=2023"
    ]
    sourcing.sim.faults.clear()
    retry(sourcing.store, sourcing.by, KEY)
    assert sourcing.source().ended is Ended.COMPLETED


def test_y10_the_live_pipeline_keeps_its_half_of_every_minute(sourcing: Sourcing) -> None:
    sourcing.sim.quota = Quota(per_day=10_000, per_minute=40)
    sourcing.source()
    assert sourcing.status()["complete"]
    minutes: dict[str, int] = {}
    for one in sourcing.requests:
        minutes[f"{one.at:%H:%M}"] = minutes.get(f"{one.at:%H:%M}", 0) + 1
    assert len(minutes) >= 4
    assert max(minutes.values()) <= 20


def test_y10_the_days_share_is_not_exceeded_and_the_rest_is_loaded_later(
    sourcing: Sourcing,
) -> None:
    # Half of so small a plan, and the reserve, is kept for the live pipeline until late in the day.
    sourcing.sim.quota = Quota(per_day=80, per_minute=1_000)
    report = sourcing.source(patience=600)
    assert report.ended is Ended.WAITING
    assert 34 <= len(sourcing.requests) <= 38
    resume = require_season(sourcing.store, KEY).resume_at
    assert resume is not None
    assert resume > sourcing.clock.now() + timedelta(minutes=10)
    assert sourcing.source().ended is Ended.COMPLETED
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def test_y10_a_rate_limit_response_costs_no_try(sourcing: Sourcing) -> None:
    sourcing.sim.faults.fail(429, times=3, path="/venues")
    assert sourcing.source().ended is Ended.COMPLETED
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def most_in_a_minute(sourcing: Sourcing) -> int:
    return max(Counter(f"{one.at:%H:%M}" for one in sourcing.requests).values())


class Silent(ApiFootball):
    """A provider, or a proxy, that sends no limit headers."""

    def _read_quota(self, headers: httpx.Headers, readings_before: int) -> None:
        pass


def test_y10_a_rate_limit_without_figures_pauses_requests_until_the_next_minute(
    sourcing: Sourcing,
) -> None:
    sourcing.sim.faults.fail(429, times=None)
    turns = iter(range(1_000))
    with Silent(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        sourcing.source(stopped=lambda: next(turns) >= 50)
    assert len(sourcing.requests) > 2
    assert most_in_a_minute(sourcing) == 1
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def test_y10_a_provider_without_limit_headers_gets_requests_slowly(sourcing: Sourcing) -> None:
    with Silent(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        assert sourcing.source(tiers=FIRST_TWO).ended is Ended.NOTHING_DUE
    assert len(sourcing.requests) == 23
    assert most_in_a_minute(sourcing) <= 5


def test_y10_a_wrong_key_stops_the_work_and_parks_nothing(sourcing: Sourcing) -> None:
    sourcing.sim.faults.errors({"token": "wrong key"}, times=None)
    with pytest.raises(ProviderRefused):
        sourcing.source()
    assert not any(d.failures for d in sourcing.store.documents(KEY))
    sourcing.sim.faults.clear()
    assert sourcing.source().ended is Ended.COMPLETED


def test_y9_an_endpoint_that_ignores_the_season_is_caught_by_the_content(
    sourcing: Sourcing,
) -> None:
    """The endpoint returns today's squads and figures, labelled with the requested season."""
    sourcing.sim.faults.today(times=None, path="/players")
    assert sourcing.source().ended is Ended.COMPLETED
    found = problems(sourcing.store.content(KEY))
    assert len(found["figures_agree"]) >= 5


def test_y9_the_same_squad_under_two_seasons_is_caught_team_by_team(sourcing: Sourcing) -> None:
    """One team of each season: its goals may add up by chance, its figures cannot repeat."""
    query = {"team": "3902"}
    sourcing.sim.faults.today(times=None, path="/players", query=query)
    sourcing.source()
    sourcing.source(key=replace(KEY, season=2022))
    found = problems(sourcing.store.content(KEY))
    assert [text.partition(":")[0] for text in found["unlike_other_seasons"]] == ["team 3902"]


def test_y9_players_of_another_season_are_refused_by_the_parser() -> None:
    """The same with its real label: the response does not match the request."""
    page, _ = players(3901, 2024, 1)
    query = (("team", 3901), ("season", 2023), ("page", 1))
    with pytest.raises(
        ProviderAnswerInvalid, match="no statistics of team 3901 in 2023, only of 3901"
    ):
        parse_rows(DocumentRequest(Tier.PLAYER_SEASON, 0, "/players", query), KEY, page)
