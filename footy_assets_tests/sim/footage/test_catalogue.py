"""The list of posted videos and the truth about each; nothing is rendered."""

from collections import Counter
from datetime import timedelta

import pytest

from footy_assets.sim import World, make_world
from footy_assets.sim.footage import (
    AiredGoal,
    ExpectedOutcome,
    ExpectedReason,
    FanVideo,
    Kind,
    aired_goals,
    catalogue,
    videos_of,
)
from footy_assets.sim.footage.film import SIZE
from footy_assets.sim.footage.video import LOOK_ALIKES

Videos = tuple[FanVideo, ...]
Aired = dict[str, AiredGoal]


def test_every_goal_of_the_truth_is_aired_and_has_a_handful_of_videos(
    world: World, aired_goals_by_key: Aired, videos: Videos
) -> None:
    assert [goal.goal for goal in aired_goals_by_key.values()] == list(world.truth())
    for key in aired_goals_by_key:
        assert 4 <= len(videos_of(videos, key)) <= 7


def test_every_goal_has_a_right_video_that_shows_its_clock(
    aired_goals_by_key: Aired, videos: Videos
) -> None:
    for key in aired_goals_by_key:
        right = [v for v in videos_of(videos, key) if v.expected is ExpectedOutcome.RIGHT]
        assert any(video.shows_clock for video in right)
        assert all(video.shows == key for video in right)


def test_the_same_world_and_seed_give_the_same_catalogue(world: World, videos: Videos) -> None:
    assert catalogue(make_world()) == videos
    assert catalogue(world, seed=8) != videos


def test_a_catalogue_holds_every_kind_and_every_reason(videos: Videos) -> None:
    assert {video.kind for video in videos} == set(Kind)
    assert {video.expected_reason for video in videos} == {None, *ExpectedReason}
    assert {video.expected for video in videos} == set(ExpectedOutcome)


def test_video_ids_are_unique_and_posts_are_in_order(videos: Videos) -> None:
    assert max(Counter(video.video_id for video in videos).values()) == 1
    moments = [video.posted_at for video in videos]
    assert moments == sorted(moments)


def test_the_broadcast_is_the_best_copy_of_its_goal(
    aired_goals_by_key: Aired, videos: Videos
) -> None:
    for key in aired_goals_by_key:
        rights = [v for v in videos_of(videos, key) if v.expected is ExpectedOutcome.RIGHT]
        best = next(video for video in rights if video.kind is Kind.BROADCAST)
        others = [video for video in rights if video is not best]
        assert best.size == SIZE
        assert all(video.duration <= best.duration + 0.04 for video in others)
        assert all(video.size[0] < best.size[0] for video in others)


def test_some_goals_get_their_best_copy_only_minutes_later(videos: Videos) -> None:
    delays = [video.delay for video in videos if video.kind is Kind.BROADCAST]
    late = [delay for delay in delays if delay >= timedelta(minutes=4)]
    assert len(delays) / 5 < len(late) < len(delays) / 1.5


def test_a_goal_that_settles_late_has_a_right_video_after_that(
    aired_goals_by_key: Aired, videos: Videos
) -> None:
    for key, goal in aired_goals_by_key.items():
        if goal.goal.ending == "removed":
            continue
        right = [v for v in videos_of(videos, key) if v.expected is ExpectedOutcome.RIGHT]
        assert any(video.posted_at > goal.goal.settled_at for video in right)


def test_clips_of_another_goal_have_a_clock_that_gives_them_away(
    aired_goals_by_key: Aired, videos: Videos
) -> None:
    wrong = [video for video in videos if video.kind is Kind.OTHER_GOAL]
    assert wrong
    assert {video.expected for video in wrong} == {ExpectedOutcome.WRONG}
    for video in wrong:
        assert video.recipe is not None
        assert video.recipe.film is not None
        assert video.shows != video.goal_key
        clock = video.recipe.film.clock // 60
        assert all(
            abs(clock - minute) >= 3 for minute in aired_goals_by_key[video.goal_key].minutes
        )
        if video.shows is not None:
            assert aired_goals_by_key[video.shows].goal.shown_at < video.posted_at


def test_v7_only_the_scorebug_gives_footage_of_another_match_or_day_away(
    aired_goals_by_key: Aired, videos: Videos
) -> None:
    kinds = Counter(video.kind for video in videos if video.kind in LOOK_ALIKES)
    assert set(kinds) == set(LOOK_ALIKES)
    for video in (video for video in videos if video.kind in LOOK_ALIKES):
        assert video.expected is ExpectedOutcome.WRONG
        assert video.recipe is not None
        shown = video.recipe.film
        assert shown is not None
        meant = aired_goals_by_key[video.goal_key].film
        assert shown.clock == meant.clock
        if video.kind is Kind.OTHER_MATCH:
            assert {shown.home, shown.away}.isdisjoint({meant.home, meant.away})
        else:
            assert (shown.home, shown.away) == (meant.home, meant.away)
            assert shown.score[0] >= meant.score[0] + 3


def test_an_exact_duplicate_has_the_recipe_of_its_original(videos: Videos) -> None:
    by_id = {video.video_id: video for video in videos}
    duplicates = [video for video in videos if video.expected is ExpectedOutcome.DUPLICATE]
    assert duplicates
    for video in duplicates:
        assert video.duplicate_of is not None
        assert by_id[video.duplicate_of].recipe == video.recipe
        assert by_id[video.duplicate_of].goal_key == video.goal_key


def test_the_clock_on_air_is_within_a_minute_of_the_final_feed(aired_goals_by_key: Aired) -> None:
    """V3: expected minute = elapsed + extra - 1, verified within one."""
    for goal in aired_goals_by_key.values():
        expected = goal.goal.elapsed + (goal.goal.extra or 0) - 1
        assert abs(goal.clock_minute - expected) <= 1


def test_the_score_on_air_counts_up_to_the_final_one(
    world: World, aired_goals_by_key: Aired
) -> None:
    for script in world.scripts:
        goals = [
            goal
            for goal in aired_goals_by_key.values()
            if goal.goal.fixture_id == script.fixture_id
        ]
        standing = [goal for goal in goals if goal.goal.ending != "removed"]
        if standing and script.timetable.awarded is None:
            last = max(standing, key=lambda goal: goal.film.clock)
            assert last.film.score == world.final_score(script.fixture_id)


@pytest.mark.parametrize("matches", [1, 3])
def test_small_worlds_have_catalogues_too(matches: int) -> None:
    world = make_world(matches=matches)
    assert {video.goal_key for video in catalogue(world)} == {g.key for g in aired_goals(world)}
