"""V7: the demo counts the posts that show another goal, and each one that was accepted."""

from pathlib import Path

import pytest

from footy_assets.sim import make_world
from footy_assets.sim.check_wrong_footage import (
    VideoOutcome,
    WrongFootageCheck,
    check_wrong_footage,
)
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import FanVideo, Kind


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FanVideo]:
    world = make_world().only(["hat-trick", "VAR reversals"])
    return Fans(world, Path(tmp_path_factory.mktemp("none"))).videos_by_post()


def post_of(posts: dict[str, FanVideo], kind: Kind) -> tuple[str, FanVideo]:
    return next((name, video) for name, video in posts.items() if video.kind is kind)


def test_v7_footage_of_another_match_and_day_is_counted_by_its_end(
    posts: dict[str, FanVideo],
) -> None:
    match, of_match = post_of(posts, Kind.OTHER_MATCH)
    day, of_day = post_of(posts, Kind.OTHER_DAY)
    checks = check_wrong_footage(
        [
            VideoOutcome(of_match.goal_key, match, "wrong match"),
            VideoOutcome("another goal", match, "wrong match"),
            VideoOutcome(of_day.goal_key, day, None),
        ],
        posts,
    )
    assert checks == (
        WrongFootageCheck(Kind.OTHER_MATCH, 2, 0, {"wrong match": 2}),
        WrongFootageCheck(Kind.OTHER_DAY, 1, 1, {}),
        WrongFootageCheck(Kind.OTHER_GOAL),
    )
    assert [check.problem for check in checks] == ["", "accepted: 1", ""]


def test_a_film_of_another_goal_is_right_for_the_goal_that_it_shows(
    posts: dict[str, FanVideo],
) -> None:
    name, video = next(
        (name, video)
        for name, video in posts.items()
        if video.kind is Kind.OTHER_GOAL and video.shows is not None
    )
    outcomes = [VideoOutcome(video.shows, name, None), VideoOutcome(video.goal_key, name, None)]
    assert check_wrong_footage(outcomes, posts)[-1] == WrongFootageCheck(Kind.OTHER_GOAL, 1, 1)
    right = post_of(posts, Kind.BROADCAST)
    assert check_wrong_footage([VideoOutcome("x", right[0], None)], posts)[-1].judged == 0
