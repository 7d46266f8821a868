"""SE6: titles of goal posts are read whole, and nothing else is taken for one."""

import pytest

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail
from footy_assets.search.rules.goal_titles import GoalTitle, parse_goal_title

OWN, PENALTY = GoalDetail.OWN_GOAL, GoalDetail.PENALTY


def read(title: str) -> GoalTitle:
    found = parse_goal_title(title)
    assert found is not None, title
    return found


def test_se6_a_title_says_teams_score_side_scorer_and_minute() -> None:
    assert read("Fulham 1 - [3] Everton - J. Garner 38'") == GoalTitle(
        "Fulham", "Everton", (1, 3), "away", "J. Garner", MatchMinute(38)
    )


# Titles of one goal, Ndiaye's for Everton at 1-2 in minute 67, as people type it.
SAME_GOAL = [
    "Fulham 1 - [2] Everton - Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67'",
    "Fulham 1- [2] Everton -Iliman Ndiaye 67'",
    "Fulham 1 -[2]Everton- Iliman Ndiaye  67 '",
    "Fulham 1 – [2] Everton — Iliman Ndiaye 67’",
    "Fulham 1 − [2] Everton ‐ Iliman Ndiaye 67′",
    "Fulham 1 - [2] Everton - Iliman Ndiaye 67\u200e'\u200e",
    "\u200eFulham\u00a01\u00a0-\u00a0[2]\u00a0Everton - Iliman Ndiaye 67´",
    "Fulham 1 - 【2】 Everton - Iliman Ndiaye 67`",
    "Fulham 1 - (2) Everton - Iliman Ndiaye 67'",
    "Fulham 1 - [ 2 ] Everton | Iliman Ndiaye 67'",
    "Fulham 1:[2] Everton: Iliman Ndiaye goal 67'",
    "Fulham 1-[2] Everton (Iliman Ndiaye 67')",
    "Fulham 1-[2] Everton (Iliman Ndiaye 67') - great goal",
    "Fulham 1-[2] Everton, Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton - 67' Iliman Ndiaye",
    "Fulham 1-[2] Everton 67' Iliman Ndiaye",
    "Fulham 1-[2] Everton - Iliman Ndiaye (67')",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67 min",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67''",
    "Fulham 1-[2] Everton - Iliman Ndiaye great goal 67'",
    "Fulham 1-[2] Everton - Iliman Ndiaye free-kick 67' (long range)",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67' | other angle",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67' (VAR check)",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67' + Robinson red card",
    "Fulham 1-[2] Everton (2-3 on agg.) - Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton [agg. 2-3] - Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton [2-3] - Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton, 2-3 agg - Iliman Ndiaye 67'",
    "Fulham 1-[2] Everton - Iliman Ndiaye 67' (2-3 on aggregate)",
    "Fulham (1) 1-[2] (3) Everton - Iliman Ndiaye 67'",
    "[Great Goal] Fulham 1-[2] Everton - Iliman Ndiaye 67'",
    "FA Cup: Fulham 1-[2] Everton - Iliman Ndiaye 67'",
    "GOAL! Fulham 1-[2] Everton - Iliman Ndiaye 67'",
]


@pytest.mark.parametrize("title", SAME_GOAL)
def test_se6_typing_does_not_change_the_goal(title: str) -> None:
    goal = read(title)
    assert (goal.home, goal.away, goal.score, goal.side) == ("Fulham", "Everton", (1, 2), "away")
    assert (goal.scorer, goal.minute) == ("Iliman Ndiaye", MatchMinute(67))
    assert goal.detail is GoalDetail.NORMAL_GOAL


def test_se6_without_brackets_the_side_is_unknown() -> None:
    assert read("Fulham 1-2 Everton - Ndiaye 67'").side is None
    assert read("Fulham [1-2] Everton - Ndiaye 67'").side is None
    assert read("Fulham [1]-[2] Everton - Ndiaye 67'").side is None


def test_se6_small_letters_are_read() -> None:
    goal = read("fulham 1-2 everton - iliman ndiaye 67'")
    assert (goal.home, goal.away, goal.scorer) == ("fulham", "everton", "iliman ndiaye")


