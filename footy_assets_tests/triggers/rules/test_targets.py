"""T19: a target that cannot occur is refused, with the nearest right answers."""

from typing import Any

import pytest

from footy_assets.triggers.rules.documents import parse_trigger
from footy_assets.triggers.rules.targets import (
    SIDES,
    CheckedTrigger,
    MatchTargets,
    WrongTargets,
    check_targets,
)
from footy_assets.triggers.rules.term import Choice
from footy_assets_tests.triggers.rules.builders import document, option

Json = dict[str, Any]
PLAYERS = [
    Choice("306", "Mohamed Salah", group="Liverpool", parent="home"),
    Choice("9", "Darwin Núñez", group="Liverpool", parent="home"),
    Choice("8", "Bruno Fernandes", group="Manchester United", parent="away"),
]
TEAMS = [Choice("home", "Liverpool"), Choice("away", "Manchester United")]
KNOWN = MatchTargets(TEAMS, PLAYERS, {"40": "home", "33": "away"}, is_ours=True, all_players=True)
NO_ROSTERS = MatchTargets(TEAMS, (), {"40": "home", "33": "away"}, is_ours=True)
# A match that only the client knows.
THEIRS = MatchTargets(SIDES)

# What is wrong, and the first suggestion.
MISTAKES: dict[str, tuple[Json, Any]] = {
    "a team of another match": (option("goal.team", "in", "Chelsea"), "home"),
    "half of a team's name": (option("goal.team", "in", "Manchester"), "away"),
    "a team with a typo": (option("team", "eq", "Liverpol"), "home"),
    "a side with a typo": (option("card.team", "in", "hom"), "home"),
    "the id of another team": (option("goal.team", "in", 41), "home"),
    "one wrong team of two": (option("goal.team", "in", "home", "awya"), "away"),
    "a player of another match": (option("goal.player", "in", "99"), "9"),
    "a surname": (option("goal.player", "in", "Salah"), "306"),
    "a player with a typo": (option("goal.player", "in", "Mohamed Sala"), "306"),
    "a name in the other order": (option("card.player", "eq", "Fernandes B."), "8"),
    "a name without its letters": (option("substitution.in", "in", "Darwin Nunes"), "9"),
    "a colour with a typo": (option("card.type", "eq", "yelow"), "yellow"),
    "a colour in other words": (option("card.type", "in", "yellow crad"), "yellow"),
    "a kind of goal": (option("goal.type", "eq", "penelty"), "penalty"),
    "an outcome": (option("penalty.outcome", "eq", "score"), "scored"),
    "a status in other words": (option("match.status", "eq", "halftime"), "HT"),
    "a status with a typo": (option("match.status", "in", "full tme"), "FT"),
    "a half that does not exist": (option("match.half", "eq", 9), 5),
    "half 0": (option("match.half", "in", "0"), 1),
    "a minute after the end": (option("match.minute", "gt", 500), 150),
    "a minute before the start": (option("match.minute", "ge", -1), 0),
    "a negative score": (option("score.home", "eq", -2), 0),
    "a score of half a goal": (option("score.total", "ge", 2.6), 3),
    "more than the most": (option("score.away", "gt", 99), 98),
    "fewer than none": (option("score.away", "lt", 0), 1),
    "too many cards": (option("player.cards", "eq", 30), 9),
    "a negative count": (option("team.corners", "ge", -3), 0),
}


def check(condition: Json, known: MatchTargets = KNOWN) -> CheckedTrigger:
    return check_targets(parse_trigger(document(condition)), known)


@pytest.mark.parametrize("name", MISTAKES)
def test_t19_a_wrong_target_is_refused_with_the_nearest_right_one(name: str) -> None:
    condition, right = MISTAKES[name]
    with pytest.raises(WrongTargets) as refused:
        check(condition)
    (fault,) = refused.value.faults
    assert fault["field"] == "conditions.0.targets"
    assert fault["suggestions"][0] == right
    assert str(right) in fault["message"].partition("did you mean")[2]


def test_t19_the_message_is_a_sentence() -> None:
    with pytest.raises(WrongTargets, match=r"^conditions\.0\.targets: ") as refused:
        check(option("card.type", "eq", "yelow"))
    (fault,) = refused.value.faults
    assert (
        fault["message"]
        == '"yelow" is no value of football.card.type; did you mean "yellow" (yellow card)?'
    )


def test_t19_every_wrong_target_is_named_with_its_field() -> None:
    more = [option("match.minute", "gt", 80), option("goal.team", "in", "Chelsea")]
    with pytest.raises(WrongTargets) as refused:
        check({**option("goal.player", "in", "77"), "options": more})
    fields = [fault["field"] for fault in refused.value.faults]
    assert fields == ["conditions.0.targets", "conditions.0.options.1.targets"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (option("goal.team", "in", "Liverpool"), ["home"]),
        (option("goal.team", "in", "manchester united", "home"), ["away", "home"]),
        (option("goal.team", "in", 40), ["home"]),
        (option("goal.player", "in", "mohamed salah"), ["306"]),
        (option("goal.player", "in", 306), ["306"]),
        (option("card.type", "eq", "Yellow Card"), ["yellow"]),
        (option("match.status", "eq", "ht"), ["HT"]),
        (option("match.half", "eq", "2"), ["2"]),
        (option("goal.player", "in", "306,8"), ["306,8"]),
        (option("goal.team", "in", "Liverpool,away"), ["home", "away"]),
    ],
)
def test_t19_a_name_becomes_what_snapshots_call_it(written: Json, meant: list[Any]) -> None:
    checked = check(written)
    assert list(checked.trigger.conditions[0].targets) == meant
    assert checked.warnings == ()


@pytest.mark.parametrize("known", [NO_ROSTERS, THEIRS], ids=["no rosters", "a match of theirs"])
def test_t19_without_rosters_a_player_is_accepted_with_a_warning(known: MatchTargets) -> None:
    (warning,) = check(option("goal.player", "in", "12345"), known).warnings
    assert warning["field"] == "conditions.0.targets"
    assert "12345 is accepted unchecked" in warning["message"]


def test_t19_a_name_is_never_accepted_as_the_id_of_a_player() -> None:
    with pytest.raises(WrongTargets, match="give an id"):
        check(option("goal.player", "in", "Salah"), NO_ROSTERS)


def test_t19_a_team_is_never_accepted_by_a_name_that_no_snapshot_has() -> None:
    with pytest.raises(WrongTargets, match='did you mean "home" or "away"'):
        check(option("goal.team", "in", "Liverpool"), THEIRS)


def test_t19_an_unusual_value_of_a_free_event_is_accepted_with_a_warning() -> None:
    (warning,) = check(option("var.outcome", "eq", "goal canceled")).warnings
    assert 'did you mean "goal cancelled"' in warning["message"]


def test_t19_an_event_and_a_limit_are_suggested_too() -> None:
    with pytest.raises(ValueError, match=r'did you mean "football\.goal\.player"'):
        parse_trigger(document(option("goal.playr", "in", "306")))
    with pytest.raises(ValueError, match=r'did you mean "football\.match\.half"'):
        parse_trigger(document(option("goal.team", "in", "home"), limits={"football.half": 1}))
