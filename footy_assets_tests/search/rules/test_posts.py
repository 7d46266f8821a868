from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from footy_assets.clip_limits import ClipRules, RejectionReason
from footy_assets.search.rules.attempts import SearchPlan, next_due
from footy_assets.search.rules.posts import (
    Post,
    PostRefusal,
    Window,
    attempt_window,
    read_ratio,
)
from footy_assets.search.rules.posts import post_refusal as post_refusal_by

NOW = datetime(2025, 5, 10, 15, 30, tzinfo=UTC)
POST = Post("x", "1", "https://x.test/1", NOW, video_url="https://x.test/1.mp4", duration=20.0)
WINDOW = Window(NOW - timedelta(minutes=3))


def post_refusal(post: Post, window: Window, known: set[str]) -> PostRefusal | None:
    return post_refusal_by(post, window, known, ClipRules())


def test_se6_a_fresh_post_with_a_video_is_kept() -> None:
    assert post_refusal(POST, WINDOW, set()) is None


def test_se6_each_refusal_has_its_reason() -> None:
    old = replace(POST, posted_at=WINDOW.since - timedelta(seconds=1))
    assert post_refusal(old, WINDOW, set()) is PostRefusal.TOO_OLD
    assert post_refusal(replace(POST, posted_at=WINDOW.since), WINDOW, set()) is None
    assert post_refusal(replace(POST, video_url=None), WINDOW, set()) is PostRefusal.NO_VIDEO
    assert post_refusal(POST, WINDOW, {"x:1"}) is PostRefusal.KNOWN
    assert post_refusal(POST, WINDOW, {"bluesky:1"}) is None, "another source's post of that number"


def test_se6_an_ad_is_known_by_its_marker_not_by_its_text() -> None:
    adams = replace(POST, text="Ad break over, Adams scores! Promoted side lead", author="ad_ams")
    assert post_refusal(adams, WINDOW, set()) is None
    assert post_refusal(replace(POST, is_ad=True), WINDOW, set()) is PostRefusal.AD


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ({"duration": 60.0}, None),
        ({"duration": 60.1}, PostRefusal.TOO_LONG),
        ({"duration": 3.0}, PostRefusal.TOO_SHORT),
        ({"duration": None}, None),
        ({"width": 1280, "height": 720}, None),
        ({"width": 720, "height": 1280}, PostRefusal.PORTRAIT),
        ({"width": 480, "height": 270}, PostRefusal.TOO_SMALL),
        ({"width": 720, "height": 720}, PostRefusal.TOO_NARROW),
        ({"width": 1280, "height": None}, None),
        ({"aspect": 16 / 9}, None),
        ({"aspect": 9 / 16}, PostRefusal.PORTRAIT),
        ({"aspect": 3.0}, PostRefusal.TOO_WIDE),
        # Pixels say more than a rounded ratio.
        ({"width": 1280, "height": 720, "aspect": 1.0}, None),
        ({"size": 10**12}, None),
    ],
)
def test_se6_what_a_post_says_of_its_video_refuses_it_and_unknown_passes(
    said: dict[str, float], refusal: PostRefusal | None
) -> None:
    assert post_refusal(replace(POST, **said), WINDOW, set()) is refusal  # type: ignore[arg-type]


def test_se6_the_configured_limits_apply_to_posts() -> None:
    tall = replace(POST, width=720, height=1280, duration=80.0, size=9_000_000)
    rules = ClipRules(up_to=90, allow_portrait=True, max_size=9_000_000)
    assert post_refusal_by(tall, WINDOW, set(), rules) is None
    larger = replace(tall, size=9_000_001)
    assert post_refusal_by(larger, WINDOW, set(), rules) is PostRefusal.TOO_LARGE


def test_se6_every_limit_of_a_file_may_refuse_a_post() -> None:
    assert {reason.value for reason in RejectionReason} <= {one.value for one in PostRefusal}


def test_se6_a_ratio_may_be_in_pixels_or_not() -> None:
    assert read_ratio(1280, 720) == (1280, 720, 1280 / 720)
    assert read_ratio(16, 9) == (None, None, 16 / 9)
    assert read_ratio(None, 9) == (None, None, None)


def test_se6_a_past_match_is_searched_over_its_own_window() -> None:
    match = Window(NOW - timedelta(hours=3), until=NOW)
    assert post_refusal(replace(POST, posted_at=NOW - timedelta(hours=2)), match, set()) is None
    late = replace(POST, posted_at=NOW + timedelta(seconds=1))
    assert post_refusal(late, match, set()) is PostRefusal.TOO_NEW


def test_se6_the_window_begins_three_minutes_before_the_previous_attempt() -> None:
    seen = NOW - timedelta(minutes=5)
    assert attempt_window(seen, None).since == seen - timedelta(minutes=3)
    assert attempt_window(seen, NOW).since == NOW - timedelta(minutes=3)


def test_se1_attempts_are_a_minute_apart_from_start_to_start() -> None:
    due = NOW
    for _ in range(9):
        ended = due + timedelta(seconds=25)
        assert next_due(due, ended) == due + timedelta(seconds=60)
        due = next_due(due, ended)


def test_se1_never_sooner_than_ten_seconds_after_the_last_ended() -> None:
    assert next_due(NOW, NOW + timedelta(seconds=55)) == NOW + timedelta(seconds=65)
    assert next_due(NOW, NOW + timedelta(seconds=49)) == NOW + timedelta(seconds=60)


def test_se2_the_search_for_a_goal_ends_after_half_an_hour() -> None:
    assert SearchPlan().give_up_after == timedelta(minutes=30)
