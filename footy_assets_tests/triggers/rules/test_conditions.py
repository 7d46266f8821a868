"""T4–T7: what holds in a snapshot."""

import pytest
from pydantic import ValidationError

from footy_assets.triggers.rules.counters import crossed
from footy_assets.triggers.rules.engine import Engine, Listener
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets_tests.triggers.rules.builders import (
    GOAL_AT_HOME,
    document,
    fired,
    option,
    run,
    snap,
    trigger,
    when,
)

ALWAYS = {"scope": 0}
LATE = option("match.minute", "ge", 80)
LEADS_BY_TWO = option("score.differential", "ge", 2)


def test_t4_the_root_is_an_option_like_the_others() -> None:
    [condition] = trigger({**GOAL_AT_HOME, "options": [LATE, GOAL_AT_HOME]}).conditions
    assert [one.event for one in condition.all_options] == [
        "football.goal.team",
        "football.match.minute",
    ]


def test_t5_options_and_conditions_hold_together_in_one_snapshot() -> None:
    """Home leads by two after 80'."""
    snapshots = [
        snap(1, match__minute=81, score__differential=1),
        snap(2, match__minute=60, score__differential=2),
        snap(3, match__minute=80, score__differential=2),
    ]
    assert when(run(trigger({**LEADS_BY_TWO, "options": [LATE]}), snapshots)) == [3]
    assert when(run(trigger(LEADS_BY_TWO, LATE), snapshots)) == [3]


def test_t5_triggers_of_an_entity_are_alternatives() -> None:
    red = option("card.type", "in", "red")
    steps = run([trigger(red), trigger(GOAL_AT_HOME)], [snap(1, goal__team="home")])
    assert fired(steps) == [["t1"]]


def test_t5_a_missing_option_is_false_even_for_ne() -> None:
    assert when(run(trigger(option("card.type", "ne", "red")), [snap(1, goal__team="home")])) == []


@pytest.mark.parametrize(("needed", "fires"), [(1, [1, 2, 3]), (2, [2, 3]), (3, [3]), (0, [3])])
def test_t5_a_threshold_of_n_conditions_suffices(needed: int, fires: list[int]) -> None:
    some = trigger(
        GOAL_AT_HOME,
        LATE,
        option("goal.type", "eq", "penalty"),
        limits=ALWAYS,
        use_condition_threshold=True,
        threshold=needed,
    )
    snapshots = [
        snap(1, match__minute=85),
        snap(2, match__minute=85, goal__team="home"),
        snap(3, match__minute=85, goal__team="home", goal__type="penalty"),
    ]
    assert when(run(some, snapshots)) == fires


@pytest.mark.parametrize("flag", ["disabled", "disabled_entity"])
def test_t5_a_disabled_trigger_never_fires(flag: str) -> None:
    assert when(run(trigger(GOAL_AT_HOME, **{flag: True}), [snap(1, goal__team="home")])) == []


@pytest.mark.parametrize(
    ("compare", "targets", "values"),
    [
        ("in", [1, 3], [1, 3]),
        ("eq", [2], [2]),
        ("ne", [2], [1, 3]),
        ("gt", [2], [3]),
        ("ge", [2], [2, 3]),
        ("lt", [2], [1]),
        ("le", [2], [1, 2]),
    ],
)
def test_t6_every_comparison(compare: str, targets: list[int], values: list[int]) -> None:
    one = trigger(option("score.home", compare, *targets), limits=ALWAYS)
    assert when(run(one, [snap(n, score__home=n) for n in (1, 2, 3)])) == values


def test_t6_in_matches_any_value_of_a_list() -> None:
    comes_on = trigger(option("substitution.in", "in", 234))
    assert when(run(comes_on, [snap(1, substitution__in=[7, 234])])) == [1]


def test_t6_a_players_number_and_its_text_are_the_same() -> None:
    assert when(run(trigger(option("goal.player", "eq", "234")), [snap(1, goal__player=234)])) == [
        1
    ]


