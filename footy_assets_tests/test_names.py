"""One plain form of a name, for every room."""

import pytest

from footy_assets.names import plain, without_apostrophes
from footy_assets.providers.rules.identify import comparable
from footy_assets.search.rules.player_terms import player_terms
from footy_assets.search.rules.team_names import tokens


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Bodø/Glimt", "Bodo/Glimt"),
        ("Ødegaard", "Odegaard"),
        ("Sæbø", "Saebo"),
        ("Großaspach", "Grossaspach"),
        ("GROẞASPACH", "GROSSASPACH"),
        ("Błaszczykowski", "Blaszczykowski"),
        ("Đoković", "Dokovic"),
        ("Kasımpaşa", "Kasimpasa"),
        ("İstanbul", "Istanbul"),
        ("Þór", "Thor"),
        ("Müller", "Muller"),
        ("Mu\u0308ller", "Muller"),
        ("\u200eReal\u200f Madrid\u200e", "Real Madrid"),
        ("Real\u00a0Madrid", "Real Madrid"),
        ("N’Golo Kanté", "N’Golo Kante"),
        ("Ｍｉｌａｎ", "Milan"),
        ("Зенит", "Зенит"),
        ("", ""),
    ],
)
def test_a_name_without_its_accents(name: str, expected: str) -> None:
    assert plain(name) == expected
    assert plain(plain(name)) == expected


@pytest.mark.parametrize("mark", ["'", "’", "‘", "`", "´"])
def test_every_apostrophe_is_one(mark: str) -> None:
    assert without_apostrophes(f"N{mark}Golo") == "NGolo"
    assert comparable(f"N{mark}Golo") == comparable("N'Golo")


@pytest.mark.parametrize(
    ("written", "elsewhere"),
    [
        ("Bodø/Glimt", "Bodo / Glimt"),
        ("Brøndby IF", "Brondby IF"),
        ("Kasımpaşa", "Kasimpasa"),
        ("Wisła Płock", "Wisla Plock"),
        ("Sport-Verein Großaspach", "SPORT VEREIN GROSSASPACH"),
        ("Real Madrid\u200e", "Real Madrid CF"),
    ],
)
def test_providers_and_searches_normalise_names_alike(written: str, elsewhere: str) -> None:
    assert comparable(written) == comparable(elsewhere)
    assert [w.lower() for w in tokens(written)][:2] == [w.lower() for w in tokens(elsewhere)][:2]


def test_a_scorer_is_searched_for_without_accents() -> None:
    assert player_terms("M. Ødegaard") == ("Odegaard",)
    assert player_terms("N’Golo Kanté") == ("NGolo", "Kante")
