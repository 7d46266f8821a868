"""L1: the numbers that we give to what a provider names by its own ids."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pymongo.database import Database

from footy_assets.providers.store.our_ids import COUNTER, FIRST_OF_OURS, Kind, OurIds
from footy_assets.store.collections import PROVIDER_IDS, Document

pytestmark = pytest.mark.usefixtures("database")


def test_L1_a_number_stays_and_is_far_above_those_of_api_football(
    database: Database[Document],
) -> None:
    first = OurIds(database, "espn").of(Kind.TEAM, ["359", "364"])
    assert min(first.values()) >= FIRST_OF_OURS
    assert len(set(first.values())) == 2
    assert OurIds(database, "espn").of(Kind.TEAM, ["364", "359"]) == first
    assert OurIds(database, "espn").theirs(Kind.TEAM, first.values()) == {
        number: theirs for theirs, number in first.items()
    }


def test_L1_kinds_and_providers_do_not_share_ids(database: Database[Document]) -> None:
    numbers = {
        OurIds(database, domain).of(kind, ["1"])["1"]
        for domain in ("espn", "other")
        for kind in Kind
    }
    assert len(numbers) == 2 * len(Kind)


def test_L1_the_numbers_of_api_football_are_ours(database: Database[Document]) -> None:
    ids = OurIds(database, "api_football")
    assert ids.of(Kind.PLAYER, ["234"]) == {"234": 234}
    assert ids.theirs(Kind.PLAYER, [234, FIRST_OF_OURS]) == {234: "234"}


def test_L1_what_another_provider_found_keeps_its_number(database: Database[Document]) -> None:
    ids = OurIds(database, "espn")
    ids.set(Kind.TEAM, {"359": 42})
    assert ids.of(Kind.TEAM, ["359"]) == {"359": 42}
    ids.set(Kind.TEAM, {"359": 43})
    assert OurIds(database, "espn").of(Kind.TEAM, ["359"]) == {"359": 42}
    assert ids.of(Kind.LEAGUE, ["eng.1", "xyz.1"], {"eng.1": 39})["eng.1"] == 39


def test_L1_processes_that_meet_a_team_at_once_give_it_one_number(
    database: Database[Document],
) -> None:
    wanted = [str(n) for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: OurIds(database, "espn").of(Kind.TEAM, wanted), range(8)))
    assert all(one == found[0] for one in found)
    assert len(set(found[0].values())) == 20


def test_L1_an_emptied_database_is_not_given_the_numbers_of_before(
    database: Database[Document],
) -> None:
    OurIds(database, "espn").of(Kind.TEAM, ["359", "364"])
    OurIds(database, "espn").of(Kind.TEAM, ["359", "364"])
    database[PROVIDER_IDS].delete_many({})
    again = OurIds(database, "espn").of(Kind.TEAM, ["364"])
    assert again == {"364": FIRST_OF_OURS}
    assert OurIds(database, "espn").theirs(Kind.TEAM, again.values()) == {FIRST_OF_OURS: "364"}


def test_L1_an_older_backup_is_not_given_the_numbers_of_later(
    database: Database[Document],
) -> None:
    ids = database[PROVIDER_IDS]
    OurIds(database, "espn").of(Kind.TEAM, ["359"])
    backup = list(ids.find())
    OurIds(database, "espn").of(Kind.TEAM, ["364"])
    OurIds(database, "espn").of(Kind.TEAM, ["364"])
    ids.delete_many({})
    ids.insert_many(backup)
    OurIds(database, "espn").of(Kind.TEAM, ["364"])
    assert ids.find_one({"_id": "espn:team:364"}) is not None


def test_L1_numbers_of_a_former_version_stay(database: Database[Document]) -> None:
    first = OurIds(database, "espn").of(Kind.TEAM, ["359"])
    database[PROVIDER_IDS].update_one({"_id": COUNTER}, {"$unset": {"generation": ""}})
    for _ in range(2):
        found = OurIds(database, "espn").of(Kind.TEAM, ["359", "364"])
        assert found == {**first, "364": FIRST_OF_OURS + 1}


def test_L1_known_numbers_are_not_read_again(database: Database[Document]) -> None:
    theirs = [str(n) for n in range(300)]
    first = OurIds(database, "espn").of(Kind.PLAYER, theirs)
    OurIds(database, "espn").of(Kind.PLAYER, theirs)
    # Out of the way, but the same generation: only what the process knows can answer.
    database[PROVIDER_IDS].delete_many({"_id": {"$ne": COUNTER}})
    assert OurIds(database, "espn").of(Kind.PLAYER, theirs) == first
