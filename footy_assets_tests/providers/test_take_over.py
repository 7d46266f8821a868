"""L2: the lead fails in play, and the other provider leads its matches; all faults are in
`take_over_faults.py`, which `benchmarks/take_over.py` measures whole."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets_tests.providers.take_over_faults import (
    STARTS_AT,
    Times,
    comes_back_wrong,
    disagrees_on_scorers,
    never_returns,
    outcome,
)
from footy_assets_tests.providers.take_over_rig import (
    FAULT_AT,
    LEADS,
    TakeOverRig,
    take_over_rig,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def rig(database: Database[Document], request: pytest.FixtureRequest) -> Iterator[TakeOverRig]:
    with take_over_rig(database, request.param) as made:
        made.step()
        made.jump_to(STARTS_AT + 2)
        made.run_until_polled(FAULT_AT)
        yield made


def assert_nothing_lost(rig: TakeOverRig, times: Times) -> None:
    found = outcome(rig, times)
    assert (found.lost, found.doubled, found.vanished, found.wrong_scorers) == (0, 0, 0, 0)
    assert found.polls_with_cancelled == 0


@pytest.mark.parametrize("rig", LEADS, indirect=True)
def test_l2_a_lead_that_dies_in_play_is_replaced_and_the_match_ends(rig: TakeOverRig) -> None:
    times = never_returns(rig)
    assert times.take_over == 135
    rig.run_until(30)
    assert_nothing_lost(rig, times)
    rig.jump_to(113)
    rig.run_until(117)
    assert rig.ended()
    assert all(goal.stable for goal in rig.live_goals())
    assert_nothing_lost(rig, times)


@pytest.mark.parametrize("rig", LEADS[:1], indirect=True)
def test_l2_a_lead_that_comes_back_with_old_data_removes_and_restores_no_goal(
    rig: TakeOverRig,
) -> None:
    times = comes_back_wrong(rig)
    rig.run_until(39)
    assert set(rig.leaders().values()) == {rig.lead}
    assert_nothing_lost(rig, times)


@pytest.mark.parametrize("rig", LEADS[1:], indirect=True)
def test_l2_two_providers_that_disagree_on_scorers_and_minutes_make_one_goal(
    rig: TakeOverRig,
) -> None:
    times = disagrees_on_scorers(rig)
    rig.run_until(44)
    assert_nothing_lost(rig, times)
