"""A4: names of one team are recognised, and names of two teams are never taken for one."""

import re
from itertools import product
from pathlib import Path

import pytest

from footy_assets.providers.rules.team_likeness import Likeness, likeness
from footy_assets.providers.rules.team_names import words_of
from footy_assets_tests.providers.club_names import BIG_FIVE, PROVIDERS


def both_ways(one: str, other: str) -> set[Likeness]:
    return {likeness((one,), (other,)), likeness((other,), (one,))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Manchester United FC", "Manchester Utd"),
        ("1. FC Köln", "FC Cologne"),
        ("FC Bayern München", "Bayern Munich"),
        ("Bor. Moenchengladbach", "Bor. M'gladbach"),
        ("Hamburger SV", "Hamburg SV"),
        ("1899 Hoffenheim", "TSG Hoffenheim"),
        ("Wolves", "Wolverhampton Wanderers FC"),
        ("Inter", "FC Internazionale Milano"),
        ("PSG", "Paris Saint-Germain FC"),
        ("Paris Saint Germain", "Paris St. Germain"),
        ("Athletic Bilbao", "Athletic Club"),
        ("FK Crvena Zvezda", "Red Star Belgrade"),
        ("Sporting Clube de Portugal", "Sporting CP"),
        ("F.C. København", "FC Copenhagen"),
        ("FK Bodø/Glimt", "Bodo / Glimt"),
        ("Wisła Płock", "Wisla Plock"),
        ("SC Preußen Münster", "Preussen Munster"),
        ("Kasımpaşa", "Kasimpasa"),
        ("Korea Republic", "South Korea"),
        ("Côte d'Ivoire", "Ivory Coast"),
        ("Arsenal W", "Arsenal Women FC"),
        ("Real Sociedad II", "Real Sociedad B"),
        ("England U-21", "England Under 21"),
        ("Willem II Tilburg", "Willem Tilburg"),
    ],
)
def test_A4_the_same_name_however_it_is_written(one: str, other: str) -> None:
    assert both_ways(one, other) == {Likeness.SAME}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Brighton", "Brighton & Hove Albion FC"),
        ("Brighton Hove", "Brighton & Hove Albion"),
        ("Leeds", "Leeds United"),
        ("West Ham", "West Ham United"),
        ("Betis", "Real Betis Balompié"),
        ("Espanyol", "RCD Espanyol de Barcelona"),
        ("Rennes", "Stade Rennais FC 1901"),
        ("Lyon", "Olympique Lyonnais"),
        ("Hertha BSC", "Hertha Berlin"),
        ("Man City", "Manchester City FC"),
        ("Nott'm Forest", "Nottingham Forest"),
        ("C Palace", "Crystal Palace"),
        ("Paris S-G", "Paris Saint-Germain"),
        ("Atl. Madrid", "Club Atlético de Madrid"),
        ("Ajax", "AFC Ajax Amsterdam"),
    ],
)
def test_A4_a_short_name_is_a_part_of_the_long_one(one: str, other: str) -> None:
    assert both_ways(one, other) == {Likeness.PART}


