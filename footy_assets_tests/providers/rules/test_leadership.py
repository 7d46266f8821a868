"""L2: who leads a match."""

from hypothesis import given
from hypothesis import strategies as st

from footy_assets.providers.rules.leadership import NEVER_CHANGED, Leadership, evaluate_lead
from footy_assets_tests.providers.reports import NOON, after

RANK = {"lead": 100, "second": 80, "third": 60}


def evaluated(*rounds: dict[str, float], start: Leadership = NEVER_CHANGED) -> Leadership:
    state = start
    for number, ages in enumerate(rounds):
        state = evaluate_lead(state, "lead", ages, RANK, after(15 * number))
    return state


def test_L2_the_next_by_precedence_leads_after_two_evaluations() -> None:
    silent = {"lead": 120.0, "second": 59.0, "third": 1.0}
    assert evaluated(silent).leader("lead") == "lead"
    taken = evaluated(silent, silent)
    assert taken.leader("lead") == "second"
    assert taken.since == after(15)


def test_L2_both_evaluations_are_in_a_row() -> None:
    silent, back = {"lead": 120.0, "second": 10.0}, {"lead": 119.0, "second": 10.0}
    assert evaluated(silent, back, silent).leader("lead") == "lead"
    assert evaluated(silent, back, silent, silent).leader("lead") == "second"


def test_L2_nobody_takes_over_who_is_not_fresh() -> None:
    silent = {"lead": 500.0, "second": 60.0, "third": 80.0}
    assert evaluated(silent, silent, silent).leader("lead") == "lead"


def test_L2_it_is_handed_back_after_two_fresh_evaluations() -> None:
    acting = Leadership("second", leads=True, since=NOON)
    fresh, not_quite = {"lead": 59.0, "second": 5.0}, {"lead": 60.0, "second": 5.0}
    assert evaluated(fresh, start=acting).leader("lead") == "second"
    assert evaluated(fresh, not_quite, fresh, start=acting).leader("lead") == "second"
    handed = evaluated(fresh, fresh, start=acting)
    assert handed.leader("lead") == "lead"
    assert handed.acting == "second"


def test_L2_a_provider_that_acts_and_falls_silent_is_replaced_too() -> None:
    acting = Leadership("second", leads=True, since=NOON)
    silent = {"lead": 300.0, "second": 130.0, "third": 5.0}
    assert evaluated(silent, silent, start=acting).leader("lead") == "third"


def test_L2_a_lead_that_is_switched_off_is_replaced() -> None:
    off = {"second": 5.0}
    assert evaluated(off, off).leader("lead") == "second"


ages = st.dictionaries(st.sampled_from(sorted(RANK)), st.floats(0, 400))


@given(st.lists(ages, max_size=12))
def test_L2_in_any_history_who_acts_was_fresh_when_it_took_over(history: list[dict]) -> None:
    state = NEVER_CHANGED
    for number, of_round in enumerate(history):
        before = state
        state = evaluate_lead(before, "lead", of_round, RANK, after(15 * number))
        if state.leader("lead") != before.leader("lead"):
            assert of_round[state.leader("lead")] < 60
            assert state.stale == state.fresh == 0
        assert state.stale < 2 > state.fresh
