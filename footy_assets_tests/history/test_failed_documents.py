"""Y5, Y6: documents that fail are retried, then parked, and block completeness only."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from footy_assets.errors import ProviderError
from footy_assets.history.operator_actions import retry
from footy_assets.history.progress import require_season, stalled_seasons, waiting_time
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.history.rules.limits import RETRY_AFTER
from footy_assets.history.sourcing import Ended
from footy_assets.history.start import start
from footy_assets_tests.history.conftest import FIRST_VENUE, KEY, LAST_VENUE, Sourcing, query_string
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow


def waits(sourcing: Sourcing, url: str) -> list[float]:
    """Seconds between the requests for one url."""
    times = [
        one.at for one in sourcing.requests if one.path + "?" + query_string(one.params) == url
    ]
    return [(b - a).total_seconds() for a, b in pairwise(times)]


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
        "completed_at": None,
        "processed": 19,
        "failed": 1,
        "total": 20,
        "planned": True,
        "complete": False,
        "empty": False,
        "signals": 1,
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


def test_y6_a_season_unknown_to_the_provider_is_parked_with_that_reason(sourcing: Sourcing) -> None:
    unknown = replace(KEY, season=1999)
    start(sourcing.store, sourcing.clock, unknown, "a test")
    assert sourcing.work.run(unknown, patience=0).ended is Ended.NOTHING_DUE
    (parked,) = [d for d in sourcing.store.documents(unknown) if d.reason]
    assert parked.reason == "answer: the provider has no season 1999 of league 39"
    assert parked.failures == len(sourcing.requested("/leagues")) == 3


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