@pytest.mark.parametrize(
    ("one", "other"),
    [("Villareal", "Villarreal CF"), ("Eintracht Frankurt", "Eintracht Frankfurt")],
)
def test_A4_a_misspelled_name_is_similar(one: str, other: str) -> None:
    assert both_ways(one, other) == {Likeness.SIMILAR}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Manchester City", "Manchester United"),
        ("Man City", "Man United"),
        ("Real Madrid", "Atlético Madrid"),
        ("Real Madrid", "Rayo Vallecano de Madrid"),
        ("Real Sociedad", "Real Betis"),
        ("Inter", "Milan"),
        ("Inter Milan", "AC Milan"),
        ("Inter", "Inter Miami CF"),
        ("Inter", "Internacional"),
        ("Sheffield United", "Sheffield Wednesday"),
        ("Sheffield", "Sheffield Wednesday"),
        ("Bristol City", "Bristol Rovers"),
        ("Borussia Dortmund", "Borussia Mönchengladbach"),
        ("Borussia", "Borussia Dortmund"),
        ("Athletic Club", "Atlético Madrid"),
        ("Athletic Club", "Charlton Athletic"),
        ("Athletic Bilbao", "Bilbao Athletic"),
        ("Dundee", "Dundee United"),
        ("Paris FC", "PSG"),
        ("Paris FC", "Paris Saint-Germain"),
        ("FC Barcelona", "RCD Espanyol de Barcelona"),
        ("Hertha Berlin", "1. FC Union Berlin"),
        ("Nottingham Forest", "Notts County"),
        ("Nottingham", "Notts County"),
        ("Bayern", "Bayer Leverkusen"),
        ("TSV 1860 München", "FC Bayern München"),
        ("1. FC Köln", "Viktoria Köln"),
        ("VfB Stuttgart", "Stuttgarter Kickers"),
        ("Eintracht Frankfurt", "FSV Frankfurt"),
        ("Hellas Verona", "Chievo Verona"),
        ("Club Brugge", "Cercle Brugge"),
        ("New York Red Bulls", "New York City FC"),
        ("Lecce", "Lecco"),
        ("Parma", "Las Palmas"),
        ("Austria", "Australia"),
        ("Guinea", "Equatorial Guinea"),
        ("Congo", "DR Congo"),
        ("Ireland", "Northern Ireland"),
        ("Arsenal", "Arsenal Women"),
        ("Arsenal", "Arsenal W"),
        ("Chelsea", "Chelsea U21"),
        ("Bayern München", "Bayern München II"),
        ("Barcelona", "Barcelona Atlètic"),
        ("Real Madrid", "Real Madrid Castilla"),
        ("Ajax", "Jong Ajax"),
        ("England U19", "England U21"),
        ("", "Arsenal"),
        ("", ""),
    ],
)
def test_A4_two_teams_are_never_alike(one: str, other: str) -> None:
    assert both_ways(one, other) == {Likeness.DIFFERENT}


def test_A4_of_the_big_leagues_no_two_clubs_are_alike_and_each_is_like_itself() -> None:
    clubs = [club for league in BIG_FIVE.values() for club in league.clubs]
    for one, other in product(clubs, clubs):
        expected = {Likeness.SAME, Likeness.PART} if one is other else {Likeness.DIFFERENT}
        for names, others in product(set(one.names.values()), set(other.names.values())):
            assert likeness(names, others) in expected, f"{names} {others}"


def test_the_documented_clubs_are_those_of_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "providers.md").read_text()
    section = page.partition("## How teams are recognised")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^-|].*) \|$", section, re.MULTILINE)[1:]
    documented = [[cell.strip() for cell in row.split("|")[:-1]] for row in rows]
    clubs = [club for league in BIG_FIVE.values() for club in league.clubs]
    known = [[club.names.get(provider, ("",))[0] for provider in PROVIDERS] for club in clubs]
    assert len(documented) == 8
    assert all(row in known for row in documented)
    assert f"all {len(clubs)} clubs" in section


def test_A4_a_place_or_a_code_is_no_other_name_of_a_team() -> None:
    assert likeness(("Dundee United", "Dundee"), ("Dundee",)) is Likeness.DIFFERENT
    assert likeness(("Manchester City", "MAN"), ("Manchester United", "MAN")) is Likeness.DIFFERENT
    assert likeness(("Les Parisiens", "PSG"), ("Paris Saint Germain",)) is Likeness.SAME


def test_A4_the_competition_can_say_that_a_team_is_of_women() -> None:
    women = frozenset({"women"})
    assert likeness(("Arsenal",), ("Arsenal W",), women) is Likeness.SAME
    assert likeness(("Arsenal",), ("Arsenal",), women) is Likeness.DIFFERENT


def test_a_name_of_form_words_alone_keeps_them() -> None:
    assert words_of("SV 04").words == ("sv", "04")
