"""Whether the free text of a post names a goal."""

import pytest

from footy_assets.search.rules.free_text import names_goal
from footy_assets.search.rules.query import GoalQuery
from footy_assets.sim.social.soccer_titles import STYLES, goal_title
from footy_assets_tests.resources.seen_goal import QUERY, SEEN


@pytest.mark.parametrize("style", range(len(STYLES)))
def test_se6_a_title_names_the_goal(style: int) -> None:
    assert names_goal(goal_title(SEEN, style), QUERY)
    assert names_goal(f"⚽️🔥 {goal_title(SEEN, style)}\n\n@football_goals", QUERY)


@pytest.mark.parametrize(
    "text",
    [
        "GOAL! Ndiaye for Everton",
        "⚽️ #Ndiaye | #Everton",
        "Что за гол! Ndiaye забивает Fulham",
        "Gol de NDIAYE 🔵 Toffees",
        "Iliman Ndiáye!!!\nFulham - Everton",
    ],
)
def test_se6_scorer_and_team_name_the_goal_in_any_language(text: str) -> None:
    assert names_goal(text, QUERY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ndiaye joins the list",
        "Everton score again",
        "Ndiayes for Everton",
        "Fulham 1-[1] Everton - Iliman Ndiaye 50'",
        "Hull 1 - [2] Everton - Iliman Ndiaye 67'",
    ],
)
def test_se6_other_text_does_not(text: str) -> None:
    assert not names_goal(text, QUERY)


def test_se6_the_score_of_a_title_outweighs_its_words() -> None:
    texts = [f"{goal_title(SEEN, 0)}\nand before:\nFulham 1-[1] Everton - Iliman Ndiaye 50'"]
    assert names_goal(texts[0], QUERY), "one of its titles is the goal's"
    assert not names_goal("Fulham [1] - 0 Everton - Raul 12'\nNdiaye next?", QUERY)


def test_se6_without_a_goal_the_words_decide() -> None:
    words = GoalQuery(("Ndiaye",), ("Everton",))
    assert names_goal(goal_title(SEEN, 0), words)
    assert not names_goal("Fulham 1 - [2] Hull - Iliman Ndiaye 67'", words)
    assert names_goal("Everton!", GoalQuery((), ("Everton",)))
