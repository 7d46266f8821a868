"""A4: a match is mapped, reported as unsure, or not mapped."""

from datetime import timedelta

import pytest

from footy_assets.providers.rules.identify import (
    Aliases,
    ListedMatch,
    Mapped,
    UnsureMapping,
    comparable,
    identify,
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
        (listed_match("Man City", "Chelsea"), "team Man City"),
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


def test_A4_United_and_City_are_never_the_same() -> None:
    assert comparable("Manchester United") != comparable("Manchester City")
    assert comparable("FC") == "fc"
