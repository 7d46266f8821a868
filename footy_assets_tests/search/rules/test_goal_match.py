"""SE6: a title is matched with a goal by teams, score, side and minute."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.search.rules.goal_match import (
    TitleMatch,
    is_same_minute,
    matches_goal,
    names_scorer,
)
from footy_assets.search.rules.goal_titles import parse_goal_title

KICKOFF = datetime(2026, 9, 12, 14, tzinfo=UTC)
MATCH = Fixture(
    1, KICKOFF, "2H", League(39, "Premier League"), Side(1, "Manchester United"),
    Side(2, "Wolverhampton Wanderers"), FixtureState.ACTIVE,
)  # fmt: skip
GOAL = GoalEvent(
    key="1", event_id="1_2_7_Goal_1", fixture_id=1, team_id=2, player=Player(7, "J. Strand Larsen"),
    minute=MatchMinute(67), detail="Normal Goal", side="away", score_after=(1, 2),
)  # fmt: skip


def match(title: str, goal: GoalEvent = GOAL, fixture: Fixture = MATCH) -> TitleMatch:
    read = parse_goal_title(title)
    assert read is not None
    return matches_goal(read, goal, fixture, {"home": ("MUFC", "United", "Devils")})


def test_se6_all_that_agrees_is_named() -> None:
    found = match("Man United 1 - [2] Wolves - Strand Larsen 66'")
    assert found == TitleMatch(
        True,
        (
            "teams Man United and Wolves",
            "score 1-2",
            "goal of the away team",
            "minute 66'",
            "scorer Strand Larsen",
        ),
    )


@pytest.mark.parametrize(
    "title",
    [
        "Manchester United 1-2 Wolves - Jørgen Strand Larsen 67'",
        "MUFC 1 - [2] Wolverhampton - Larsen 68'",
        "Manchester Utd 1 - [2] Wolves - Toti Gomes 67'",
        "Wolves [2] - 1 Manchester United - Strand Larsen 67'",
        "Man Utd 1 - [2] Wolves - Strand-Larsen",
    ],
)
def test_se6_other_names_the_other_order_and_another_scorer_are_the_same_goal(title: str) -> None:
    assert match(title).matches, match(title).reasons


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("Man City 1 - [2] Wolves - Strand Larsen 67'", "Man City against Wolves is not"),
        ("United 1 - [2] Walsall - Strand Larsen 67'", "is not Manchester United"),
        ("Man United U21 1 - [2] Wolves U21 - Strand Larsen 67'", "is not Manchester United"),
        ("Man United 1 - [3] Wolves - Strand Larsen 67'", "score 1-3, not 1-2"),
        ("Man United 2 - [1] Wolves - Strand Larsen 67'", "score 2-1, not 1-2"),
        ("Man United [1] - 2 Wolves - Strand Larsen 67'", "goal of the home team, not the away"),
        ("Man United 1 - [2] Wolves - Strand Larsen 70'", "minute 70', not 67'"),
        ("Man United 1 - [2] Wolves - Cunha", "neither the minute nor the scorer"),
    ],
)
def test_se6_a_title_of_another_goal_does_not_match(title: str, why: str) -> None:
    found = match(title)
    assert not found.matches
    assert why in found.reasons[-1]


def test_se6_a_goal_without_a_score_matches_nothing() -> None:
    found = match("Man United 1 - [2] Wolves - Larsen 67'", replace(GOAL, score_after=None))
    assert found.reasons[-1] == "the score after the goal is not known"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (MatchMinute(90, 4), MatchMinute(90, 5), True),
        (MatchMinute(90, 4), MatchMinute(90), True),
        (MatchMinute(90, 4), MatchMinute(94), True),
        (MatchMinute(45, 2), MatchMinute(47), True),
        (MatchMinute(45, 2), MatchMinute(45, 4), False),
        (MatchMinute(38), MatchMinute(39), True),
        (MatchMinute(38), MatchMinute(40), False),
        (MatchMinute(45), MatchMinute(46), True),
    ],
)
def test_se6_minutes_may_differ_by_one_and_by_their_notation(
    one: MatchMinute, other: MatchMinute, same: bool
) -> None:
    assert is_same_minute(one, other) is same
    assert is_same_minute(other, one) is same


@pytest.mark.parametrize(
    ("theirs", "ours", "same"),
    [
        ("Heung-min Son", "Son Heung-Min", True),
        ("Son", "H. Son", True),
        ("Vinicius Jr", "Vinícius Júnior", True),
        ("Odegaard", "M. Ødegaard", True),
        ("Sonny", "H. Son", False),
        (None, "H. Son", False),
        ("Son", None, False),
    ],
)
def test_se6_a_scorer_is_known_by_a_whole_word(
    theirs: str | None, ours: str | None, same: bool
) -> None:
    assert names_scorer(theirs, ours) is same
