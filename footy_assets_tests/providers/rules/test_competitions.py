"""One competition under every name that providers have for it, and two that share a name."""

import pytest

from footy_assets.providers.rules.competitions import (
    COMPETITIONS,
    competition_number,
    find_competition,
    league_code,
)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Premier League", 39),
        ("English Premier League", 39),
        ("La Liga", 140),
        ("LaLiga EA Sports", 140),
        ("Spanish LALIGA", 140),
        ("Primera Division", 140),
        ("Bundesliga", 78),
        ("1. Bundesliga 2022/2023", 78),
        ("1. Fußball-Bundesliga 2025/2026", 78),
        ("2. Fussball-Bundesliga 2024/2025", 79),
        ("Italian Serie A", 135),
        ("Brazilian Serie A", 71),
        ("Ligue 1 McDonald's", 61),
        ("FIFA World Cup", 1),
        ("UEFA Champions League 2025/26", 2),
        ("Major League Soccer", 253),
    ],
)
def test_a_competition_is_found_by_its_names(name: str, number: int) -> None:
    assert find_competition(name).numbers == {number}


@pytest.mark.parametrize(
    ("provider_id", "number"), [("eng.1", 39), ("PD", 140), ("bl1", 78), ("BL1", 78), ("BSA", 71)]
)
def test_a_competition_is_found_by_the_id_of_a_provider(provider_id: str, number: int) -> None:
    assert find_competition("any name", provider_id).numbers == {number}


def test_a_name_of_two_competitions_is_either_until_the_country_is_known() -> None:
    either = find_competition("Serie A")
    assert either.numbers == {135, 71}
    italy, brazil = (find_competition("Serie A", country=c) for c in ("Italy", "Brazil"))
    assert italy.is_same_as(either) is True
    assert brazil.is_same_as(either) is True
    assert italy.is_same_as(brazil) is False


def test_a_league_that_is_not_listed_is_told_from_its_namesake() -> None:
    english = find_competition("Premier League", number=39)
    egyptian = find_competition("Premier League", country="Egypt", number=233)
    assert egyptian.numbers == frozenset()
    assert english.is_same_as(egyptian) is False
    assert egyptian.is_same_as(find_competition("Egyptian Premier League")) is True


def test_a_competition_without_a_name_says_nothing() -> None:
    assert find_competition(None).is_same_as(find_competition("Premier League")) is None


def test_an_unlisted_competition_is_compared_by_name() -> None:
    one, other = find_competition("Trophy 2025"), find_competition("Trophy 2025/26")
    assert one.is_same_as(other) is True
    assert one.is_same_as(find_competition("Shield")) is False


def test_every_number_slug_shortcut_and_code_is_of_one_competition() -> None:
    for ids in (
        [one.number for one in COMPETITIONS],
        [one.slug for one in COMPETITIONS if one.slug],
        [one.shortcut for one in COMPETITIONS if one.shortcut],
        [one.code for one in COMPETITIONS if one.code],
    ):
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("name", "own_id", "country", "number"),
    [
        ("Premier League", "PL", "England", 39),
        ("English Premier League", "eng.1", None, 39),
        ("1. Fußball-Bundesliga 2025/2026", "bl1", "Germany", 78),
        ("UEFA Champions League", "CL", "Europe", 2),
        ("Serie A", "12", "Brazil", 71),
        # Not certain: another country's, or none is named.
        ("Premier League", "PL", "Poland", None),
        ("Premier League", "7", "Russia", None),
        ("Premier League", "7", None, None),
        ("Champions League", None, "Egypt", None),
        ("Serie A", None, None, None),
    ],
)
def test_l1_a_competition_has_the_number_of_api_football_if_it_is_certain(
    name: str, own_id: str | None, country: str | None, number: int | None
) -> None:
    assert competition_number(name, own_id, country) == number


def test_leagues_have_codes_by_number_and_slug() -> None:
    assert [league_code(one) for one in (39, "ger.1", 41, "xyz.1")] == ["PL", "BL1", None, None]
