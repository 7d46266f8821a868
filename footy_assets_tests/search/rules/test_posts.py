from dataclasses import replace
from datetime import UTC, datetime, timedelta

from footy_assets.search.rules.attempts import SearchPlan, next_due
from footy_assets.search.rules.posts import (
    Post,
    PostRefusal,
    Window,
    attempt_window,
    choose,
    post_refusal,
)

NOW = datetime(2025, 5, 10, 15, 30, tzinfo=UTC)
POST = Post("x", "1", "https://x.test/1", NOW, video_url="https://x.test/1.mp4", duration=20.0)
WINDOW = Window(NOW - timedelta(minutes=3))


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


def test_se6_a_past_match_is_searched_over_its_own_window() -> None:
    match = Window(NOW - timedelta(hours=3), until=NOW)
    assert post_refusal(replace(POST, posted_at=NOW - timedelta(hours=2)), match, set()) is None
    late = replace(POST, posted_at=NOW + timedelta(seconds=1))
    assert post_refusal(late, match, set()) is PostRefusal.TOO_NEW


def test_se6_the_window_begins_three_minutes_before_the_previous_attempt() -> None:
    seen = NOW - timedelta(minutes=5)
    assert attempt_window(seen, None).since == seen - timedelta(minutes=3)
    assert attempt_window(seen, NOW).since == NOW - timedelta(minutes=3)


def test_se6_the_five_longest_are_chosen() -> None:
    posts = [replace(POST, post_id=str(n), duration=float(n)) for n in range(8)]
    assert [post.post_id for post in choose(posts)] == ["7", "6", "5", "4", "3"]
    assert [post.post_id for post in choose(posts, most=2)] == ["7", "6"]


def test_se6_of_unknown_length_the_more_popular_is_first() -> None:
    quiet = replace(POST, post_id="q", duration=None, popularity=3)
    loud = replace(POST, post_id="l", duration=None, popularity=900)
    assert choose([quiet, loud, loud]) == (loud, quiet)


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