TEAMS = [
    ("Schalke 04 [1] - 0 Mainz 05 - Karaman 5'", "Schalke 04", "Mainz 05"),
    ("Hannover 96 1-0 1. FC Köln - Tresoldi 5'", "Hannover 96", "1. FC Köln"),
    ("TSG 1899 Hoffenheim 1-0 1860 Munich - Kramaric 5'", "TSG 1899 Hoffenheim", "1860 Munich"),
    ("Al-Nassr [1]-0 Al-Hilal - Mané 5'", "Al-Nassr", "Al-Hilal"),
    ("Bodø/Glimt 1-0 Saint-Étienne - Hauge 5'", "Bodø/Glimt", "Saint-Étienne"),
    ("Arsenal (W) 1-0 Chelsea (W) - Russo 5'", "Arsenal (W)", "Chelsea (W)"),
    ("Nott'm Forest 1-0 Borussia M'gladbach - Wood 5'", "Nott'm Forest", "Borussia M'gladbach"),
    ("Brighton & Hove Albion 1-0 Athletic Club de Bilbao - Welbeck 5'",
     "Brighton & Hove Albion", "Athletic Club de Bilbao"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "home", "away"), TEAMS)
def test_se6_digits_hyphens_and_marks_of_team_names_stay(title: str, home: str, away: str) -> None:
    goal = read(title)
    assert (goal.home, goal.away, goal.score, goal.minute) == (home, away, (1, 0), MatchMinute(5))


SCORERS = [
    "Son Heung-min", "K. Havertz", "Alvarez J", "N'Golo Kanté", "Virgil van Dijk", "De Bruyne",
    "Calvert-Lewin", "Danilo D'Ambrosio", "Vinícius Jr.", "Łukasz Piszczek", "O'Riley",
]  # fmt: skip


@pytest.mark.parametrize("name", SCORERS)
def test_se6_names_of_scorers_stay_whole(name: str) -> None:
    assert read(f"Fulham 1-2 Everton - {name} 67'").scorer == name


MINUTES = [
    ("45+2'", MatchMinute(45, 2)),
    ("90'+3'", MatchMinute(90, 3)),
    ("90'+3", MatchMinute(90, 3)),
    ("90 + 11’", MatchMinute(90, 11)),
    ("90+3", MatchMinute(90, 3)),
    ("1'", MatchMinute(1)),
    ("120+1'", MatchMinute(120, 1)),
]


@pytest.mark.parametrize(("text", "minute"), MINUTES)
def test_se6_added_time_is_read(text: str, minute: MatchMinute) -> None:
    assert read(f"Fulham 1-[2] Everton - Ndiaye {text}").minute == minute


KINDS = [
    ("Ndiaye (penalty) 67'", PENALTY),
    ("Ndiaye penalty 67'", PENALTY),
    ("Ndiaye pen. 67'", PENALTY),
    ("Ndiaye (P) 67'", PENALTY),
    ("Ndiaye PK 67'", PENALTY),
    ("Ndiaye 67' (penalty)", PENALTY),
    ("Ndiaye 67' pen", PENALTY),
    ("Ndiaye OG 67'", OWN),
    ("Ndiaye (o.g.) 67'", OWN),
    ("Ndiaye own goal 67'", OWN),
    ("Ndiaye 67' (OG)", OWN),
    ("Own goal by Ndiaye 67'", OWN),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_se6_penalties_and_own_goals_are_told_apart(text: str, kind: GoalDetail) -> None:
    goal = read(f"Fulham 1-[2] Everton - {text}")
    assert (goal.detail, goal.scorer, goal.minute) == (kind, "Ndiaye", MatchMinute(67))


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("- Ndiaye 67'", ""),
        ("- Ndiaye 67' (great goal)", "(great goal)"),
        ("(Ndiaye 67') - great goal", "great goal"),
        ("- Ndiaye 67' | other angle", "other angle"),
        ("- Ndiaye 67' + Robinson red card", "+ Robinson red card"),
    ],
)
def test_se6_the_comment_is_what_follows(text: str, comment: str) -> None:
    assert read(f"Fulham 1-[2] Everton {text}").comment == comment


