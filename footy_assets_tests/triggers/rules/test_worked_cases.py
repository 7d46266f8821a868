"""T10: the worked cases of the spec, one test each."""

from footy_assets_tests.triggers.rules.builders import (
    GOAL_AT_HOME,
    option,
    run,
    snap,
    trigger,
    when,
)


def test_t10_scope_1_first_match_fires_with_next_false_later_ones_never() -> None:
    steps = run(
        trigger(GOAL_AT_HOME, limits={"scope": 1}),
        [snap(n, goal__team="home") for n in range(1, 6)],
    )
    assert when(steps) == [1]
    assert steps[0].activations[0].next is False


def test_t10_per_half_1_fires_silent_fires_once_in_the_second_half() -> None:
    halves = [1, 1, 2, 2, 2]
    steps = run(
        trigger(GOAL_AT_HOME, limits={"football.match.half": 1}),
        [snap(n, goal__team="home", match__half=half) for n, half in enumerate(halves, start=1)],
    )
    assert when(steps) == [1, 3]


def test_t10_minute_1_fires_silent_fires_again_after_the_window_next_true() -> None:
    moments = [0, 30, 59, 60, 61]
    steps = run(
        trigger(GOAL_AT_HOME, limits={"minute": 1}),
        [snap(n, at=at, goal__team="home") for n, at in enumerate(moments, start=1)],
    )
    assert when(steps) == [1, 4]
    assert [steps[n].activations[0].next for n in (0, 3)] == [True, True]


def test_t10_team_scores_eq_2_over_home_away_away_home_only_the_fourth_fires() -> None:
    condition = option("team.scores", "eq", 2, options=[option("team", "in", "home")])
    scored = ["home", "away", "away", "home"]
    snapshots = [snap(n, goal__team=team) for n, team in enumerate(scored, start=1)]
    assert when(run(trigger(condition), snapshots)) == [4]
    assert when(run(trigger(condition, limits={"scope": 0}), snapshots)) == [4]


def test_t10_counts_after_one_activation_in_half_2_with_a_half_limit() -> None:
    [step] = run(
        trigger(GOAL_AT_HOME, limits={"football.match.half": 1}),
        [snap(1, goal__team="home", match__half=2)],
    )
    assert step.activations[0].counts == {"scope": 1, "football.match.half/2": 1}
