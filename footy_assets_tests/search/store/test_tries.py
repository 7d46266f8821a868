"""The tries of videos whose process was killed, or whose database went away, in the middle."""

import pytest
from pymongo.database import Database

from footy_assets.search.rules.video import MAX_TRIES, VideoState
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.collections import VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.search.store.test_searches import post


@pytest.fixture
def videos(database: Database[Document]) -> VideoStore:
    put_goal(database)
    return VideoStore(database)


def choose(videos: VideoStore, *numbers: int) -> None:
    posts = [post(number) for number in numbers]
    videos.add_posts(GOAL, 1, STABLE, seen=posts, chosen=posts)


def begin(videos: VideoStore, try_id: str) -> list[str]:
    return [one["video_id"] for one in videos.begin_try(GOAL.key, try_id, STABLE)]


def tries(database: Database[Document]) -> dict[str, int]:
    return {one["video_id"]: one["tries"] for one in database[VIDEOS].find()}


def test_a_try_of_several_videos_that_did_not_end_costs_none_of_them(
    videos: VideoStore, database: Database[Document]
) -> None:
    choose(videos, 1, 2, 3)
    assert begin(videos, "killed") == ["x:1", "x:2", "x:3"]
    assert begin(videos, "next") == ["x:1"], "one may have ended the process: each on its own"
    assert tries(database) == {"x:1": 1, "x:2": 0, "x:3": 0}


def test_tries_that_end_and_tries_alone_count(
    videos: VideoStore, database: Database[Document]
) -> None:
    choose(videos, 1, 2)
    begin(videos, "failed downloads")
    videos.end_try(GOAL.key, "failed downloads")
    assert tries(database) == {"x:1": 1, "x:2": 1}
    begin(videos, "killed")
    begin(videos, "killed again")
    assert tries(database) == {"x:1": 2, "x:2": 1}


def test_our_own_outage_gives_a_try_back_once(
    videos: VideoStore, database: Database[Document]
) -> None:
    choose(videos, 1, 2)
    begin(videos, "S3 is away")
    for _ in range(2):
        videos.postpone(GOAL.key, "S3 is away", "S3 is away", own_outage=True)
    assert tries(database) == {"x:1": 0, "x:2": 0}
    assert begin(videos, "next") == ["x:1", "x:2"], "nothing is known against any of them"


def test_a_video_that_ends_every_process_is_given_up(
    videos: VideoStore, database: Database[Document]
) -> None:
    choose(videos, 1)
    begun = [begin(videos, f"killed {number}") for number in range(MAX_TRIES + 1)]
    assert begun == [["x:1"]] * MAX_TRIES + [[]]
    (video,) = database[VIDEOS].find()
    assert video["state"] == VideoState.FAILED
