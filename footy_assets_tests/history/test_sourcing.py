"""Y1–Y3, Y7, Y9: a whole season from HTTP into MongoDB, tier by tier."""

from dataclasses import replace

import pytest

from footy_assets.errors import Busy, NotFound, ProviderAnswerInvalid
from footy_assets.history.progress import require_season
from footy_assets.history.rules.content import CONTENT_CHECKS, SeasonContent
from footy_assets.history.rules.documents import DocumentRequest, SourcedDocument
from footy_assets.history.rules.parse import parse_rows
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.sourcing import Ended
from footy_assets.history.start import lease_name, start
from footy_assets.sim.season_responses import players
from footy_assets.store.collections import HISTORY, HISTORY_DOCUMENTS
from footy_assets_tests.history.conftest import (
    FIRST_TWO,
    FIRST_VENUE,
    KEY,
    LAST_VENUE,
    VENUES,
    Sourcing,
)

pytestmark = pytest.mark.slow


def flagged_documents(sourcing: Sourcing, tier: Tier) -> list[SourcedDocument]:
    found = [d for d in sourcing.store.documents(KEY) if d.request.tier is tier and d.notify]
    return sorted(found, key=lambda d: d.request.order)


def problems(content: SeasonContent) -> dict[str, list[str]]:
    return {question.__name__: question(content) for question in CONTENT_CHECKS}


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


def test_y7_a_season_that_was_never_started_is_not_found(sourcing: Sourcing) -> None:
    with pytest.raises(NotFound, match="39:2023 was never started"):
        sourcing.status()


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
