"""The labels of metrics are closed sets, whatever the database holds."""

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pymongo.database import Database

from footy_assets.clips.metrics import ClipMetrics
from footy_assets.clips.rules.reasons import REASONS
from footy_assets.search.metrics import SearchMetrics
from footy_assets.search.rules.attempts import APART, AttemptOutcome
from footy_assets.search.rules.failures import FAILURE_KINDS
from footy_assets.search.store.searches import SearchStore
from footy_assets.store.collections import ATTEMPTS, VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal


def served(database: Database[Document], metric: str) -> dict[tuple[str, ...], float]:
    registry = CollectorRegistry()
    registry.register(SearchMetrics(database))
    registry.register(ClipMetrics(database))
    text = generate_latest(registry).decode()
    return {
        tuple(sample.labels[name] for name in sorted(sample.labels, reverse=True)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == metric
    }


@pytest.fixture
def unknown(database: Database[Document]) -> Database[Document]:
    texts = [f'x: "{n}" at https://a.test/{n}' for n in range(30)]
    database[ATTEMPTS].insert_many(
        {"outcome": text, "failure": text, "failure_kinds": {f"site {n}": text}}
        for n, text in enumerate(texts)
    )
    database[ATTEMPTS].insert_many([{"number": 1}, {"outcome": AttemptOutcome.FOUND_NOTHING}])
    database[VIDEOS].insert_many({"state": "refused", "reason": text} for text in texts)
    return database


def test_texts_never_become_labels(unknown: Database[Document]) -> None:
    outcomes = served(unknown, "footy_search_attempts_total")
    assert outcomes == {("found nothing",): 1, ("other",): 30}
    assert served(unknown, "footy_site_search_failures_total") == {("other", "other"): 30}
    assert served(unknown, "footy_videos_without_clip") == {("other",): 30}


def test_failures_are_counted_by_site_and_kind(database: Database[Document]) -> None:
    put_goal(database)
    searches = SearchStore(database)
    searches.open_searches()
    attempt = searches.claim(GOAL.key, STABLE)
    assert attempt is not None
    kinds = {"x": "LoginLost", "bluesky": "SiteUnavailable", "attempt": "KeyError"}
    searches.record_failure(attempt, STABLE, APART, "x: the login has ended; …", kinds)
    assert served(database, "footy_site_search_failures_total") == {
        ("bluesky", "SiteUnavailable"): 1,
        ("other", "other"): 1,
        ("x", "LoginLost"): 1,
    }
    assert served(database, "footy_search_attempts_total") == {("failed",): 1}


def test_the_sets_of_labels_are_small() -> None:
    assert len(REASONS) < 60
    assert len(FAILURE_KINDS) < 12
