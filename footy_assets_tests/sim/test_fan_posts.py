"""Fans post every goal on several sites, so that the pipeline's own readers find it there."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import HomeOrAway, League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.runtime.demo_day import DemoDay
from footy_assets.search.rules.goal_match import matches_goal
from footy_assets.search.rules.goal_titles import parse_goal_title
from footy_assets.search.rules.heard import HeardPost
from footy_assets.sim.fan_sites import SITES
from footy_assets.sim.fans import Fans
from footy_assets.sim.footage import AiredGoal, ExpectedOutcome, Kind, aired_goals
from footy_assets.sim.social.clocked_stream import CHATTER_EVERY, ClockedStream
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.stream import position_at
from resources.bluesky.events import read_v2

WORLD = DemoDay().world()
FANS = Fans(WORLD, Path("none"), SITES)
POSTS = FANS.posts(WORLD.ends_at + timedelta(days=1))
AIRED = {goal.key: goal for goal in aired_goals(WORLD)}
KEY_OF_FILM = {video.video_id: video.goal_key for video in FANS.videos}


def site_of(video_id: str) -> str:
    return video_id.partition(":")[0]


@pytest.mark.parametrize("sites", [SITES[:2], SITES, (*SITES, "one more")])
def test_every_goal_is_posted_on_two_sites_at_least(sites: tuple[str, ...]) -> None:
    fans = Fans(WORLD, Path("none"), sites)
    on = {key: fans.sites_with_clips([key]) for key in fans.goal_keys}
    assert all(len(found) >= 2 for found in on.values()), on
    assert set().union(*on.values()) == set(sites)
    assert len(fans.videos_by_post()) == len(fans.videos), "no two posts share an id"


def test_the_same_content_is_posted_on_another_site_too() -> None:
    found = {video.video_id: site_of(name) for name, video in FANS.videos_by_post().items()}
    copies = [video for video in FANS.videos if video.duplicate_of]
    assert copies
    assert all(found[video.video_id] != found[video.duplicate_of or ""] for video in copies)


def test_some_posts_state_what_their_video_is_refused_for() -> None:
    kinds = Counter(
        video.kind for name, video in FANS.videos_by_post().items() if site_of(name) == "x"
    )
    assert all(kinds[kind] for kind in (Kind.TOO_LONG, Kind.TOO_SMALL, Kind.PORTRAIT))
    stated = {KEY_OF_FILM.get(post.video or "") and post.duration for post in POSTS}
    assert max(seconds or 0 for seconds in stated) > 60


def goal_and_fixture(aired: AiredGoal) -> tuple[GoalEvent, Fixture]:
    goal, script = aired.goal, WORLD.by_id[aired.goal.fixture_id]
    side: HomeOrAway = "home" if goal.team_id == script.home.id else "away"
    event = GoalEvent(
        key=aired.key, event_id=aired.key, fixture_id=goal.fixture_id, team_id=goal.team_id,
        player=Player(goal.player_id, goal.player_name), detail=goal.detail, side=side,
        minute=MatchMinute(goal.elapsed, goal.extra), score_after=aired.film.score,
    )  # fmt: skip
    home, away = (Side(club.id, club.name) for club in (script.home, script.away))
    league = League(script.league.id, script.league.name)
    return event, Fixture(
        goal.fixture_id, script.kickoff, "2H", league, home, away, FixtureState.ACTIVE
    )


def named_goals(post: SimPost) -> set[str]:
    """The goals that the title of a post on r/soccer names."""
    title = parse_goal_title(post.text)
    return {
        key for key, aired in AIRED.items()
        if title is not None and matches_goal(title, *goal_and_fixture(aired)).matches
    }  # fmt: skip


def test_a_title_on_reddit_names_its_goal_and_noise_names_none() -> None:
    on_reddit = [post for post in POSTS if "reddit" in post.sites]
    titles = {post.text for post in on_reddit}
    assert any(title.islower() for title in titles), "in every spelling"
    for post in on_reddit:
        expected = KEY_OF_FILM.get(post.video or "")
        if expected is not None:
            assert expected in named_goals(post), post
        else:
            assert named_goals(post) == set(), post
    assert sum(post.video == "elsewhere" for post in on_reddit) >= len(AIRED)


def test_posts_on_bluesky_are_heard_as_the_clock_comes_to_them() -> None:
    at = WORLD.starts_at
    clock = ManualClock(at)
    stream = ClockedStream(FANS.posts, clock, at)
    assert stream.count() == 1, "somebody always writes something"
    clock.advance((WORLD.ends_at - at).total_seconds())
    heard = [read_v2(stream.message(n, 2) or "") for n in range(stream.count())]
    assert stream.message(stream.count(), 2) is None
    positions = [event.position or 0 for event in heard]
    assert positions == sorted(positions)
    assert max(b - a for a, b in pairwise(positions)) <= (CHATTER_EVERY.total_seconds() * 1_000_000)
    kept = {c.post_id for event in heard for c in event.changes if isinstance(c, HeardPost)}
    right = {
        name.removeprefix("bluesky:")
        for name, video in FANS.videos_by_post().items()
        if site_of(name) == "bluesky"
        and video.posted_at <= clock.now()
        and video.expected is ExpectedOutcome.RIGHT
    }
    assert right <= kept
    middle = position_at(at + timedelta(minutes=45))
    assert positions[stream.first_at(middle)] >= middle > positions[stream.first_at(middle) - 1]
