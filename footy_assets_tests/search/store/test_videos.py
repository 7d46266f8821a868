"""SE2: the tries of a video, also when the answer to a write is lost."""

from dataclasses import replace

import pytest
from pymongo.database import Database

from footy_assets.clips.rules.reasons import REASONS
from footy_assets.search.rules.posts import Likelihood, Post
from footy_assets.search.rules.video import MAX_TRIES, VideoReason, VideoState
from footy_assets.search.store.videos import SiteVideoCounts, VideoStore
from footy_assets.store.collections import VIDEOS, Document
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.store.lost_answers import lose_answers


@pytest.fixture
def videos(database: Database[Document]) -> VideoStore:
    put_goal(database)
    store = VideoStore(database)
    post = Post("x", "1", "https://x.test/1", STABLE, video_url="https://x.test/1")
    store.add_posts(GOAL, 1, STABLE, seen=[post], chosen=[post])
    return store


def begin(videos: VideoStore, try_id: str) -> list[Document]:
    return videos.begin_try(GOAL.key, try_id, STABLE)


def tries(database: Database[Document]) -> int:
    (video,) = database[VIDEOS].find()
    return int(video["tries"])


def test_se2_each_try_is_counted_once(videos: VideoStore, database: Database[Document]) -> None:
    for number in range(1, MAX_TRIES + 1):
        assert [video["tries"] for video in begin(videos, f"try-{number}")] == [number]
    assert begin(videos, "one more") == []
    assert database[VIDEOS].distinct("state") == [VideoState.FAILED]


@pytest.mark.parametrize("lost", [(1,), (2,), (1, 3), (2, 4)])
def test_se2_a_lost_answer_costs_no_try(
    videos: VideoStore,
    database: Database[Document],
    monkeypatch: pytest.MonkeyPatch,
    lost: tuple[int, ...],
) -> None:
    for number in range(1, MAX_TRIES):
        begin(videos, f"try-{number}")
    lose_answers(monkeypatch, "update_many", *lost)
    assert [video["tries"] for video in begin(videos, "last")] == [MAX_TRIES]
    assert tries(database) == MAX_TRIES


@pytest.mark.parametrize("lost", [(1,), (2,), (2, 4)])
def test_se2_a_lost_answer_gives_one_try_back(
    videos: VideoStore,
    database: Database[Document],
    monkeypatch: pytest.MonkeyPatch,
    lost: tuple[int, ...],
) -> None:
    begin(videos, "first")
    begin(videos, "second")
    lose_answers(monkeypatch, "update_many", *lost)
    videos.postpone(GOAL.key, "S3 is away", "second", own_outage=True)
    assert tries(database) == 1


