"""SE3: the right item of Wikidata, or none."""

from dataclasses import replace

import pytest

from footy_assets.search.rules.team_entity import (
    Squad,
    choose_item,
    may_be_team,
    search_phrases,
    squad_of,
)
from footy_assets.search.rules.team_facts import Hit, TeamProfile, WikiItem
from footy_assets_tests.search.rules.known_teams import (
    ATLETICO,
    BELGIAN_TEAM,
    BELGIUM,
    LIVERPOOL,
    MANCHESTER_UNITED,
    SPAIN,
    UNITED_KINGDOM,
)

URUGUAY = WikiItem("Q77", "Uruguay", "country in South America")
LINKED = {item.id: item for item in (UNITED_KINGDOM, SPAIN, BELGIUM, URUGUAY)}
FOOTBALL_CLUB = {"P31": ("Q476028",), "P641": ("Q2736",)}


def club(id: str, label: str, description: str, country: str = "Q145", **more: object) -> WikiItem:
    links = FOOTBALL_CLUB | {"P17": (country,)}
    return replace(WikiItem(id, label, description, links=links), **more)  # type: ignore[arg-type]


LIVERPOOL_ITEM = LIVERPOOL.item
assert LIVERPOOL_ITEM is not None
CITY = WikiItem("Q24826", "Liverpool", "city in Merseyside, England", links={"P17": ("Q145",)})
WOMEN = club(
    "Q1", "Liverpool F.C. Women", "women's association football club in Liverpool, England"
)
MONTEVIDEO = club("Q2", "Liverpool F.C.", "association football club in Montevideo, Uruguay", "Q77")
UNDER_21 = club("Q3", "Liverpool F.C. Under-21s", "youth team of an association football club")
SEASON = club("Q4", "2019–20 Liverpool F.C. season", "season of association football club")
RUGBY = WikiItem(
    "Q5",
    "Liverpool",
    "rugby union club in Liverpool, England",
    links={"P17": ("Q145",), "P641": ("Q5849",)},
)


def test_se3_the_club_is_found_among_city_women_namesakes_and_seasons() -> None:
    items = [CITY, WOMEN, MONTEVIDEO, UNDER_21, SEASON, RUGBY, LIVERPOOL_ITEM]
    choice = choose_item(LIVERPOOL.profile, items, LINKED)
    assert choice is not None
    assert choice.item is LIVERPOOL_ITEM
    assert "country +3" in choice.reasons


def test_se3_no_item_is_better_than_a_wrong_one() -> None:
    decoys = [CITY, WOMEN, MONTEVIDEO, UNDER_21, SEASON, RUGBY]
    assert choose_item(LIVERPOOL.profile, decoys, LINKED) is None


def test_se3_the_country_decides_between_namesakes() -> None:
    in_uruguay = replace(LIVERPOOL.profile, country="Uruguay", city="Montevideo")
    choice = choose_item(in_uruguay, [LIVERPOOL_ITEM, MONTEVIDEO], LINKED)
    assert choice is not None
    assert choice.item is MONTEVIDEO


def test_se3_the_city_decides_within_a_country() -> None:
    lisbon = club("Q10", "Real SC", "association football club in Lisbon, Spain", "Q29")
    cadiz = club("Q11", "Real SC", "association football club in Cádiz, Spain", "Q29")
    profile = TeamProfile(1, "Real", country="Spain", city="Cadiz")
    choice = choose_item(profile, [lisbon, cadiz], LINKED)
    assert choice is not None
    assert choice.item is cadiz


def test_se3_england_is_in_the_united_kingdom_but_scotland_is_not_england() -> None:
    plain = club("Q20", "Holt", "association football club")
    scottish = club("Q21", "Holt", "association football club in Fife, Scotland")
    profile = TeamProfile(1, "Holt", country="England", city="Norwich")
    assert choose_item(profile, [plain], LINKED) is not None
    assert choose_item(profile, [scottish], LINKED) is None


def test_se3_a_club_that_plays_in_another_countrys_league_is_known_by_its_city() -> None:
    """Monaco plays in France; Wikidata has it in Monaco."""
    monaco = club("Q30", "AS Monaco FC", "association football club based in Monaco", "Q235")
    linked = LINKED | {"Q235": WikiItem("Q235", "Monaco", "country in Europe")}
    choice = choose_item(
        TeamProfile(91, "Monaco", country="France", city="Monaco"), [monaco], linked
    )
    assert choice is not None
    assert choice.item is monaco


