"""V7: names as scorebugs write them against the sides of a match."""

import pytest

from footy_assets.media.teams_shown import TeamsShown, teams_shown


@pytest.mark.parametrize(
    ("names", "home", "away"),
    [
        (("BOC", "UCA"), ["Boca Juniors"], ["Universidad Católica"]),
        (("RMA", "SHE"), ["Real Madrid"], ["Sheriff Tiraspol"]),
        (("PSG", "LYO"), ["Paris Saint Germain"], ["Lyon"]),
        (("ATH", "BAR"), ["Athletic Club"], ["Barcelona"]),
        (("BVB", "SGE"), ["Borussia Dortmund", "BVB"], ["Eintracht Frankfurt", "SGE"]),
        (("MAREA VERDE", "LA CARRÉ"), ["Marea Verde"], ["La Carre"]),
        (("MCI", "MUN"), ["Manchester City"], ["Manchester United"]),
        (("LIV", "WHU"), ["Liverpool"], ["West Ham"]),
    ],
)
def test_v7_the_same_teams(names: tuple[str, str], home: list[str], away: list[str]) -> None:
    verdict = teams_shown(names, home, away)
    assert (verdict.shown, verdict.swapped) == (TeamsShown.SAME, False)
    turned = teams_shown(names[::-1], home, away)
    assert (turned.shown, turned.swapped) == (TeamsShown.SAME, True)


@pytest.mark.parametrize(
    ("names", "home", "away"),
    [
        (("LIV", "WHU"), ["Arsenal"], ["Chelsea"]),
        (("JUV", "INT"), ["Milan"], ["Napoli"]),
        (("LIVERPOOL", "EVERTON"), ["Boca Juniors"], ["Universidad Católica"]),
        # The same first letters, but not in the order of the names.
        (("CRY", "LIV"), ["Chelsea"], ["Luton Town"]),
        # One may be a side's, the other cannot be.
        (("BVB", "WOB"), ["Borussia Mönchengladbach"], ["Mainz 05"]),
    ],
)
def test_v7_two_other_teams(names: tuple[str, str], home: list[str], away: list[str]) -> None:
    assert teams_shown(names, home, away).shown is TeamsShown.OTHER


@pytest.mark.parametrize(
    ("names", "home", "away"),
    [
        # Abbreviations that no name explains, but that begin as clubs' do.
        (("BVB", "FCB"), ["Borussia Dortmund"], ["Bayern München"]),
        (("SGE", "SVW"), ["Eintracht Frankfurt"], ["Werder Bremen"]),
        # The first two letters stand in the name.
        (("ATX", "MTL"), ["Austin FC"], ["CF Montréal"]),
        # A national side in another language.
        (("ALE", "ESP"), ["Germany"], ["Spain"]),
        # One side fits, the other does not.
        (("LIV", "CHE"), ["Liverpool"], ["West Ham"]),
        (("BOC",), ["Boca Juniors"], ["Universidad Católica"]),
        (("ЦСК", "ЗЕН"), ["CSKA Moscow"], ["Zenit"]),
        (("LIV", "WHU"), [], []),
    ],
)
def test_v7_what_is_not_clear_says_nothing(
    names: tuple[str, ...], home: list[str], away: list[str]
) -> None:
    assert teams_shown(names, home, away).shown is TeamsShown.UNCLEAR


def test_v7_a_learned_abbreviation_counts_beside_a_known_name_only() -> None:
    home, away = ["Clube Atlético Mineiro"], ["Flamengo"]
    galo = (("GAL",), ())
    assert teams_shown(("GAL", "FLA"), home, away).shown is TeamsShown.UNCLEAR
    verdict = teams_shown(("GAL", "FLA"), home, away, galo)
    assert (verdict.shown, verdict.swapped, verdict.learned) == (TeamsShown.SAME, False, True)
    turned = teams_shown(("FLA", "GAL"), home, away, galo)
    assert (turned.shown, turned.swapped, turned.learned) == (TeamsShown.SAME, True, True)
    # Of the other side it says nothing, and alone it only keeps the clip.
    assert teams_shown(("FLA", "GAL"), home, away, ((), ("GAL",))).shown is TeamsShown.UNCLEAR
    assert teams_shown(("GAL", "WOB"), home, away).shown is TeamsShown.OTHER
    assert teams_shown(("GAL", "WOB"), home, away, galo).shown is TeamsShown.OTHER
    assert teams_shown(("GAL", "FCB"), home, away, galo).shown is TeamsShown.UNCLEAR
    assert not teams_shown(("ATL", "FLA"), home, away, galo).learned
