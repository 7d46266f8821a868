from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.search.rules.likelihood import likelihood, rank_by_likelihood
from footy_assets.search.rules.posts import Post
from footy_assets.search.rules.query import GoalQuery
from footy_assets_tests.matchday.goals import FIXTURE, GOAL, STABLE

QUERY = GoalQuery(("Mohamed", "Salah"), ("Liverpool", "LFC"), GOAL, FIXTURE)
POST = Post("x", "1", "https://x.test/1", STABLE, "Salah! Liverpool", duration=20.0)


def score(**changes: object) -> float:
    post = replace(POST, **changes)  # type: ignore[arg-type]
    return likelihood(post, QUERY, STABLE).score


def reasons(**changes: object) -> tuple[str, ...]:
    post = replace(POST, **changes)  # type: ignore[arg-type]
    return likelihood(post, QUERY, STABLE).reasons


def test_se6_the_reasons_add_up_to_the_score() -> None:
    assert reasons(popularity=99) == (
        "names Salah (+3)",
        "names the team (+1.5)",
        "20 s long (+2)",
        "posted 0 s after the goal (+1.5)",
        "popularity 99 (+1)",
    )
    assert score(popularity=99) == 9.0


TEXTS = [
    ("Liverpool [1] - 0 Manchester United - Mohamed Salah 30'", "Salah 30' 1-0 Liverpool"),
    ("Salah 30' 1-0 Liverpool", "Salah 30' Liverpool"),
    ("GOAL Salah 1–0 LFC", "GOAL Salah LFC"),
    ("Salah 31' LFC", "Salah LFC"),
    ("Salah LFC", "LFC"),
    ("LFC", "what a goal"),
    ("Salah LFC", "Salah LFC 2-0"),
    ("Salah LFC", "Salah 78' LFC"),
    ("Salah LFC", "Salah LFC goal disallowed"),
    ("Salah LFC", "Salah LFC interview after the match"),
    ("what a goal", "Chelsea [1] - 0 Arsenal - Cole Palmer 20'"),
    ("Salah LFC kick-off was at 20:45", "Salah LFC lead 2-0"),
]


@pytest.mark.parametrize(("likelier", "than"), TEXTS)
def test_se6_text_that_names_this_goal_is_likelier(likelier: str, than: str) -> None:
    assert score(text=likelier) > score(text=than)


def test_se6_added_time_and_links_in_a_text_are_read() -> None:
    late = replace(QUERY, goal=replace(GOAL, minute=replace(GOAL.minute, elapsed=90, extra=4)))
    for minute in ("90+4'", "94'", "90'"):
        post = replace(POST, text=f"Salah {minute} https://t.test/2-1")
        found = likelihood(post, late, STABLE)
        assert "minute 90+4' (+2)" in found.reasons, minute
        assert not any("score" in reason for reason in found.reasons)


def test_se6_the_usual_length_is_likelier_than_unknown_and_that_than_others() -> None:
    usual, unknown, long = score(duration=45.0), score(duration=None), score(duration=46.0)
    assert usual == score(duration=8.0)
    assert usual > unknown > long == score(duration=7.9)


def test_se6_the_first_poster_and_the_popular_one_are_likelier() -> None:
    minutes = [score(posted_at=STABLE + timedelta(minutes=n)) for n in (0, 3, 10, 20, 40)]
    assert minutes == sorted(minutes, reverse=True)
    assert minutes[3] == minutes[4]
    assert score(posted_at=STABLE - timedelta(minutes=2)) == minutes[0], "an estimate"
    assert score(posted_at=STABLE - timedelta(minutes=6)) < minutes[4], "before the goal"
    likes = [score(popularity=n) for n in (0, 10, 500, 100_000)]
    assert likes == sorted(likes)
    assert likes[-1] - likes[0] == 1.5, "popularity does not outweigh what the text says"


def test_se6_a_titled_post_of_reddit_is_likelier_than_the_same_elsewhere() -> None:
    title = "Liverpool [1] - 0 Manchester United - Mohamed Salah 30'"
    assert score(site="reddit", text=title) > score(site="telegram", text=title) > score(text=title)


def test_se6_a_query_without_a_goal_is_compared_by_words() -> None:
    bare = GoalQuery(("Salah",), ("Liverpool",))
    assert likelihood(POST, bare, STABLE).score == score()


POSTS = st.lists(
    st.builds(
        lambda n, text, seconds, likes, later: replace(
            POST,
            post_id=str(n),
            text=text,
            duration=seconds,
            popularity=likes,
            posted_at=STABLE + timedelta(seconds=later),
        ),
        st.integers(0, 50),
        st.text(max_size=60) | st.sampled_from([text for pair in TEXTS for text in pair]),
        st.none() | st.floats(0, 100),
        st.integers(-5, 10**9),
        st.integers(-10_000, 10_000),
    ),
    max_size=8,
    unique_by=lambda post: post.post_id,
)


@given(POSTS, st.randoms())
def test_se6_the_order_depends_on_the_posts_alone(posts: list[Post], random: Random) -> None:
    ranked = rank_by_likelihood(posts, QUERY, STABLE)
    shuffled = [*posts, *posts]
    random.shuffle(shuffled)
    assert rank_by_likelihood(shuffled, QUERY, STABLE) == ranked
    scores = [post.likelihood.score for post in ranked if post.likelihood]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == len(posts)
