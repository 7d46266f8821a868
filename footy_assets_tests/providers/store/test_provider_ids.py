"""L1: the ids of providers for what has a number of ours."""

from pymongo.database import Database

from footy_assets.providers.rules.identify import ListedMatch, UnsureMapping
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind, OurIds
from footy_assets.providers.store.provider_ids import ProviderIds
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.store.collections import Document
from footy_assets_tests.providers.reports import NOON


def test_l1_a_match_has_the_ids_of_all_providers_that_report_it(
    database: Database[Document],
) -> None:
    records, ids = ProviderRecords(database), ProviderIds(database)
    ours = OurIds(database, "espn").of(Kind.MATCH, ["760415"])["760415"]
    records.save_mapping("second", "a1", ours, NOON)
    records.save_mapping("espn", "9", 5000, NOON)
    assert ids.of_matches([ours, 5000, FIRST_OF_OURS + 99]) == {
        ours: {"espn": "760415", "second": "a1"},
        5000: {"api_football": "5000", "espn": "9"},
        FIRST_OF_OURS + 99: {},
    }


def test_l1_a_provider_s_id_is_found_if_its_match_is_known(database: Database[Document]) -> None:
    records, ids = ProviderRecords(database), ProviderIds(database)
    ours = OurIds(database, "espn").of(Kind.MATCH, ["760415"])["760415"]
    assert ids.match("espn", "760415") == ours
    # The mapping counts: a number that was given before it is not used.
    records.save_mapping("espn", "760415", 5000, NOON)
    assert ids.match("espn", "760415") == 5000
    assert ids.match("espn", "1") is None
    assert ids.match("api_football", "5000") == 5000
    records.save_mapping("api_football", "5001", ours, NOON)
    assert ids.match("api_football", "5001") == ours
    for wrong in ("0", "x", "9" * 19, "9" * 30):
        assert ids.match("api_football", wrong) is None


def test_l1_an_unsure_mapping_is_no_id(database: Database[Document]) -> None:
    theirs = ListedMatch("7", NOON, "Man City", "Chelsea", None)
    unsure = UnsureMapping(theirs, ("5000",), "similar")
    ProviderRecords(database).save_unsure_mapping("espn", unsure, NOON)
    assert ProviderIds(database).match("espn", "7") is None


def test_l1_teams_have_their_ids_too(database: Database[Document]) -> None:
    OurIds(database, "espn").set(Kind.TEAM, {"364": 40})
    assert ProviderIds(database).of_teams([40]) == {40: {"api_football": "40", "espn": "364"}}
