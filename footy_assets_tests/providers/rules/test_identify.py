"""A4: a match is mapped, reported as unsure, or not mapped."""

from dataclasses import replace
from datetime import timedelta

import pytest

from footy_assets.providers.rules.identify import (
    Aliases,
    ListedMatch,
    Mapped,
    UnsureMapping,
    comparable,
    identify,
    identify_all,
)
from footy_assets_tests.providers.reports import NOON

OURS = [
    ListedMatch("1", NOON, "Manchester United", "Arsenal", "Premier League"),
    ListedMatch("2", NOON, "Manchester City", "Chelsea", "Premier League"),
    ListedMatch("3", NOON, "Atlético Madrid", "FC Köln", "Champions League"),
]
ALIASES = Aliases({"Man Utd": "Manchester United"}, {"PL": "Premier League"})


def listed_match(home: str, away: str, league: str | None = None, minutes: int = 0) -> ListedMatch:
    return ListedMatch("x", NOON + timedelta(minutes=minutes), home, away, league)


@pytest.mark.parametrize(
    ("listed", "match_id"),
    [
        (listed_match("Manchester United FC", "Arsenal FC", "Premier League"), "1"),
        (listed_match("Man Utd", "Arsenal", "PL"), "1"),
        (listed_match("Manchester City", "Chelsea"), "2"),
        (listed_match("ATLETICO  MADRID", "Koln", minutes=15), "3"),
    ],
)
def test_A4_mapped_by_kickoff_teams_competition_and_aliases(
    listed: ListedMatch, match_id: str
) -> None:
    assert identify(listed, OURS, ALIASES) == Mapped(match_id)


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (listed_match("The Citizens", "Chelsea"), "team The Citizens"),
        (listed_match("Manchester City", "Chelsea", "FA Cup"), "competition FA Cup"),
        (listed_match("Manchester City", "Chelsea", minutes=90), "kickoff 13:30"),
        (listed_match("Chelsea", "Manchester City"), "other way round"),
    ],
)
def test_A4_an_unsure_mapping_is_reported_not_guessed(listed: ListedMatch, reason: str) -> None:
    found = identify(listed, OURS, ALIASES)
    assert isinstance(found, UnsureMapping)
    assert reason in found.reason
    assert found.candidates == ("2",)


def test_A4_two_matches_that_look_the_same_are_unsure() -> None:
    twice = [*OURS, ListedMatch("9", NOON, "Manchester City", "Chelsea", "Premier League")]
    found = identify(listed_match("Manchester City", "Chelsea"), twice, ALIASES)
    assert isinstance(found, UnsureMapping)
    assert found.candidates == ("2", "9")


def test_A4_an_untracked_match_is_not_reported() -> None:
    assert identify(listed_match("Boca Juniors", "River Plate"), OURS, ALIASES) is None


@pytest.mark.parametrize(
    ("home", "away"),
    [
        ("", "Chelsea"),
        ("", ""),
        ("TBD", "TBD"),
        ("Winner Match 49", "Chelsea"),
        ("Group A 2nd Place", "Quarterfinal 1 Winner"),
    ],
)
def test_A4_a_match_whose_teams_are_not_decided_is_not_mapped(home: str, away: str) -> None:
    undecided = [*OURS, ListedMatch("4", NOON, home.replace("49", "50"), away, "Premier League")]
    assert identify(listed_match(home, away, "Premier League"), undecided, ALIASES) is None


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (("Manchester United", "Chelsea"), ("Manchester City", "Chelsea")),
        (("Dundee", "Celtic"), ("Dundee United", "Celtic")),
        (("Paris FC", "Lyon"), ("Paris Saint-Germain", "Lyon")),
        (("Arsenal Women", "Chelsea Women"), ("Arsenal", "Chelsea")),
        (("Real Madrid", "Bayer"), ("Real Madrid", "Bayern Munich")),
        (("Inter", "Napoli"), ("Milan", "Napoli")),
    ],
)
def test_A4_a_twin_is_not_mapped_even_where_all_else_agrees(
    theirs: tuple[str, str], ours: tuple[str, str]
) -> None:
    for one, other in ((theirs, ours), (ours, theirs)):
        known = [ListedMatch("1", NOON, *other, "Premier League")]
        found = identify(listed_match(*one, "Premier League"), known, ALIASES)
        assert not isinstance(found, Mapped)


