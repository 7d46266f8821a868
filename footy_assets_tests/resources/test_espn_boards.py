"""ESPN's scoreboards are parsed again only where they have changed."""

import json
from typing import Any

from footy_assets.providers.rules.adapter import FetchResult
from footy_assets_tests.resources.espn_answers import (
    AWAY,
    HOME,
    SECOND_HALF,
    Json,
    competitor,
    goal,
    match,
    player,
    scoreboard,
)
from resources.espn.responses import parse_board


def board(*events: Any, slug: str = "eng.1", dates: str = "20250510") -> FetchResult:
    return parse_board(json.dumps(scoreboard(*events)).encode(), slug, dates)


def in_play(home: str, **more: Any) -> Json:
    details = [goal("12'", HOME, player("7", "Saka"))]
    return match(home, "0", details, status=SECOND_HALF, **more)


def test_the_same_answer_is_parsed_once() -> None:
    assert board(in_play("1")) is board(in_play("1"))


def test_a_changed_answer_is_parsed_anew() -> None:
    first, second = board(in_play("1")), board(in_play("2"))
    assert [one.matches[0].score.home for one in (first, second)] == [1, 2]


def test_the_same_answer_for_another_competition_is_of_that_competition() -> None:
    content = json.dumps({"events": [in_play("1")]}).encode()
    leagues = [
        parse_board(content, slug, "20250510").matches[0].league for slug in ("eng.1", "eng.2")
    ]
    assert [league.id for league in leagues if league] == ["eng.1", "eng.2"]


def test_the_same_list_of_goals_is_read_by_the_sides_of_its_match() -> None:
    changed = [competitor(AWAY, "home", "0"), competitor(HOME, "away", "1")]
    found = [board(in_play("1")), board(in_play("1", competitors=changed))]
    goals = [one.matches[0].goals for one in found]
    assert [one[0].side for one in goals if one] == ["home", "away"]


def test_one_unreadable_event_affects_no_other() -> None:
    found = board(in_play("1"), {"id": "9", "date": "soon"}, 7)
    assert len(found.matches) == 1
    assert [one.subject for one in found.unreadable] == ["ESPN match 9", "ESPN match ?"]
