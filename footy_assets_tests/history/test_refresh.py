"""Y10: nothing is fetched twice, unless a refresh is requested."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from footy_assets.errors import ProviderError
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.sourcing import Ended
from footy_assets.history.start import start
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import HISTORY_DOCUMENTS
from footy_assets_tests.history.conftest import KEY, Sourcing, query_string
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow


def test_y10_processed_documents_are_not_fetched_again(sourcing: Sourcing) -> None:
    stop_after = iter(range(100))
    sourcing.source(stopped=lambda: next(stop_after) == 9)
    sourcing.source()
    urls = [(one.path, query_string(one.params)) for one in sourcing.requests]
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
    urls = [(one.path, query_string(one.params)) for one in sourcing.requests]
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
