"""SE3: which aliases are kept when several processes resolve a team at once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pymongo.database import Database

from footy_assets.search.store.team_aliases import AliasProvenance, ResolvedAliases, TeamAliasStore
from footy_assets.store.collections import TEAM_ALIASES, Document
from footy_assets_tests.store.stored import assert_stored

NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)
GOOD = ResolvedAliases(
    33,
    "Manchester United",
    ("MUFC", "United"),
    AliasProvenance.WIKIDATA,
    NOON,
    NOON + timedelta(days=30),
    {"item": "Q18656"},
)
FALLBACK = replace(
    GOOD,
    words=("Manchester", "United"),
    provenance=AliasProvenance.FALLBACK,
    resolved_at=NOON + timedelta(minutes=1),
    expires_at=NOON + timedelta(hours=1),
    facts={},
    problems=("wikidata: down",),
)


@pytest.fixture
def store(database: Database[Document]) -> TeamAliasStore:
    return TeamAliasStore(database)


def test_se3_stored_aliases_are_read_back(store: TeamAliasStore) -> None:
    assert store.get(33) is None
    assert store.put(GOOD)
    assert store.get(33) == GOOD
    assert store.known([33, 40]) == {33: GOOD}
    assert store.all() == [GOOD]


def test_se3_a_fallback_never_replaces_resolved_aliases(store: TeamAliasStore) -> None:
    store.put(GOOD)
    assert not store.put(FALLBACK)
    assert store.get(33) == GOOD


def test_se3_resolved_aliases_replace_a_fallback_even_a_later_one(
    store: TeamAliasStore,
) -> None:
    assert store.put(FALLBACK)
    assert store.put(GOOD)
    assert store.get(33) == GOOD


def test_se3_of_two_the_later_stays(store: TeamAliasStore) -> None:
    later = replace(GOOD, words=("MUFC",), resolved_at=NOON + timedelta(seconds=1))
    store.put(later)
    assert not store.put(GOOD)
    assert store.get(33) == later


def test_se3_expired_aliases_are_extended_unless_resolved_again(store: TeamAliasStore) -> None:
    store.put(GOOD)
    until = GOOD.expires_at + timedelta(hours=1)
    store.extend(GOOD, until, ["wikidata: down"])
    assert store.get(33) == replace(GOOD, expires_at=until, problems=("wikidata: down",))
    anew = replace(GOOD, resolved_at=NOON + timedelta(days=31))
    store.put(anew)
    store.extend(GOOD, until + timedelta(days=99), ["x"])
    assert store.get(33) == anew


def test_a_teams_aliases_are_stored_like_this(
    store: TeamAliasStore, database: Database[Document]
) -> None:
    store.put(replace(GOOD, problems=("espn: down",)))
    expected = {
        "_id": 33,
        "expires_at": NOON + timedelta(days=30),
        "facts": {"item": "Q18656"},
        "name": "Manchester United",
        "problems": ["espn: down"],
        "provenance": "wikidata",
        "resolved_at": NOON,
        "words": ["MUFC", "United"],
    }
    assert_stored(database[TEAM_ALIASES], expected)
