"""The stored details of matches."""

import pytest
from pymongo.database import Database

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.adapter import MatchDetails
from footy_assets.providers.rules.details_due import KnownDetails
from footy_assets.providers.rules.match import GoalClaim, PersonClaim
from footy_assets.providers.store.details import DetailsStore
from footy_assets.store.collections import Document

pytestmark = pytest.mark.usefixtures("database")


def known(assist: str) -> KnownDetails:
    goal = GoalClaim(
        "home", MatchMinute(45, 2), "Normal Goal", "Saka", "7", PersonClaim("8", assist)
    )
    return KnownDetails(MatchDetails(goals=(goal,)), goals=(goal,), looks=1)


def test_details_are_read_as_saved(database: Database[Document]) -> None:
    store = DetailsStore(database, "espn")
    store.save({5000: known("Ødegaard")})
    store.save({5001: known("Rice")})
    DetailsStore(database, "other").save({5000: known("Timber")})
    for _ in range(2):
        assert store.of([5000, 5001, 5002]) == {5000: known("Ødegaard"), 5001: known("Rice")}


def test_changed_details_are_read_anew_and_deleted_ones_are_gone(
    database: Database[Document],
) -> None:
    store = DetailsStore(database, "espn")
    store.save({5000: known("Ødegaard")})
    assert store.of([5000]) == {5000: known("Ødegaard")}
    store.save({5000: known("Rice")})
    assert DetailsStore(database, "espn").of([5000]) == {5000: known("Rice")}
    database["provider_details"].delete_many({})
    assert store.of([5000]) == {}
