"""The demo's check of clips finds wrong clips, missing clips and clips of removed goals."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from footy_assets.sim.check_clips import check_clips
from footy_assets.sim.check_goals import GoalCheck
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import ExpectedOutcome, Kind
from footy_assets.sim.single_goals import one_goal_each

WORLD = one_goal_each([timedelta(minutes=2), timedelta(minutes=9)])
FIRST, SECOND = (GoalCheck(goal, f"goal-{n}") for n, goal in enumerate(WORLD.truth(), 1))


@pytest.fixture(scope="module")
def fans(tmp_path_factory: pytest.TempPathFactory) -> Fans:
    return Fans(WORLD, Path(tmp_path_factory.mktemp("none")))


def clip(fans: Fans, goal: int, event_id: str, **wanted: Any) -> dict[str, Any]:
    """A stored clip of a post about this goal with the wanted outcome."""
    video_id = next(
        name
        for name, video in fans.videos_by_post().items()
        if video.goal_key == fans.goal_keys[goal - 1]
        and all(getattr(video, field) == value for field, value in wanted.items())
    )
    return {"event_id": event_id, "video_id": video_id}


def problems(fans: Fans, goals: list[GoalCheck], clips: list[dict[str, Any]]) -> list[str]:
    keys = dict(enumerate(fans.goal_keys))
    return [check.problem for check in check_clips(goals, keys, clips, fans.videos_by_post())]


def test_right_clips_pass(fans: Fans) -> None:
    stored = [
        clip(fans, 1, "goal-1", expected=ExpectedOutcome.RIGHT),
        clip(fans, 2, "goal-2", kind=Kind.BROADCAST),
    ]
    assert problems(fans, [FIRST, SECOND], stored) == ["", ""]


def test_a_goal_without_a_clip_is_a_problem(fans: Fans) -> None:
    stored = [clip(fans, 1, "goal-1", expected=ExpectedOutcome.RIGHT)]
    assert problems(fans, [FIRST, SECOND], stored) == ["", "no clip"]


def test_a_clip_of_another_goal_is_wrong(fans: Fans) -> None:
    stored = [
        clip(fans, 2, "goal-1", kind=Kind.BROADCAST),
        clip(fans, 2, "goal-2", kind=Kind.BROADCAST),
    ]
    first, second = problems(fans, [FIRST, SECOND], stored)
    assert first.startswith("wrong clips: broadcast")
    assert second == ""


def test_a_film_posted_as_another_goal_is_right_for_the_goal_that_it_shows(fans: Fans) -> None:
    of_first = clip(fans, 1, "goal-1", kind=Kind.BROADCAST)
    shown = fans.videos_by_post()[of_first["video_id"]]
    posted_as_second = replace(
        shown,
        goal_key=fans.goal_keys[1],
        kind=Kind.OTHER_GOAL,
        expected=ExpectedOutcome.WRONG,
    )
    videos = {of_first["video_id"]: posted_as_second}
    keys = dict(enumerate(fans.goal_keys))
    (first, _) = check_clips([FIRST, SECOND], keys, [of_first], videos)
    assert first.problem == ""
    as_second = {**of_first, "event_id": "goal-2"}
    (_, second) = check_clips([FIRST, SECOND], keys, [as_second], videos)
    assert second.problem.startswith("wrong clips: other goal")


def test_a_clip_of_a_video_that_should_be_refused_is_wrong(fans: Fans) -> None:
    refused = next(
        video.expected
        for video in fans.videos
        if video.expected not in (ExpectedOutcome.RIGHT, ExpectedOutcome.DUPLICATE)
    )
    number = next(
        n for n, key in enumerate(fans.goal_keys, 1)
        if any(v.goal_key == key and v.expected == refused for v in fans.videos)
    )  # fmt: skip
    goal = (FIRST, SECOND)[number - 1]
    stored = [clip(fans, number, goal.event_id or "", expected=refused)]
    assert problems(fans, [FIRST, SECOND], stored)[number - 1].startswith("wrong clips: ")


def test_a_removed_goal_must_have_no_clips(fans: Fans) -> None:
    removed = replace(SECOND, goal=replace(SECOND.goal, ending="removed"))
    stored = [
        clip(fans, 1, "goal-1", expected=ExpectedOutcome.RIGHT),
        clip(fans, 2, "goal-2", kind=Kind.BROADCAST),
    ]
    assert problems(fans, [FIRST, removed], stored) == ["", "1 clips of a goal that is removed"]


def test_clips_under_a_reused_identity_belong_to_the_valid_goal(fans: Fans) -> None:
    removed = replace(FIRST, event_id="goal-2", goal=replace(FIRST.goal, ending="removed"))
    stored = [clip(fans, 2, "goal-2", kind=Kind.BROADCAST)]
    assert problems(fans, [removed, SECOND], stored) == ["", ""]
    left_behind = [clip(fans, 1, "goal-2", kind=Kind.BROADCAST)]
    assert problems(fans, [removed, SECOND], left_behind)[1].startswith("wrong clips: ")
