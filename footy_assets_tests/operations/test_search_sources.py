"""Sources fail alone; a lost login is told once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from footy_assets.discovery.posts import Post, Window
from footy_assets.discovery.query import GoalQuery
from footy_assets.discovery.sources import Found, Progress
from footy_assets.errors import (
    BadInput,
    BinaryMissing,
    FootyError,
    LoginLost,
    SourceAnswerInvalid,
    SourceError,
    SourceRateLimited,
    SourceUnavailable,
)
from footy_assets.operations.search_sources import Sweep, search_all

NOW = datetime(2025, 5, 10, 15, 30, tzinfo=UTC)
QUERY = GoalQuery(("Salah",), ("Liverpool",))


@dataclass
class Place:
    """A source whose answers are dictated; the last one stays."""

    name: str
    answers: list[Found | FootyError] = field(default_factory=lambda: [Found()])
    asked: int = 0

    def search(self, query: GoalQuery, window: Window, on_progress: Progress) -> Found:
        self.asked += 1
        answer = self.answers[min(self.asked, len(self.answers)) - 1]
        if isinstance(answer, FootyError):
            raise answer
        return answer


def found(source: str, *ids: str) -> Found:
    posts = tuple(Post(source, one, "https://example.org", NOW) for one in ids)
    return Found(posts, len(posts))


def within(source: str) -> Window:
    return Window(NOW)


def ignore(text: str) -> None:
    pass


def sweep(*places: Place, slept: list[float] | None = None) -> Sweep:
    sources: Sequence[Place] = places
    return Sweep(sources, (slept if slept is not None else []).append)


def test_s5_the_posts_of_all_sources_come_together() -> None:
    places = Place("x", [found("x", "1", "2")]), Place("bluesky", [found("bluesky", "1")])
    outcome = search_all(sweep(*places), QUERY, within, ignore)
    assert [p.video_id for p in outcome.posts] == ["x:1", "x:2", "bluesky:1"]
    assert (outcome.looked_at, outcome.failures, outcome.failed) == (3, (), False)


def test_s5_a_failing_source_does_not_stop_the_other() -> None:
    places = (
        Place("x", [SourceAnswerInvalid("X's timeline has an unknown form")]),
        Place("bluesky", [found("bluesky", "1")]),
    )
    outcome = search_all(sweep(*places), QUERY, within, ignore)
    assert len(outcome.posts) == 1
    (failure,) = outcome.failures
    assert (failure.source, failure.kind) == ("x", "SourceAnswerInvalid")
    assert "unknown form" in failure.reason
    assert not outcome.failed


def test_s5_when_all_fail_the_search_has_failed() -> None:
    outcome = search_all(
        sweep(Place("x", [LoginLost("X shows its login page")])), QUERY, within, ignore
    )
    assert outcome.failed


def test_s7_a_lost_login_is_told_once_and_recorded_each_time() -> None:
    x = Place("x", [LoginLost("X shows its login page")])
    round_ = sweep(x, Place("bluesky"))
    outcomes = [search_all(round_, QUERY, within, ignore) for _ in range(3)]
    assert [len(o.alerts) for o in outcomes] == [1, 0, 0]
    assert outcomes[0].alerts == (
        "X shows its login page. Run `footy login x` and log in by hand, or renew "
        "FOOTY_X_COOKIES_FILE.",
    )
    assert [o.failures[0].kind for o in outcomes] == ["LoginLost"] * 3
    assert x.asked == 1, "each further page load would only meet the same wall"


@pytest.mark.parametrize(
    "error", [BinaryMissing("there is no Chromium"), BadInput("/c is no cookies file")]
)
def test_s5_a_browser_or_file_that_is_missing_stops_one_source_only(error: FootyError) -> None:
    x, bluesky = Place("x", [error]), Place("bluesky", [found("bluesky", "1")])
    round_ = sweep(x, bluesky)
    outcomes = [search_all(round_, QUERY, within, ignore) for _ in range(2)]
    assert [len(o.posts) for o in outcomes] == [1, 1]
    assert [len(o.alerts) for o in outcomes] == [1, 0]
    assert x.asked == 1


def test_p4_what_can_heal_is_tried_three_times() -> None:
    slept: list[float] = []
    x = Place(
        "x", [SourceUnavailable("X answered 503"), SourceUnavailable("again"), found("x", "1")]
    )
    told: list[str] = []
    outcome = search_all(sweep(x, slept=slept), QUERY, within, told.append)
    assert len(outcome.posts) == 1
    assert slept == [10.0, 15.0]
    assert told == ["x: X answered 503; again in 10 s", "x: again; again in 15 s"]


@pytest.mark.parametrize("error", [SourceRateLimited("X: too many"), SourceAnswerInvalid("odd")])
def test_p4_what_seconds_cannot_heal_is_not_tried_again(error: SourceError) -> None:
    slept: list[float] = []
    x = Place("x", [error])
    assert search_all(sweep(x, slept=slept), QUERY, within, ignore).failed
    assert (x.asked, slept) == (1, [])


def test_p4_a_source_that_stays_down_is_asked_once_per_goal_from_then_on() -> None:
    x = Place("x", [SourceUnavailable("down")])
    round_ = sweep(x)
    for _ in range(3):
        search_all(round_, QUERY, within, ignore)
    assert x.asked == 3 + 1 + 1
    x.answers = [found("x", "1")]
    assert search_all(round_, QUERY, within, ignore).posts
    assert "x" not in round_.failing