BAD = {
    "unknown event": ({**GOAL_AT_HOME, "event": "football.golas"}, "conditions.0.event"),
    "wrong type": (option("match.minute", "ge", "late"), "conditions.0.targets"),
    "a boolean is no number": (option("match.minute", "ge", True), "conditions.0.targets"),
    "a number where text is due": (option("goal.type", "eq", 3), "conditions.0.targets"),
    "wrong comparison": (option("goal.team", "gt", "home"), "conditions.0.compare"),
    "no such comparison": (option("goal.team", "like", "home"), "conditions.0.compare"),
    "empty targets": (option("goal.team", "in"), "conditions.0.targets"),
    "huge list": (option("goal.team", "in", *map(str, range(101))), "conditions.0.targets"),
    "two targets for eq": (option("match.half", "eq", 1, 2), "conditions.0.targets"),
    "wrong declared type": ({**GOAL_AT_HOME, "type": "number"}, "conditions.0.type"),
    "unknown field": ({**GOAL_AT_HOME, "compar": "in"}, "conditions.0.compar"),
    "in an option": (
        {**GOAL_AT_HOME, "options": [option("match.half", "eq", "one")]},
        "conditions.0.options.0.targets",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_t6_a_bad_condition_is_refused_by_the_name_of_its_field(name: str) -> None:
    condition, field = BAD[name]
    with pytest.raises(ValidationError) as refused:
        trigger(condition)
    assert field in {".".join(map(str, error["loc"])) for error in refused.value.errors()}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"limits": {"football.goals": 1}}, "limits"),
        ({"limits": {"football.team.scores": 1}}, "limits"),
        ({"limits": {"scope": -1}}, "limits.scope"),
        ({"limits": {"scope": "once"}}, "limits.scope"),
        ({"limits": {"scope": True}}, "limits.scope"),
        ({"threshold": -1}, "trigger.threshold"),
        ({"payload": {"text": "x" * 20_000}}, "trigger.payload"),
        ({"entity": ""}, "trigger.entity"),
        ({"disabled": "no"}, "trigger.disabled"),
        ({"scope": "season"}, "trigger.scope"),
    ],
)
def test_t6_a_bad_trigger_is_refused_by_the_name_of_its_field(
    given: dict[str, object], field: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        Trigger.model_validate(document(GOAL_AT_HOME, **given))  # type: ignore[arg-type]
    assert field in {".".join(map(str, error["loc"])) for error in refused.value.errors()}


def test_t6_a_threshold_above_the_number_of_conditions_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"trigger\.threshold"):
        trigger(GOAL_AT_HOME, use_condition_threshold=True, threshold=2)


# -- T7 -----------------------------------------------------------------------------------


def of(aggregate: str, selector: str, *names: object, compare: str = "eq", n: int = 2) -> dict:
    return option(aggregate, compare, n, options=[option(selector, "in", *names)])


def test_t7_several_targets_sum() -> None:
    """Salah and Núñez score two between them."""
    pair = trigger(of("player.scores", "player", 234, 235), limits=ALWAYS)
    scorers = [234, 9, 235, 234]
    assert when(run(pair, [snap(n, goal__player=p) for n, p in enumerate(scorers, 1)])) == [3]


def test_t7_a_counter_that_jumps_satisfies_each_passed_number_once() -> None:
    fourth = trigger(of("team.corners", "team", "home", n=4), limits=ALWAYS)
    counts = [3, 5, 5, 6]
    snapshots = [snap(n, team="home", team__corners=c) for n, c in enumerate(counts, 1)]
    assert when(run(fourth, snapshots)) == [2]
    given_by_name = [snap(n, team__corners={"home": c, "away": 9}) for n, c in enumerate(counts, 1)]
    assert when(run(fourth, given_by_name)) == [2]


@pytest.mark.parametrize("compare", ["in", "eq", "ne", "gt", "ge", "lt", "le"])
def test_t7_a_crossing_holds_if_any_passed_number_does(compare: str) -> None:
    holds = {
        "in": lambda v, t: v == t,
        "eq": lambda v, t: v == t,
        "ne": lambda v, t: v != t,
        "gt": lambda v, t: v > t,
        "ge": lambda v, t: v >= t,
        "lt": lambda v, t: v < t,
        "le": lambda v, t: v <= t,
    }[compare]
    for before in range(5):
        for after in range(5):
            for target in range(6):
                passed = range(before + 1, after + 1)
                expected = any(holds(value, target) for value in passed)
                assert crossed(compare, [target], before, after) == expected


