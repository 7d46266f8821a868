"""E1, E8: what counts as a goal, for whom, and the score after it."""

import pytest

from footy_assets.matchday.rules.sighting import is_cancellation, is_goal
from footy_assets.sim import fixture_json, missed_penalty, shootout_kick
from footy_assets.sim import goal as goal_json
from footy_assets_tests.matchday.rules.polled_match import AWAY, HOME, PolledMatch, goal
from resources.api_football.translate import parse_fixtures
from resources.json_parts import to_bytes


@pytest.mark.parametrize("detail", ["Normal Goal", "Penalty", "Own Goal", " own goal "])
def test_E1_normal_goals_penalties_and_own_goals_are_goals(detail: str) -> None:
    assert is_goal("Goal", detail, None)


@pytest.mark.parametrize(
    ("kind", "detail", "comments"),
    [
        ("Goal", "Missed Penalty", None),
        ("Goal", "Penalty", "Penalty Shootout"),
        ("Goal", "Missed Penalty", "Penalty Shootout"),
        ("Goal", "Normal Goal", "penalty shootout - 3rd kick"),
        ("Goal", None, None),
        ("Goal", "Something New", None),
        ("Card", "Yellow Card", None),
        ("Var", "Goal cancelled", None),
        ("Var", "Goal confirmed", None),
        ("subst", "Substitution 1", None),
    ],
)
def test_E1_nothing_else_is_a_goal(kind: str, detail: str | None, comments: str | None) -> None:
    assert not is_goal(kind, detail, comments)


def test_E1_a_shootout_adds_no_goal_to_the_match() -> None:
    raw_fixture = fixture_json(
        5000,
        status="PEN",
        goals=[goal_json(23, player=234, name="M. Salah"), missed_penalty(49, player=7)],
        events=[
            shootout_kick(1, player=234, name="M. Salah"),
            shootout_kick(2, team=50, player=66, name="R. Dias", scored=False),
        ],
    )
    answer = parse_fixtures([to_bytes(raw_fixture)])
    match = PolledMatch()
    match.poll_sighting(answer.sightings[5000])
    assert match.ids == ["5000_40_234_Goal_1"]
    assert answer.unreadable == []


def test_E1_an_own_goal_counts_for_the_side_that_benefits() -> None:
    match = PolledMatch()
    match.poll(goal(12, 66, team=HOME, detail="Own Goal"))
    assert match.ids == ["5000_40_66_Goal_1"]
    assert (match[12].side, match[12].score_after) == ("home", (1, 0))


def test_E1_a_player_who_scores_in_both_nets_has_two_identities() -> None:
    """E2: the number is per player, so the two differ twice: by team and by number."""
    match = PolledMatch()
    match.poll(
        goal(12, 66, team=HOME, detail="Own Goal"), goal(70, 66, team=AWAY, detail="Normal Goal")
    )
    assert match.ids == ["5000_40_66_Goal_1", "5000_50_66_Goal_2"]
    match.poll(goal(70, 66, team=AWAY))
    assert [e.missing_in_polls for e in match.live if e.team_id == HOME] == [("p2",)]
    assert match[70].seen_in_polls == ("p1", "p2")


def test_E8_each_goal_carries_its_side_and_the_score_after_it() -> None:
    match = PolledMatch()
    match.poll(goal(12), goal(37, 7), goal("45+2", 66, team=AWAY), goal(46, 9), goal(90, 66, AWAY))
    scores = [(e.side, e.score_after) for e in sorted(match.live, key=lambda e: e.minute.sort_key)]
    assert scores == [
        ("home", (1, 0)),
        ("home", (2, 0)),
        ("away", (2, 1)),
        ("home", (3, 1)),
        ("away", (3, 2)),
    ]


def test_E8_a_removed_goal_lowers_the_score_of_those_after_it() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(12), goal(37, 7))
    match.poll_times(3, goal(37, 7))
    assert match[37].score_after == (1, 0)


def test_E8_two_goals_in_one_minute_are_scored_in_the_order_they_are_listed() -> None:
    match = PolledMatch()
    match.poll(goal(55, 9), goal(55, 7))
    by_player = {e.player.id: e.score_after for e in match.live}
    assert by_player == {9: (1, 0), 7: (2, 0)}


@pytest.mark.parametrize(
    "detail",
    ["Goal cancelled", "Goal Disallowed - offside", "Goal Disallowed - Foul", "GOAL OVERTURNED"],
)
def test_E6_a_var_event_that_cancels_a_goal_is_recognised(detail: str) -> None:
    assert is_cancellation("Var", detail)


@pytest.mark.parametrize(
    "detail",
    ["Goal confirmed", "Penalty cancelled", "Penalty confirmed", "Goal not cancelled", None, ""],
)
def test_E6_other_var_events_cancel_nothing(detail: str | None) -> None:
    assert not is_cancellation("Var", detail)


def test_E6_only_var_events_cancel_goals() -> None:
    assert not is_cancellation("Goal", "Goal cancelled")
