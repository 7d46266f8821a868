"""T18: notifications in words, with score, minute and link."""

from typing import Any

import pytest

from footy_assets.triggers.rules.message import MatchFacts, message_of

FACTS = MatchFacts(
    teams={"home": "Liverpool", "away": "Chelsea"},
    players={"306": "Mohamed Salah", "9": "Nicolas Jackson"},
    link="http://gallery/goals/1",
)
SCORE = {"football.score.home": 1, "football.score.away": 0, "football.match.minute": 23}


@pytest.mark.parametrize(
    ("options", "title"),
    [
        (
            {"football.goal.team": "home", "football.goal.player": "306"},
            "Goal for Liverpool: Mohamed Salah",
        ),
        (
            {"football.goal.team": "away", "football.goal.type": "own"},
            "Goal for Chelsea (own goal)",
        ),
        (
            {
                "football.card.team": "away",
                "football.card.player": "9",
                "football.card.type": "second yellow",
            },
            "Second yellow card: Nicolas Jackson (Chelsea)",
        ),
        ({"football.substitution.in": "9"}, "Substitution: Nicolas Jackson on"),
        ({"football.line_up.team": "home"}, "Line-up of Liverpool is out"),
        ({"football.var.outcome": "goal cancelled"}, "VAR: goal cancelled"),
        ({"football.penalty.outcome": "missed"}, "Penalty missed"),
        ({"football.team.corners": {"home": 1}}, "A trigger fired"),
    ],
)
def test_t18_a_message_says_what_happened_the_score_and_the_minute(
    options: dict[str, Any], title: str
) -> None:
    message = message_of({"payload": {}}, {**SCORE, **options}, FACTS, is_status=False)
    assert message.title == title
    assert message.text == "Liverpool 1–0 Chelsea, 23'\nhttp://gallery/goals/1"
    assert message.link == "http://gallery/goals/1"


def test_t18_the_final_whistle_has_no_minute() -> None:
    options = {**SCORE, "football.match.status": "FT"}
    message = message_of({"payload": {}}, options, FACTS, is_status=True)
    assert (message.title, message.minute) == ("Full time", None)


def test_t18_a_clip_has_its_own_link() -> None:
    options = {
        **SCORE,
        "football.clip.ready": "1",
        "football.clip.player": "306",
        "football.clip.team": "home",
        "football.clip.verified": "yes",
        "football.clip.link": "http://gallery/watch/1",
    }
    message = message_of({"payload": {}}, options, FACTS, is_status=False)
    assert message.title == "Clip: goal by Mohamed Salah"
    assert message.text.endswith("http://gallery/watch/1")
    assert "http://gallery/goals/1" not in message.text


def test_t11_a_retracted_one_says_so_and_a_payload_may_say_something() -> None:
    body = {"payload": {"say": "Salah!"}, "retracted": True}
    options = {**SCORE, "football.goal.team": "home"}
    message = message_of(body, options, FACTS, is_status=False)
    assert message.title == "Taken back: Goal for Liverpool"
    assert message.text.startswith("Salah!\n")
