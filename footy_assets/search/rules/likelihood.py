"""SE6: how likely a post shows a goal, by what is known before its video is downloaded."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import log10

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.search.rules.goal_match import is_same_minute, matches_goal
from footy_assets.search.rules.goal_titles import MINUTE, SCORE, parse_goal_title
from footy_assets.search.rules.posts import Likelihood, Post
from footy_assets.search.rules.query import GoalQuery, words_of
from footy_assets.search.rules.title_words import DISALLOWED, plain_marks
from footy_assets.site_name import SiteName

# Posts of r/soccer are titled by rules; anybody posts anything elsewhere.
SITE_POINTS: dict[str, float] = {SiteName.REDDIT: 2.0, "telegram": 1.0}
POINTS = {
    "this_goal": 3.0,
    "another_goal": -6.0,
    "scorer": 3.0,
    "team": 1.5,
    "score": 2.0,
    "another_score": -2.0,
    "minute": 2.0,
    "another_minute": -2.0,
    "no_goal": -4.0,
    "usual_length": 2.0,
    "unknown_length": 1.0,
    "early": 1.5,
    "too_early": -4.0,
}
USUAL_SECONDS = (8.0, 45.0)
# The first poster gets all points, one this much later none.
LATE = timedelta(minutes=20)
# Estimates of when a goal was scored are not more precise.
BEFORE_GOAL = timedelta(minutes=5)
POINTS_PER_TENFOLD, MOST_FOR_POPULARITY = 0.5, 1.5
LONGEST_TEXT = 500
MOST_GOALS_OF_A_SIDE = 15
URL = re.compile(r"https?://\S+")
NO_GOAL = re.compile(
    r"\b(?:highlights?|all (?:the )?goals|interview|press conference|preview|line[ -]?ups?"
    r"|red card|reaction|full match|gameplay|efootball|prediction)\b",
    re.IGNORECASE,
)

Point = tuple[float, str]


def rank_by_likelihood(
    posts: Sequence[Post], query: GoalQuery, scored_at: datetime
) -> tuple[Post, ...]:
    """SE6: each post once, with its likelihood, the likeliest first; of equals the earlier."""
    rated = {
        post.video_id: replace(post, likelihood=likelihood(post, query, scored_at))
        for post in posts
    }
    return tuple(sorted(rated.values(), key=_order))


def likelihood(post: Post, query: GoalQuery, scored_at: datetime) -> Likelihood:
    """SE6: the sum of what speaks for and against a post, with the reasons.

    `scored_at` is when the goal was scored, as far as that is known.
    """
    points = [
        *_of_site(post),
        *_of_text(" ".join(URL.sub(" ", post.text).split())[:LONGEST_TEXT], query),
        *_of_title(post.text, query),
        *_of_length(post.duration),
        *_of_time(post.posted_at - scored_at),
        *_of_popularity(post.popularity),
    ]
    score = round(sum(points for points, _ in points), 2)
    return Likelihood(score, tuple(f"{reason} ({number:+g})" for number, reason in points))


def _order(post: Post) -> tuple[float, datetime, str]:
    return -(post.likelihood.score if post.likelihood else 0.0), post.posted_at, post.video_id


def _of_site(post: Post) -> Iterator[Point]:
    if points := SITE_POINTS.get(post.site):
        yield points, f"posted on {post.site}"


def _of_text(text: str, query: GoalQuery) -> Iterator[Point]:
    words, marks = words_of(text), plain_marks(text)
    if scorer := next((name for name in query.players if words_of(name) <= words), None):
        yield POINTS["scorer"], f"names {scorer}"
    if query.teams and query.mentions_team(text):
        yield POINTS["team"], "names the team"
    if DISALLOWED.search(marks) or NO_GOAL.search(marks):
        yield POINTS["no_goal"], "is about something else"
    if query.goal is None:
        return
    if query.goal.score_after is not None and (scores := _scores(marks)):
        home, away = query.goal.score_after
        is_right = bool(scores & {(home, away), (away, home)})
        yield _either("score", is_right, f"{home}-{away}")
    if minutes := _minutes(marks):
        is_right = any(is_same_minute(minute, query.goal.minute) for minute in minutes)
        yield _either("minute", is_right, str(query.goal.minute))


def _either(what: str, is_right: bool, expected: str) -> Point:
    if is_right:
        return POINTS[what], f"{what} {expected}"
    return POINTS[f"another_{what}"], f"another {what} than {expected}"


def _of_title(text: str, query: GoalQuery) -> Iterator[Point]:
    """The first line may be a title, as r/soccer writes it."""
    lines = URL.sub(" ", text).strip().splitlines()
    title = parse_goal_title(lines[0]) if lines else None
    if title is None or query.goal is None or query.fixture is None:
        return
    aliases = {query.goal.side: query.teams} if query.goal.side else {}
    found = matches_goal(title, query.goal, query.fixture, aliases)
    if found.matches:
        yield POINTS["this_goal"], "title of this goal"
    else:
        yield POINTS["another_goal"], f"title of another goal: {found.reasons[-1]}"


def _of_length(seconds: float | None) -> Iterator[Point]:
    shortest, longest = USUAL_SECONDS
    if seconds is None:
        yield POINTS["unknown_length"], "of unknown length"
    elif shortest <= seconds <= longest:
        yield POINTS["usual_length"], f"{seconds:.0f} s long"


def _of_time(after: timedelta) -> Iterator[Point]:
    if after < -BEFORE_GOAL:
        yield POINTS["too_early"], "posted before the goal"
        return
    late = min(max(after, timedelta(0)) / LATE, 1.0)
    if points := round(POINTS["early"] * (1 - late), 2):
        yield points, f"posted {max(after.total_seconds(), 0):.0f} s after the goal"


def _of_popularity(popularity: int) -> Iterator[Point]:
    points = POINTS_PER_TENFOLD * log10(1 + max(popularity, 0))
    if points := round(min(points, MOST_FOR_POPULARITY), 2):
        yield points, f"popularity {popularity}"


def _scores(text: str) -> set[tuple[int, int]]:
    """Not the time of day: 20:45."""
    found = SCORE.finditer(text)
    scores = {
        (int(one["home"]), int(one["away"]))
        for one in found
        if not (":" in one.group() and len(one["away"]) > 1)
    }
    return {score for score in scores if max(score) <= MOST_GOALS_OF_A_SIDE}


def _minutes(text: str) -> list[MatchMinute]:
    found = MINUTE.finditer(text)
    minutes = [MatchMinute(int(one["elapsed"]), int(one["extra"] or 0) or None) for one in found]
    return [minute for minute in minutes if minute.elapsed > 0]
