"""Which goals need a run, and when there is something to delete."""

from dataclasses import replace
from datetime import timedelta

from pymongo.database import Database

from footy_assets.clips.due import goals_due, is_retention_due, overdue_held
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.matchday.rules.goal import GoalEvent, Removal, RemovalReason
from footy_assets.matchday.store.documents import goal_document
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.retention import RetentionStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import EVENTS, FIXTURES, HELD_FILES, VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal

KEEP = timedelta(days=14)


def put_waiting(database: Database[Document], name: str) -> GoalEvent:
    named = replace(GOAL, key=f"goal-{name}", event_id=f"5000_40_306_Goal_{name}")
    goal = put_goal(database, named)
    database[VIDEOS].insert_one(
        {"_id": name, "goal_key": goal.key, "state": "chosen", "not_before": STABLE}
    )
    return goal


def due(
    database: Database[Document], partitions: set[str], *running: str, limit: int = 8
) -> list[str]:
    found = goals_due(
        GoalStore(database), VideoStore(database), partitions, lambda g: g.key in running, limit
    )
    return [one.goal.key for one in found]


def test_goals_with_new_videos_are_due_up_to_a_limit(database: Database[Document]) -> None:
    partitions = {put_waiting(database, name).event_id for name in "abc"}
    assert due(database, partitions) == ["goal-a", "goal-b", "goal-c"]
    assert due(database, partitions, limit=2) == ["goal-a", "goal-b"]


def test_a_goal_with_a_run_does_not_use_up_the_limit(database: Database[Document]) -> None:
    partitions = {put_waiting(database, name).event_id for name in "abc"}
    assert due(database, partitions, "goal-a", limit=2) == ["goal-b", "goal-c"]


def test_se9_of_20_goals_the_one_that_somebody_waits_for_is_first(
    database: Database[Document],
) -> None:
    names = [f"{number:02}" for number in range(20)]
    partitions = {put_waiting(database, name).event_id for name in names}
    SearchStore(database).set_preferred("goal-17")
    assert due(database, partitions) == ["goal-17", *(f"goal-{name}" for name in names[:7])]


def test_se9_goals_without_a_clip_are_before_those_that_have_one(
    database: Database[Document],
) -> None:
    partitions = {put_waiting(database, name).event_id for name in "abcd"}
    SearchStore(database).set_preferred("goal-d")
    found = goals_due(
        GoalStore(database), VideoStore(database), partitions, lambda _: False, 8, (),
        served={"goal-a", "goal-d"},
    )  # fmt: skip
    assert [(one.goal.key, one.served) for one in found] == [
        ("goal-d", True),
        ("goal-b", False),
        ("goal-c", False),
        ("goal-a", True),
    ]


def test_se8_held_files_of_a_goal_that_is_stable_for_a_while_are_overdue(
    database: Database[Document],
) -> None:
    stable, seen = put_goal(database), replace(GOAL, key="goal-b", event_id="5000_40_307_Goal_1")
    put_goal(database, replace(seen, stable_at=None, seen_in_polls=("p1",)))
    for goal in (stable, seen):
        database[HELD_FILES].insert_one({"goal_key": goal.key, "not_before": STABLE})
    held = HeldFiles(database)
    assert overdue_held(GoalStore(database), held, STABLE) == []
    assert overdue_held(GoalStore(database), held, STABLE + KEEP) == [GOAL.key]
    found = goals_due(
        GoalStore(database), VideoStore(database), {GOAL.event_id}, lambda _: False, 8, [GOAL.key]
    )
    assert [one.goal.key for one in found] == [GOAL.key]


def test_a_goal_without_a_partition_a_removed_one_and_a_deleted_one_are_not_due(
    database: Database[Document],
) -> None:
    goals = [put_waiting(database, name) for name in "abc"]
    removed = goal_document(replace(goals[1], removal=Removal(STABLE, RemovalReason.VAR)))
    database[EVENTS].replace_one({"_id": "goal-b"}, removed)
    database[EVENTS].delete_one({"_id": "goal-c"})
    assert due(database, {goal.event_id for goal in goals[1:]}) == []


def is_due(database: Database[Document]) -> bool:
    return is_retention_due(RetentionStore(database), ClipDocuments(database), STABLE, KEEP)


def test_F9_retention_is_due_when_a_match_has_expired(database: Database[Document]) -> None:
    completed = {"_id": 1, "state": "completed", "completed_at": STABLE - KEEP}
    database[FIXTURES].insert_one({**completed, "completed_at": STABLE})
    assert not is_due(database)
    database[FIXTURES].replace_one({"_id": 1}, completed)
    assert is_due(database)


def test_retention_is_due_when_a_removed_goal_has_objects(database: Database[Document]) -> None:
    put_goal(database)
    assert not is_due(database)
    database[EVENTS].update_one({}, {"$set": {"live": False, "objects_left": True}})
    assert is_due(database)