def test_se6_an_own_goal_may_name_nobody() -> None:
    assert read("Fulham 1-[2] Everton - own goal 67'").scorer is None


def test_se6_a_bracketed_score_with_a_name_needs_no_minute() -> None:
    goal = read("Fulham 1-[2] Everton - Iliman Ndiaye")
    assert (goal.scorer, goal.minute) == ("Iliman Ndiaye", None)


NO_GOAL = [
    "Fulham 1-2 Everton - Robinson red card 67'",
    "Fulham 1 - 2 Everton - Robinson Straight Red 67'",
    "Fulham 1-2 Everton - Robinson 67' (red card)",
    "Fulham 1-2 Everton - Robinson 67' second yellow",
    "Fulham 1-[2] Everton - Robinson red card 67'",
    "Fulham 1-[2] Everton - Robinson 67' red card",
    "Fulham 1-2 Everton - Pickford save 67'",
    "Fulham 1-2 Everton - Jordan Pickford Great Save 67'",
    "Fulham 1-2 Everton - Pickford saves Jiménez penalty 67'",
    "Fulham 1-2 Everton - Jiménez penalty miss 67'",
    "Fulham 1-2 Everton - Jiménez Missed Penalty 67'",
    "Fulham 1-2 Everton - Penalty Call on Jiménez 67'",
    "Fulham 1-2 Everton - Jiménez hits the post 67'",
    "Fulham 1-2 Everton - Jiménez chance 67'",
    "Fulham 1-2 Everton - Jiménez disallowed goal 67'",
    "Fulham 1-[2] Everton - Ndiaye 67' (goal disallowed)",
    "Fulham 1-[2] Everton - Ndiaye 67' ruled out by VAR",
    "Fulham 1-2 Everton - Ndiaye 67' - VAR check",
    "Fulham 1-2 Everton - Ndiaye injury 67'",
    "Fulham 1-2 Everton - Ndiaye wins a penalty 67'",
    "Fulham 1-2 Everton - Ndiaye celebration 67'",
    "Fulham [1]-2 Everton - Fulham fans 67'",
    "Fulham 0-0 Everton - Ndiaye 67'",
    "Fulham 1 - [0] Everton - Ndiaye 67'",
    "Fulham 1-2 Everton - Iliman Ndiaye",
    "Fulham 1-2 Everton",
    "Fulham 1-2 Everton - Highlights",
    "Fulham 1-[2] Everton - Highlights",
    "Fulham 1-2 Everton - Moyes: 'We were the better side for 90 minutes'",
    "Fulham 1-2 Everton: Ndiaye's late winner stuns Craven Cottage",
    "Match Thread: Fulham 1-2 Everton - Ndiaye 67'",
    "[Post Match Thread] Fulham 1-2 Everton | Premier League",
    "[Post Match Thread] Fulham 1-2 Everton - Ndiaye 67'",
    "Post-Match Thread: Fulham 1 - 2 Everton",
    "FT: Fulham 1-2 Everton - Ndiaye 67'",
    "Half-time: Fulham 1-2 Everton (Ndiaye 67')",
    "Ndiaye goal against Fulham 67'",
    "Great save by Pickford against Fulham (1-2) 67'",
    "Ndiaye second goal vs Fulham (1-2)",
    "Argentina 3-3 France (4-2 pens) - Montiel 120+3'",
    "Everton are unbeaten in 2025-26 away games - Moyes 67'",
    "Moyes switches to 4-3-3 against Fulham - Ndiaye wide 67'",
    "On this day in 2004: Fulham 1-2 Everton - Ferguson 67'",
    "Fulham 1-2 Everton - Ndiaye 167'",
    "[Fabrizio Romano] Ndiaye to City, here we go! 5-year deal",
    "",
    "[1] - 0",
    "x" * 400,
]


@pytest.mark.parametrize("title", NO_GOAL)
def test_se6_what_is_not_clearly_a_goal_is_none(title: str) -> None:
    assert parse_goal_title(title) is None


def test_se6_a_hostile_title_costs_little() -> None:
    for piece in ("[1]-", "(1-", "1 - ", " agg ", "+1'", "(((", "great "):
        parse_goal_title("A 1-0 B - " + piece * 70)
