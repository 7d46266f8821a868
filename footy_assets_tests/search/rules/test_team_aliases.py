"""SE3: the words that fans use for a team."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.search.rules.team_aliases import (
    AliasKind,
    AliasWord,
    alias_candidates,
    best_of_each_kind,
    validate_choice,
    words_of_name,
)
from footy_assets.search.rules.team_facts import TeamFacts, TeamProfile, Text, WikiItem
from footy_assets.search.rules.team_names import core_words, tokens
from footy_assets_tests.search.rules.known_teams import (
    ATLETICO,
    BELGIAN_TEAM,
    LIVERPOOL,
    MANCHESTER_UNITED,
)


def words(facts: TeamFacts) -> list[str]:
    return [alias.word for alias in best_of_each_kind(alias_candidates(facts))]


def test_se3_manchester_united() -> None:
    assert words(MANCHESTER_UNITED) == ["MUFC", "Utd", "Devils", "Manchester", "United"]


def test_se3_liverpool() -> None:
    assert words(LIVERPOOL) == ["LFC", "Reds", "Anfield", "Liverpool"]


def test_se3_atletico() -> None:
    found = words(ATLETICO)
    assert {"ATM", "Atletico", "Atleti", "Madrid"} <= set(found)
    assert found[0] == "ATM"
    assert "Colchoneros" in found
    assert not {"Club", "de", "SAD"} & set(found)


def test_se3_belgium_gets_its_adjectives_and_native_names() -> None:
    found = words(BELGIAN_TEAM)
    assert {"Belgium", "Belgian", "Belgique", "BEL", "Devils"} <= set(found)
    assert "King" not in found


def test_se3_no_adjectives_for_a_club() -> None:
    club = replace(LIVERPOOL, country=BELGIAN_TEAM.country)
    assert not {"Belgian", "Belgique"} & set(words(club))


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("Manchester United", ["Manchester", "United"]),
        ("FC Bayern München", ["Bayern", "Munchen"]),
        ("Schalke 04", ["Schalke"]),
        ("1899 Hoffenheim", ["Hoffenheim"]),
        ("Club Atlético de Madrid", ["Atletico", "Madrid"]),
        ("Paris Saint-Germain", ["Paris", "Saint", "Germain"]),
        ("A.S. Roma", ["Roma"]),
        ("Red Star Belgrade", ["Star", "Belgrade"]),
        ("Arsenal W", ["Arsenal"]),
        ("FC", ["FC"]),
        ("AFC", ["AFC"]),
        ("Red", ["Red"]),
        ("Зенит", ["Зенит"]),
        ("", []),
    ],
)
def test_se3_without_facts_the_names_own_words(name: str, own: list[str]) -> None:
    assert [alias.word for alias in words_of_name(name)] == own
    assert words(TeamFacts(TeamProfile(1, name))) == own


def test_se3_junk_is_not_an_alias() -> None:
    aliases = ("The Team", "F.C.", "Man", "Red", "Club", "1892", "ФК", "AFC", "La Roja", "of", "AB")
    item = WikiItem("Q1", "Holt Town F.C.", "association football club", aliases)
    assert words(TeamFacts(TeamProfile(1, "Holt Town"), item)) == ["Holt", "Town"]


def test_se3_a_clubs_code_counts_only_where_wikidata_knows_it() -> None:
    assert "MUN" not in words(MANCHESTER_UNITED)
    assert "ATM" in words(ATLETICO)
    assert "BEL" in words(TeamFacts(BELGIAN_TEAM.profile)), "a country's code is a hashtag"


def test_se3_a_former_name_is_not_a_nickname() -> None:
    assert not {"Newton", "Heath", "LYR"} & {a.word for a in alias_candidates(MANCHESTER_UNITED)}


def test_se3_a_venue_of_two_words_is_none() -> None:
    assert "Trafford" not in words(MANCHESTER_UNITED)


def test_se3_nicknames_of_other_languages_do_not_count() -> None:
    assert "Roten" not in words(LIVERPOOL)


def test_se3_the_most_frequent_nickname_comes_first() -> None:
    nicknames = (Text("en", "The Hoops"), Text("en", "The Bhoys"), Text("mul", "Bhoys"))
    item = WikiItem("Q1", "Celtic F.C.", "", (), texts={"P1449": nicknames})
    found = alias_candidates(TeamFacts(TeamProfile(1, "Celtic"), item))
    assert [a.word for a in found if a.kind is AliasKind.NICKNAME] == ["Bhoys", "Hoops"]


OFFERED = (AliasWord("MUFC", AliasKind.ABBREVIATION), AliasWord("United", AliasKind.NAME))


def test_se3_a_models_choice_is_taken_in_its_order_and_our_spelling() -> None:
    assert validate_choice(OFFERED, ["united", "MUFC", "mufc"]) == (OFFERED[1], OFFERED[0])


@pytest.mark.parametrize("choice", [[], ["City"], ["MUFC", "City"], [""]])
def test_se3_a_choice_of_words_that_were_not_offered_is_invalid(choice: list[str]) -> None:
    assert validate_choice(OFFERED, choice) is None


def test_initials_are_one_token() -> None:
    assert tokens("A.F.C. Bournemouth") == ["AFC", "Bournemouth"]
    assert core_words("A.S. Roma") == core_words("Roma") == ("roma",)


TEXTS = st.text(max_size=30)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=4), st.booleans())
def test_se3_any_facts_give_clean_words_and_always_the_same(
    name: str, label: str, aliases: list[str], nicknames: list[str], national: bool
) -> None:
    texts = tuple(Text("en", text) for text in nicknames)
    item = WikiItem(
        "Q1", label, "", tuple(aliases), texts={"P1449": texts, "P1813": texts, "P1549": texts}
    )
    facts = TeamFacts(TeamProfile(1, name, "ABC", national), item, item, item)
    found = alias_candidates(facts)
    assert found == alias_candidates(facts)
    for alias in found:
        assert alias.word.strip()
        if alias.kind is not AliasKind.NAME:
            assert len(alias.word) >= 3
            assert alias.word.isascii()
            assert " " not in alias.word
    assert len({alias.word.lower() for alias in found}) == len(found)