def test_t7_without_a_selector_everyone_counts() -> None:
    third = trigger(option("team.scores", "eq", 3))
    snapshots = [snap(n, goal__team=team) for n, team in enumerate(["home", "away", "away"], 1)]
    assert when(run(third, snapshots)) == [3]


def test_t7_an_own_goal_counts_for_the_side_not_for_the_player() -> None:
    own = {"goal__type": "own", "goal__team": "home", "goal__player": 5}
    snapshots = [snap(n, **own) for n in (1, 2)]
    assert when(run(trigger(of("player.scores", "player", 5)), snapshots)) == []
    assert when(run(trigger(of("team.scores", "team", "home")), snapshots)) == [2]


def test_t7_a_goal_cancelled_by_var_is_recounted() -> None:
    second = trigger(of("player.scores", "player", 234), limits=ALWAYS)
    snapshots = [
        snap(1, goal__player=234, goal__team="home"),
        snap(2, goal__player=234, goal__team="home"),
        snap(3, var__outcome="goal cancelled", team="home", player=234, cancels="s2"),
        snap(4, goal__player=234, goal__team="home"),
    ]
    steps = run(second, snapshots)
    assert when(steps) == [2, 4]
    assert [(r.trigger_id, r.snapshot_id, r.by.id) for r in steps[2].retractions] == [
        ("t0", "s2", "s3")
    ]


def test_t7_a_cancellation_without_a_goal_means_the_last_of_that_side() -> None:
    first = trigger(of("team.scores", "team", "home", n=1), limits=ALWAYS)
    snapshots = [
        snap(1, goal__team="home"),
        snap(2, goal__team="away"),
        snap(3, var__outcome="goal cancelled", team="home"),
        snap(4, goal__team="home"),
    ]
    assert when(run(first, snapshots)) == [1, 4]


def test_t7_a_trigger_created_midway_counts_earlier_snapshots() -> None:
    engine = Engine()
    engine.step(snap(1, goal__team="home"), 1)
    engine.put(Listener("t", trigger(of("team.scores", "team", "home")), since=1))
    assert engine.step(snap(2, goal__team="home"), 2).activations


def test_t7_cards_are_counted_like_goals() -> None:
    cards = [snap(n, card__player=5, card__team="away", card__type="yellow") for n in (1, 2)]
    assert when(run(trigger(of("player.cards", "player", 5)), cards)) == [2]
    assert when(run(trigger(of("team.cards", "team", "away")), cards)) == [2]
    assert when(run(trigger(of("team.cards", "team", "home")), cards)) == []


# -- replaced snapshots -------------------------------------------------------------------


def test_t3_a_scorer_named_later_fires_only_his_trigger() -> None:
    side, scorer = trigger(GOAL_AT_HOME, limits=ALWAYS), trigger(option("goal.player", "in", 234))
    second = trigger(of("team.scores", "team", "home", n=1), limits=ALWAYS)
    snapshots = [
        snap(1, goal__team="home"),
        snap(2, goal__team="home", goal__player=234, replaces="s1"),
    ]
    steps = run([side, scorer, second], snapshots)
    assert fired(steps) == [["t0", "t2"], ["t1"]]
    assert steps[1].retractions == ()


def test_t11_a_goal_given_to_another_is_retracted_for_the_first() -> None:
    one, other = (trigger(of("player.scores", "player", p, n=1)) for p in (234, 9))
    snapshots = [
        snap(1, goal__team="home", goal__player=9),
        snap(2, goal__team="home", goal__player=234, replaces="s1"),
    ]
    steps = run([one, other], snapshots)
    assert fired(steps) == [["t1"], ["t0"]]
    assert [(r.trigger_id, r.snapshot_id) for r in steps[1].retractions] == [("t1", "s1")]


def test_t11_an_activation_before_the_scorer_was_named_is_retracted_by_its_first_snapshot() -> None:
    snapshots = [
        snap(1, goal__team="home"),
        snap(2, goal__team="home", goal__player=234, replaces="s1"),
        snap(3, var__outcome="goal cancelled", team="home", cancels="s2"),
    ]
    steps = run(trigger(GOAL_AT_HOME), snapshots)
    assert [(r.trigger_id, r.snapshot_id) for r in steps[2].retractions] == [("t0", "s1")]
