"""S3: what is kept of a team's words when several find out at once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.store.team_aliases import Provenance, TeamAliasStore, TeamWords

NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
GOOD = TeamWords(
    33,
    "Manchester United",
    ("MUFC", "United"),
    Provenance.WIKIDATA,
    NOON,
    NOON + timedelta(days=30),
    {"item": "Q18656"},
)
FALLBACK = replace(
    GOOD,
    words=("Manchester", "United"),
    provenance=Provenance.FALLBACK,
    resolved_at=NOON + timedelta(minutes=1),
    expires_at=NOON + timedelta(hours=1),
    facts={},
    problems=("wikidata: down",),
)


@pytest.fixture
def store(database: Database[Document]) -> TeamAliasStore:
    return TeamAliasStore(database)


def test_s3_what_was_put_is_read(store: TeamAliasStore) -> None:
    assert store.get(33) is None
    assert store.put(GOOD)
    assert store.get(33) == GOOD
    assert store.known([33, 40]) == {33: GOOD}
    assert store.all() == [GOOD]


def test_s3_a_fallback_never_takes_the_place_of_what_was_found_out(store: TeamAliasStore) -> None:
    store.put(GOOD)
    assert not store.put(FALLBACK)
    assert store.get(33) == GOOD


def test_s3_what_was_found_out_takes_the_place_of_a_fallback_even_a_later_one(
    store: TeamAliasStore,
) -> None:
    assert store.put(FALLBACK)
    assert store.put(GOOD)
    assert store.get(33) == GOOD


def test_s3_of_two_the_later_stays(store: TeamAliasStore) -> None:
    later = replace(GOOD, words=("MUFC",), resolved_at=NOON + timedelta(seconds=1))
    store.put(later)
    assert not store.put(GOOD)
    assert store.get(33) == later


def test_s3_stale_words_serve_on_unless_someone_found_out_anew(store: TeamAliasStore) -> None:
    store.put(GOOD)
    until = GOOD.expires_at + timedelta(hours=1)
    store.serve_until(GOOD, until, ["wikidata: down"])
    assert store.get(33) == replace(GOOD, expires_at=until, problems=("wikidata: down",))
    anew = replace(GOOD, resolved_at=NOON + timedelta(days=31))
    store.put(anew)
    store.serve_until(GOOD, until + timedelta(days=99), ["x"])
    assert store.get(33) == anew
