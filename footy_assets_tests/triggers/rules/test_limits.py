"""T8, T9: how often a trigger may fire."""

from footy_assets.triggers.rules.engine import Engine, EntityLimits, Listener
from footy_assets.triggers.rules.limits import FireCount, recount
from footy_assets_tests.triggers.rules.builders import GOAL_AT_HOME, fired, run, snap, trigger, when

GOALS = [snap(n, goal__team="home", match__half=1 + n // 4) for n in range(1, 7)]
HER = ("user", "7")


def test_t9_no_limit_given_is_once_in_the_scope() -> None:
    assert when(run(trigger(GOAL_AT_HOME), GOALS)) == [1]
    assert when(run(trigger(GOAL_AT_HOME, limits={}), GOALS)) == [1]


def test_t9_zero_switches_a_limit_off() -> None:
    assert when(run(trigger(GOAL_AT_HOME, limits={"scope": 0}), GOALS)) == [1, 2, 3, 4, 5, 6]
    one = trigger(GOAL_AT_HOME, limits={"scope": 2, "football.match.half": 0})
    assert when(run(one, GOALS)) == [1, 2]


def test_t9_limits_not_used_do_not_hold() -> None:
    one = trigger(GOAL_AT_HOME, limits={"scope": 1}, use_limits=False)
    assert when(run(one, GOALS)) == [1, 2, 3, 4, 5, 6]


def test_t9_all_limits_hold_together() -> None:
    one = trigger(GOAL_AT_HOME, limits={"scope": 3, "football.match.half": 2})
    assert when(run(one, GOALS)) == [1, 2, 4]


def test_t9_the_minute_slides_on_the_time_of_the_snapshots() -> None:
    moments = [0, 20, 50, 61, 79, 81]
    snapshots = [snap(n, at=at, goal__team="home") for n, at in enumerate(moments, start=1)]
    assert when(run(trigger(GOAL_AT_HOME, limits={"minute": 2}), snapshots)) == [1, 2, 4, 6]


def test_t9_entity_limits_hold_over_all_triggers_that_use_them() -> None:
    shared = [trigger(GOAL_AT_HOME, limits={"scope": 0}, use_entity_limits=True) for _ in range(2)]
    alone = trigger(GOAL_AT_HOME, limits={"scope": 2})
    steps = run([*shared, alone], GOALS, {HER: EntityLimits({"scope": 3})})
    assert fired(steps)[:3] == [["t0", "t1", "t2"], ["t0", "t2"], []]
    assert [activation.next for activation in steps[1].activations] == [False, False]


def test_t9_an_entity_that_gives_no_limits_has_the_default() -> None:
    one = trigger(GOAL_AT_HOME, limits={"scope": 0}, use_entity_limits=True)
    assert when(run(one, GOALS)) == [1]


def test_t9_the_order_of_triggers_not_their_ids_decides_which_fires_last() -> None:
    one = trigger(GOAL_AT_HOME, use_entity_limits=True)
    for order in (("a", "b"), ("b", "a")):
        engine = Engine([Listener("x", one, order[0]), Listener("y", one, order[1])])
        first = "x" if order[0] == "a" else "y"
        assert [a.trigger_id for a in engine.step(GOALS[0], 1).activations] == [first]


def test_t9_raising_a_limit_revives_a_finished_trigger() -> None:
    engine = Engine([Listener("t", trigger(GOAL_AT_HOME, limits={"scope": 1}))])
    assert engine.step(GOALS[0], 1).activations
    assert not engine.step(GOALS[1], 2).candidates, "a finished trigger is not even looked at"
    tally = engine.tallies["t"]
    engine.put(Listener("t", trigger(GOAL_AT_HOME, limits={"scope": 2}), tally=tally))
    [activation] = engine.step(GOALS[2], 3).activations
    assert (activation.counts, activation.next) == ({"scope": 2}, False)


def test_t9_a_new_limit_counts_earlier_activations() -> None:
    assert recount({"football.match.half": 1}, GOALS[:4]) == FireCount(
        {"scope": 4, "football.match.half/1": 3, "football.match.half/2": 1}
    )


def test_t8_a_trigger_listens_again_after_it_fired() -> None:
    steps = run(trigger(GOAL_AT_HOME, limits={"scope": 5}), GOALS)
    assert [dict(step.activations[0].counts) for step in steps if step.activations] == [
        {"scope": n} for n in range(1, 6)
    ]
    assert [step.activations[0].next for step in steps if step.activations] == [
        *([True] * 4),
        False,
    ]


def test_t13_an_explanation_has_value_target_and_result_of_every_option() -> None:
    engine = Engine([Listener("t", trigger({**GOAL_AT_HOME, "options": [LATE]}))])
    explanation = engine.explain("t", snap(1, goal__team="home", match__minute=70))
    [condition] = explanation["conditions"]
    assert [(o["event"], o["value"], o["targets"], o["result"]) for o in condition["options"]] == [
        ("football.goal.team", "home", ["home"], True),
        ("football.match.minute", 70, [80], False),
    ]
    assert (explanation["satisfied"], explanation["fired"]) == (False, False)
    assert not engine.tallies["t"].counts, "explaining counts nothing"


def test_t13_an_explanation_names_the_exceeded_limit() -> None:
    engine = Engine([Listener("t", trigger(GOAL_AT_HOME))])
    engine.step(GOALS[0], 1)
    explanation = engine.explain("t", GOALS[1])
    assert (explanation["satisfied"], explanation["refused_by_limit"], explanation["fired"]) == (
        True,
        "scope",
        False,
    )


LATE = {"event": "football.match.minute", "compare": "ge", "targets": [80]}