def test_se3_without_a_place_namesakes_are_not_guessed_between() -> None:
    nowhere = TeamProfile(40, "Liverpool")
    assert choose_item(nowhere, [LIVERPOOL_ITEM, MONTEVIDEO], LINKED) is None
    assert choose_item(nowhere, [LIVERPOOL_ITEM], LINKED) is not None


def test_se3_a_dissolved_club_ranks_last() -> None:
    gone = club("Q40", "Holt F.C.", "association football club in Holt, England", dissolved=True)
    there = club("Q41", "Holt Town F.C.", "association football club in Holt, England")
    there = replace(there, aliases=("Holt",))
    profile = TeamProfile(1, "Holt", country="England", city="Holt")
    choice = choose_item(profile, [gone, there], LINKED)
    assert choice is not None
    assert choice.item is there


def test_se3_national_teams_men_and_not_women_or_youth() -> None:
    women = replace(
        BELGIAN_TEAM.item or CITY,
        id="Q50",
        label="Belgium women's national football team",
        description="women's national association football team representing Belgium",
    )
    youth = replace(
        BELGIAN_TEAM.item or CITY,
        id="Q51",
        label="Belgium national under-21 football team",
        description="national association football team of Belgium",
    )
    choice = choose_item(BELGIAN_TEAM.profile, [women, youth, BELGIAN_TEAM.item or CITY], LINKED)
    assert choice is not None
    assert choice.item is BELGIAN_TEAM.item


def test_se3_a_womens_team_gets_the_womens_item() -> None:
    profile = replace(LIVERPOOL.profile, name="Liverpool W")
    choice = choose_item(profile, [LIVERPOOL_ITEM, WOMEN], LINKED)
    assert choice is not None
    assert choice.item is WOMEN


@pytest.mark.parametrize(
    ("profile", "phrases"),
    [
        (
            MANCHESTER_UNITED.profile,
            (
                "Manchester United",
                "Manchester United F.C.",
                "Manchester United football club",
            ),
        ),
        (
            TeamProfile(1, "FC Augsburg"),
            ("FC Augsburg", "Augsburg F.C.", "Augsburg football club"),
        ),
        (TeamProfile(1, "Arsenal W"), ("Arsenal", "Arsenal W.F.C.", "Arsenal Women")),
        (
            TeamProfile(1, "England U21", national=True),
            ("England national under-21 football team",),
        ),
    ],
)
def test_se3_search_phrases(profile: TeamProfile, phrases: tuple[str, ...]) -> None:
    assert search_phrases(profile) == phrases


def test_se3_a_national_team_is_searched_for_as_one() -> None:
    assert all("national" in phrase for phrase in search_phrases(BELGIAN_TEAM.profile))


@pytest.mark.parametrize(
    ("texts", "side"),
    [
        (("Arsenal F.C.", "association football club in London, England"), Squad.FIRST),
        (("Boca Juniors", "sports club in Buenos Aires"), Squad.FIRST),
        (("Arsenal W.F.C.", "association football club"), Squad.WOMEN),
        (("Arsenal", "women's association football club"), Squad.WOMEN),
        (("Atlético Madrid Femenino", ""), Squad.WOMEN),
        (("VfL Wolfsburg", "Frauenfußballverein"), Squad.FIRST),
        (("Arsenal F.C. Under-23s and Academy", ""), Squad.YOUTH),
        (("Germany U21", ""), Squad.YOUTH),
        (("FC Bayern Munich II", "reserve team"), Squad.RESERVE),
        (("FC Barcelona Atlètic", "reserve team of FC Barcelona"), Squad.RESERVE),
        (("Sporting CP B", ""), Squad.RESERVE),
        (("FC Barcelona", "futsal team"), Squad.FUTSAL),
    ],
)
def test_se3_a_name_gives_its_squad(texts: tuple[str, str], side: Squad) -> None:
    assert squad_of(*texts) is side


@pytest.mark.parametrize(
    "hit",
    [
        Hit("Q1", "Liverpool F.C.", "season of football"),
        Hit("Q2", "1978–79 Liverpool F.C. season", ""),
        Hit("Q3", "Liverpool F.C. Women", ""),
        Hit("Q4", "Liverpool F.C. supporters", "supporters of a football club"),
    ],
)
def test_se3_results_that_are_no_teams_are_skipped(hit: Hit) -> None:
    assert not may_be_team(hit, LIVERPOOL.profile)


def test_se3_atletico_is_known_by_an_alias_without_accents() -> None:
    choice = choose_item(ATLETICO.profile, [ATLETICO.item or CITY], LINKED)
    assert choice is not None
    assert {"country +3", "city +2"} <= set(choice.reasons)