def test_se2_a_try_that_could_not_be_begun_is_given_back(
    videos: VideoStore, database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_answers(monkeypatch, "update_many", 2, 3, 4)
    with pytest.raises(Exception, match="connection closed"):
        begin(videos, "first")
    videos.postpone(GOAL.key, "MongoDB is away", "first", own_outage=True)
    assert tries(database) == 0


def test_se2_videos_of_a_try_that_did_not_end_are_taken_up_one_at_a_time(
    videos: VideoStore, database: Database[Document]
) -> None:
    """One of them may be what ended the process; the others must not go down with it again."""

    def choose(number: int) -> None:
        post = Post("x", str(number), f"https://x.test/{number}", STABLE, video_url="film")
        videos.add_posts(GOAL, 1, STABLE, seen=[post], chosen=[post])

    def ids(try_id: str) -> list[str]:
        return [video["video_id"] for video in begin(videos, try_id)]

    choose(2)
    first, second = ids("ends with its process")
    assert ids("ends again") == [first]
    assert ids("comes to its end") == [second]
    videos.end_try(GOAL.key, "comes to its end")
    choose(3)
    third = [f"{first[:-1]}3"]
    assert ids("with what is new") == [second, *third], "an ended try makes nobody suspect"
    videos.end_try(GOAL.key, "with what is new")
    assert database[VIDEOS].count_documents({"try_id": {"$exists": True}}) == 1


def test_refusals_are_counted_by_kind_also_those_stored_without_one(
    database: Database[Document],
) -> None:
    refused = [
        {"reason": "wrong minute: the clock shows 57, expected 50"},
        {"reason": "wrong minute: 11: 36", "reason_kind": "wrong minute"},
        {"reason": "could not be judged: a: b", "reason_kind": "could not be judged"},
        {"reason": "private"},
    ]
    database[VIDEOS].insert_many(
        {"_id": f"{n}", "state": VideoState.REFUSED, "ended_at": STABLE, **one}
        for n, one in enumerate(refused)
    )
    store = VideoStore(database)
    counts = [("wrong minute", 2), ("could not be judged", 1), ("private", 1)]
    assert store.count_without_clip(REASONS) == counts
    assert store.count_without_clip(REASONS, STABLE, 1) == counts[:1]


def test_reasons_that_nobody_knows_are_counted_together(database: Database[Document]) -> None:
    reasons = [f'"{n}" {{broke}} at https://a.test/{n}' for n in range(50)]
    database[VIDEOS].insert_many(
        {"_id": f"{n}", "state": VideoState.FAILED, "ended_at": STABLE, "reason": reason}
        for n, reason in enumerate([*reasons, "private", None, VideoReason.TOO_MANY_TRIES])
    )
    store = VideoStore(database)
    assert store.count_without_clip(REASONS) == [
        ("other", 51),
        (VideoReason.TOO_MANY_TRIES, 1),
        ("private", 1),
    ]


def test_se6_videos_are_counted_by_site_with_the_downloads_that_were_wasted(
    database: Database[Document],
) -> None:
    states = [
        ("x", VideoState.SEEN, {}),
        ("x", VideoState.CHOSEN, {}),
        ("x", VideoState.TAKEN, {}),
        ("x", VideoState.REFUSED, {"reason": "too_long", "known_from_post": True}),
        ("x", VideoState.REFUSED, {"reason": "too_long", "known_from_post": False}),
        ("bluesky", VideoState.DUPLICATE, {}),
        ("bluesky", VideoState.FAILED, {}),
    ]
    database[VIDEOS].insert_many(
        {"_id": str(n), "source": site, "state": state, **more}
        for n, (site, state, more) in enumerate(states)
    )
    assert VideoStore(database).count_by_site() == {
        "bluesky": SiteVideoCounts(2, 2, taken=0, duplicate=1, refused=0, failed=1, wasted=0),
        "x": SiteVideoCounts(5, 4, taken=1, duplicate=0, refused=2, failed=0, wasted=1),
    }


def test_outcomes_are_those_of_videos_that_were_judged(database: Database[Document]) -> None:
    states = [
        (VideoState.SEEN, {}),
        (VideoState.CHOSEN, {}),
        (VideoState.TAKEN, {"reason": VideoReason.STORED}),
        (VideoState.REFUSED, {"reason": "wrong score: 4-1", "reason_kind": "wrong score"}),
    ]
    database[VIDEOS].insert_many(
        {"_id": str(n), "goal_key": "goal", "video_id": f"x:{n}", "state": state, **more}
        for n, (state, more) in enumerate(states)
    )
    taken, refused = VideoStore(database).outcomes()
    assert taken == {"goal_key": "goal", "video_id": "x:2", "state": "taken", "reason": "stored"}
    assert (refused["video_id"], refused["reason"]) == ("x:3", "wrong score")


def test_se6_the_reasons_are_kept_with_each_video_also_if_it_is_not_chosen(
    database: Database[Document],
) -> None:
    store = VideoStore(database)
    first, second = (
        Post("x", str(n), f"https://x.test/{n}", STABLE, likelihood=Likelihood(n, (f"reason {n}",)))
        for n in range(2)
    )
    store.add_posts(GOAL, 1, STABLE, seen=[first, second], chosen=[second])
    likelier = replace(first, likelihood=Likelihood(3.5, ("more likes",)))
    store.add_posts(GOAL, 2, STABLE, seen=[likelier], chosen=[])
    found = {video["video_id"]: video for video in store.of_goal(GOAL.key)}
    assert [video["state"] for video in found.values()] == ["seen", "chosen"]
    assert found["x:0"]["likelihood"] == {"score": 3.5, "reasons": ["more likes"]}
    assert found["x:1"]["likelihood"] == {"score": 1, "reasons": ["reason 1"]}