def test_A4_the_better_of_two_matches_is_mapped_one_to_one() -> None:
    theirs = [listed_match("Arsenal Sarandi", "Chelsea"), listed_match("Arsenal", "Chelsea")]
    ours = [
        ListedMatch("1", NOON, "Arsenal FC", "Chelsea FC"),
        ListedMatch("2", NOON, "Arsenal Sarandí", "Chelsea"),
    ]
    assert identify_all(theirs, ours, ALIASES) == [Mapped("2"), Mapped("1")]
    assert identify_all(theirs, ours[::-1], ALIASES) == [Mapped("2"), Mapped("1")]


def test_A4_a_match_that_they_list_twice_is_unsure() -> None:
    twice = [listed_match("Manchester City", "Chelsea")] * 2
    for found in identify_all(twice, OURS, ALIASES):
        assert isinstance(found, UnsureMapping)
        assert "another match of theirs" in found.reason
    worse = [listed_match("Manchester City", "Chelsea"), listed_match("Man City", "Chelsea")]
    first, second = identify_all(worse, OURS, ALIASES)
    assert first == Mapped("2")
    assert isinstance(second, UnsureMapping)


def test_A4_one_sure_team_and_one_misspelled_are_enough_if_nothing_else_competes() -> None:
    misspelled = listed_match("Eintracht Frankurt", "Chelsea", "Bundesliga")
    ours = [ListedMatch("1", NOON, "Eintracht Frankfurt", "Chelsea", "Bundesliga")]
    assert identify(misspelled, ours, ALIASES) == Mapped("1")
    rival = ListedMatch("2", NOON, "Eintracht Braunschweig", "Chelsea", "Bundesliga")
    assert isinstance(identify(misspelled, [*ours, rival], ALIASES), UnsureMapping)
    unknown_league = listed_match("Eintracht Frankurt", "Chelsea")
    assert isinstance(identify(unknown_league, ours, ALIASES), UnsureMapping)


def test_A4_a_match_that_is_found_is_no_candidate_for_another() -> None:
    theirs = [listed_match("Manchester City", "Chelsea"), listed_match("Fulham", "Chelsea")]
    assert identify_all(theirs, OURS, ALIASES) == [Mapped("2"), None]


def test_A4_teams_of_women_are_told_by_their_competition() -> None:
    def in_league(id_: str, league: str, suffix: str = "") -> ListedMatch:
        return ListedMatch(id_, NOON, f"Arsenal{suffix}", f"Chelsea{suffix}", league)

    ours = [in_league("1", "Premier League"), in_league("2", "FA WSL", " W")]
    theirs = [
        replace(in_league("a", "Barclays Women's Super League"), competition_id="eng.w.1"),
        replace(in_league("b", "English Premier League"), competition_id="eng.1"),
    ]
    assert identify_all(theirs, ours, ALIASES) == [Mapped("2"), Mapped("1")]


def test_A4_leagues_of_one_name_are_told_apart_by_number_and_country() -> None:
    ours = [
        ListedMatch("1", NOON, "Santos", "Bahia", "Serie A", country="Brazil",
                    competition_number=71),
    ]  # fmt: skip
    brazil = replace(listed_match("Santos FC", "EC Bahia", "Serie A"), country="Brazil")
    assert identify(brazil, ours, ALIASES) == Mapped("1")
    assert isinstance(identify(replace(brazil, country="Italy"), ours, ALIASES), UnsureMapping)
    italian = replace(brazil, country=None, competition_id="ita.1")
    assert isinstance(identify(italian, ours, ALIASES), UnsureMapping)


def test_A4_United_and_City_are_never_the_same() -> None:
    assert comparable("Manchester United") != comparable("Manchester City")
    assert comparable("FC") == "fc"
