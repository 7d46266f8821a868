"""SE6: whether the free text of a post names a goal."""

import re
from dataclasses import replace

from footy_assets.search.rules.goal_match import matches_goal
from footy_assets.search.rules.goal_titles import GoalTitle, parse_goal_title
from footy_assets.search.rules.query import GoalQuery, words_of

MOST_LINES = 6
LEADING_MARKS = re.compile(r"^[^\w\[(]+")


def names_goal(text: str, query: GoalQuery) -> bool:
    """SE6. A line with the form of a goal's title decides by teams, score, side and minute. In any
    other text one of the scorer's names and one of either team must stand."""
    if query.goal is not None and query.fixture is not None and (titles := _titles(text)):
        aliases = {query.goal.side: query.teams} if query.goal.side else {}
        return any(
            matches_goal(title, query.goal, query.fixture, aliases).matches for title in titles
        )
    return _names_scorer(text, query) and _with_both_teams(query).mentions_team(text)


def _titles(text: str) -> list[GoalTitle]:
    """Of the first lines, without the marks and pictures in front of them."""
    lines = [line for raw in text.splitlines() if (line := LEADING_MARKS.sub("", raw))]
    titles = (parse_goal_title(line) for line in lines[:MOST_LINES])
    return [title for title in titles if title is not None]


def _names_scorer(text: str, query: GoalQuery) -> bool:
    words = words_of(text)
    return not query.players or any(words_of(name) <= words for name in query.players)


def _with_both_teams(query: GoalQuery) -> GoalQuery:
    """The opponent's name tells the match as well as the team's own."""
    if query.fixture is None or not query.teams:
        return query
    names = query.fixture.home.name, query.fixture.away.name
    return replace(query, teams=(*query.teams, *names))
