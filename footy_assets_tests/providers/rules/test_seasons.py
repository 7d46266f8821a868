"""A4 on whole seasons of the five big leagues, between every two providers."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.providers.rules.identify import (
    Aliases,
    ListedMatch,
    Mapped,
    UnsureMapping,
    identify_all,
)
from footy_assets_tests.providers.club_names import BIG_FIVE, PROVIDERS, BigLeague
from footy_assets_tests.providers.rounds import map_season, provider_pairs, rounds_of

SPELLINGS = st.sampled_from(PROVIDERS[:3])
LEAGUES = st.sampled_from(list(BIG_FIVE.values()))
STRANGERS = (
    ("Arsenal Women", "Chelsea Women"), ("Liverpool U21", "Everton U21"),
    ("Sheffield Wednesday", "Bristol City"), ("Notts County", "Dundee"),
    ("FC Barcelona B", "Real Madrid Castilla"), ("Bayern München II", "1860 München"),
    ("Inter Miami", "New York City"), ("Viktoria Köln", "Stuttgarter Kickers"),
    ("Chievo Verona", "Internacional"), ("Athletic", "Atlético"), ("Paris", "Lyon-Duchère"),
)  # fmt: skip


@pytest.mark.parametrize("short_names", [True, False])
@pytest.mark.parametrize("name", BIG_FIVE)
def test_A4_every_match_of_a_season_is_mapped_and_none_wrongly(
    name: str, short_names: bool
) -> None:
    league = BIG_FIVE[name]
    for theirs, ours in provider_pairs(league):
        figures = map_season(league, theirs, ours, short_names)
        clubs = len(league.clubs)
        assert figures.matches == clubs * (clubs - 1)
        assert (figures.mapped, figures.wrong) == (figures.matches, 0), f"{theirs} to {ours}"


@st.composite
def spoiled_rounds(
    draw: st.DrawFn,
) -> tuple[list[ListedMatch], list[ListedMatch]]:
    """A round at two providers: matches are missing, unknown, moved, or have other opponents."""
    league: BigLeague = draw(LEAGUES)
    number = draw(st.integers(0, 5))
    theirs = rounds_of(league, draw(SPELLINGS), draw(st.booleans()))[number]
    ours = rounds_of(league, draw(SPELLINGS), draw(st.booleans()))[number]
    theirs = [one for one in theirs if draw(st.integers(0, 3))]
    ours = [one for one in ours if draw(st.integers(0, 3))]
    for index, one in enumerate(ours):
        match draw(st.integers(0, 7)):
            case 0:
                # The same teams later on: not the match that they list.
                ours[index] = replace(
                    one, id=f"moved {one.id}", start=one.start + timedelta(hours=2)
                )
            case 1:
                other = draw(st.sampled_from(ours))
                ours[index] = replace(
                    one,
                    id=f"other opponent {one.id} {other.id}",
                    away=other.home,
                    away_also=other.home_also,
                )
    for home, away in draw(st.lists(st.sampled_from(STRANGERS), max_size=4, unique=True)):
        unknown = replace(
            theirs[0] if theirs else ours[0], id=home, home=home, away=away,
            home_also=(), away_also=(),
        ) if theirs or ours else None  # fmt: skip
        if unknown is not None:
            (theirs if draw(st.booleans()) else ours).append(unknown)
    return draw(st.permutations(theirs)), draw(st.permutations(ours))


@settings(max_examples=150)
@given(spoiled_rounds())
def test_A4_whatever_is_missing_or_unknown_nothing_is_mapped_wrongly(
    spoiled: tuple[list[ListedMatch], list[ListedMatch]],
) -> None:
    theirs, ours = spoiled
    results = identify_all(theirs, ours, Aliases())
    mapped = [one.match_id for one in results if isinstance(one, Mapped)]
    assert len(mapped) == len(set(mapped))
    for match, result in zip(theirs, results, strict=True):
        if isinstance(result, Mapped):
            assert result.match_id == match.id
        if isinstance(result, UnsureMapping):
            assert result.candidates
            assert result.reason
