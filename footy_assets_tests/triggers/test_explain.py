"""T13: explanations of stored snapshots."""

import pytest

from footy_assets.errors import NotFound
from footy_assets.triggers.explain import explain_trigger
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.rules.builders import GOAL_AT_HOME, SECOND_HOME_GOAL, goal, trigger

pytestmark = pytest.mark.slow


def test_t13_a_stored_snapshot_is_explained_as_it_was_in_its_place(stages: Stages) -> None:
    stages.make(trigger(SECOND_HOME_GOAL))
    stages.push(goal(1), goal(2), goal(3))
    stages.evaluate()
    fired = [explain_trigger(stages.database, "t0", f"s{n}")["fired"] for n in (1, 2, 3)]
    assert fired == [False, True, False]
    seen = explain_trigger(stages.database, "t0", "s3")["conditions"][0]["options"][0]
    assert (seen["before"], seen["value"], seen["of"]) == (2, 3, ["home"])
    assert explain_trigger(stages.database, "t0", goal(4))["satisfied"] is False
    assert explain_trigger(stages.database, "t0")["snapshot_id"] == "s3"
    with pytest.raises(NotFound):
        explain_trigger(stages.database, "t0", "s9")


def test_t13_a_snapshot_older_than_the_trigger_did_not_fire_it(stages: Stages) -> None:
    stages.push(goal(1))
    stages.make(trigger(GOAL_AT_HOME))
    document = explain_trigger(stages.database, "t0", "s1")
    assert (document["satisfied"], document["listens"], document["fired"]) == (True, False, False)
