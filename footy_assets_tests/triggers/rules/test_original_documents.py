"""T20, T21: documents and snapshots as the original trigger system has them, of two sports."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from footy_assets.triggers.rules.documents import parse_trigger, trigger_json, validation_errors
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets_tests.triggers.rules.builders import KICKOFF, run, when

Json = dict[str, Any]

CLEVELAND_THROWS_A_BALL = json.loads("""
{"data": {"id": "3b25f2f5-fe6c", "type": "trigger", "attributes": {
  "trigger": {
    "id": "3b25f2f5-fe6c", "name": "A ball", "description": "Cleveland throws a ball",
    "datasource": "feed-a", "scope": "game", "scope_id": "game-1", "activated": false,
    "entity": "question", "entity_id": "76938", "disabled": false, "threshold": 0,
    "disabled_entity": false, "use_entity_limits": false, "use_condition_threshold": false},
  "conditions": [{
    "id": "60f76085-59bf", "log": [], "activated": false, "datasource": "feed-a",
    "chain_operation": "and", "event": "baseball.team.pitcher", "compare": "in",
    "targets": ["CLE"],
    "options": [
      {"event": "baseball.pitch.outcomes", "compare": "in", "targets": ["ball"],
       "type": "string", "parent": ""},
      {"event": "baseball.team.pitcher", "compare": "in", "targets": ["CLE"],
       "type": "string", "parent": ""}]}],
  "limits": {"scope": 1},
  "counts": {"scope": 0, "minute": 0}}}}
""")
SEVENTH_INNING_SINGLE = json.loads("""
{"trigger": {"name": "A single in the seventh", "datasource": "feed-a", "scope": "game",
             "scope_id": "game-1", "entity": "question", "entity_id": "69048",
             "use_limits": true},
 "conditions": [{"event": "baseball.inningNumber", "compare": "eq", "targets": ["7"],
   "options": [
     {"event": "baseball.atbat.outcomes", "compare": "in", "targets": ["B1,X1"],
      "parent": "baseball.team.batter"},
     {"event": "baseball.team.batter", "compare": "in", "targets": ["NYY"]}]}],
 "limits": {"scope": 1}}
""")
LISTED = json.loads("""
{"trigger": {"id": "5915aac7", "name": "Trigger", "description": "", "scope": "game",
             "scope_id": "game-1", "activated": false, "entity": "event", "entity_id": "674"},
 "conditions": [
   {"targets": ["start"], "log": [], "options": [], "id": "f21c", "trigger_id": "",
    "event": "basketball.game.level", "datasource": "feed-b", "scope": "", "scope_id": "",
    "compare": "eq", "type": "", "current": "", "activated": false, "chain_order": 0,
    "chain_operation": "and"},
   {"targets": ["30"], "log": [], "options": [], "id": "6737", "trigger_id": "",
    "event": "basketball.game.points.home", "datasource": "feed-b", "scope": "", "scope_id": "",
    "compare": "eq", "type": "", "current": "", "activated": false, "chain_order": 1,
    "chain_operation": "or"}]}
""")
CAMEL_CASE = json.loads("""
{"trigger": {"name": "Trigger", "datasource": "feed-a", "scope": "game", "scopeId": "game-1",
             "entity": "question", "entityId": "77177", "sport": "baseball", "useLimits": true,
             "disabledEntity": false, "next": false, "useConditionThreshold": false},
 "conditions": [{"targets": ["5"], "sport": "baseball", "activated": false,
   "options": [{"event": "baseball.inningNumber", "compare": "eq", "targets": ["5"],
                "type": "number"}],
   "event": "baseball.inningNumber", "compare": "eq", "chainOperation": "and",
   "uri": ["feed-a/game/game-1/baseball.inningNumber"], "datasource": "feed-a",
   "log": ["snapshots/1", "snapshots/2"]}]}
""")
THREES = "basketball.player.scores.3fg"


def option(event: str, compare: str, *targets: Any, **more: Any) -> Json:
    return {"event": event, "compare": compare, "targets": list(targets), **more}


def document(*conditions: Json, limits: Json | None = None, **head: Any) -> Json:
    start = {"entity": "moderation", "entity_id": "1", "scope": "game", "scope_id": "game-1"}
    return {"trigger": {**start, **head}, "conditions": list(conditions), "limits": limits or {}}


def snapshots(sport: str, *moments: Json, datasource: str = "feed-a") -> list[Snapshot]:
    return [
        Snapshot.model_validate(
            {
                "id": f"{datasource}-{number}",
                "datasource": datasource,
                "sport": sport,
                "scope": "game",
                "scopeId": "game-1",
                "timestamp": KICKOFF + timedelta(seconds=20 * number),
                "options": {f"{sport}.{event}": value for event, value in moment.items()},
            }
        )
        for number, moment in enumerate(moments, start=1)
    ]


def fires_at(body: Json, moments: list[Snapshot]) -> list[int]:
    """The numbers, from 1, of the snapshots at which it fires."""
    return when(run(parse_trigger(body), moments))


def threes(*players: str, **more: Any) -> list[Snapshot]:
    moments = [{"player": one, "team": "t", "player.scores.3fg": one, **more} for one in players]
    return snapshots("basketball", *moments)


ALWAYS = {"scope": 0}
SECOND_THREE = option("basketball.player", "in", "curry", options=[option(THREES, "eq", "2")])
OPTIONS_ONLY = {
    "options": [option("basketball.player", "in", "curry"), option(THREES, "eq", "2")],
}


@pytest.mark.parametrize("condition", [SECOND_THREE, OPTIONS_ONLY], ids=["root", "options only"])
def test_t20_the_second_three_of_a_player_fires(condition: Json) -> None:
    players = ("thompson", "curry", "thompson", "curry", "curry")
    assert fires_at(document(condition, limits=ALWAYS), threes(*players)) == [4]


def test_t20_a_snapshot_without_the_main_event_does_not_fire() -> None:
    first = option("basketball.player", "in", "curry", options=[option(THREES, "eq", "1")])
    team_only = {"team": "curry", "team.scores.3fg": "curry"}
    assert fires_at(document(first), snapshots("basketball", team_only)) == []


def test_t20_a_snapshot_without_the_option_does_not_fire() -> None:
    first = option("basketball.player", "in", "curry", options=[option(THREES, "eq", "1")])
    other = {"player": "curry", "team.scores.3fg": "warriors"}
    assert fires_at(document(first), snapshots("basketball", other)) == []


def test_t20_an_activated_trigger_is_not_activated_again_by_the_same_count() -> None:
    first = option("basketball.player", "in", "curry", options=[option(THREES, "eq", "1")])
    assert fires_at(document(first, limits=ALWAYS), threes("curry", "curry", "curry")) == [1]


def test_t20_several_targets_are_summed() -> None:
    both = option("basketball.player", "in", "curry", "green", options=[option(THREES, "eq", "3")])
    assert fires_at(document(both), threes("curry", "klay", "green", "curry", "green")) == [4]


def test_t20_whose_count_it_is_says_the_player_of_the_snapshot() -> None:
    moments = [{"player": "curry", "player.scores.3fg": f"shot-{n}"} for n in range(2)]
    assert fires_at(document(SECOND_THREE), snapshots("basketball", *moments)) == [2]


def test_t20_a_comparison_that_the_event_does_not_have_is_refused() -> None:
    wrong = option("basketball.team", "eq", "wrong")
    for condition in (wrong, {"options": [wrong]}):
        with pytest.raises(ValidationError, match="is compared by in"):
            parse_trigger(document(condition))


def test_t20_points_that_are_reported_are_compared() -> None:
    ten = option("basketball.team.scores.points", "ge", "10")
    body = document(option("basketball.team", "in", "team-1", options=[ten]))
    points = (("team-1", 8), ("team-2", 12), ("team-1", "11"))
    moments = [{"team": team, "team.scores.points": count} for team, count in points]
    assert fires_at(body, snapshots("basketball", *moments)) == [3]


def test_t20_an_option_without_targets_means_those_of_its_parent() -> None:
    dunk = {"event": "basketball.player.dunk", "parent": "basketball.player"}
    body = document(option("basketball.player", "in", "james", options=[dunk]))
    moments = [{"player": "james"}, {"player": "davis", "player.dunk": "davis"}]
    moments.append({"player": "james", "player.dunk": "james"})
    assert fires_at(body, snapshots("basketball", *moments)) == [3]
    with pytest.raises(ValidationError, match="has no target"):
        parse_trigger(document({"options": [dunk]}))


def test_t20_a_pitch_of_the_team_with_that_outcome_fires() -> None:
    moments = [
        {"team.pitcher": "CLE", "pitch.outcomes": "foul"},
        {"team.pitcher": "DET", "pitch.outcomes": "ball"},
        {"team.pitcher": "CLE", "pitch.outcomes": ["lt.80", "ball"]},
        {"team.pitcher": "CLE", "pitch.outcomes": "ball"},
    ]
    steps = run(parse_trigger(CLEVELAND_THROWS_A_BALL), snapshots("baseball", *moments))
    assert when(steps) == [3]
    assert [one.next for one in steps[2].activations] == [False]


def test_t20_numbers_and_lists_are_written_as_strings() -> None:
    single = {"inningNumber": "7", "team.batter": "NYY", "atbat.outcomes": "HIT,X1"}
    moments = [{**single, "inningNumber": 6}, {**single, "team.batter": "BOS"}, single]
    assert fires_at(SEVENTH_INNING_SINGLE, snapshots("baseball", *moments)) == [3]


def test_t20_an_event_without_a_value_has_not_happened() -> None:
    whole = Snapshot.model_validate(
        {
            "id": "1",
            "datasource": "feed-a",
            "sport": "baseball",
            "scope_id": "game-1",
            "timestamp": 1716055200000,
            "options": {
                "baseball.atbat.outcomes": None,
                "baseball.pitch.outcomes": [],
                "baseball.game.state.balls": 1,
            },
        }
    )
    assert whole.events == {"baseball.game.state.balls"}
    assert whole.timestamp.isoformat() == "2024-05-18T18:00:00+00:00"


INNING_5 = option("baseball.inningNumber", "eq", "5")
TWO_OUTS = option("baseball.game.state.outs", "eq", "2")
HOME_RUN = option("baseball.atbat.outcomes", "in", "HR")


def joined(condition: Json, operation: str) -> Json:
    return {**condition, "chain_operation": operation}


@pytest.mark.parametrize(
    ("conditions", "fired"),
    [
        ([INNING_5, joined(TWO_OUTS, "and")], [3, 6]),
        ([INNING_5, joined(TWO_OUTS, "or")], [1, 2, 3, 5, 6]),
        # From left to right: (inning 5 or two outs) and a home run.
        ([INNING_5, joined(TWO_OUTS, "or"), joined(HOME_RUN, "and")], [5, 6]),
        # (inning 5 and two outs) or a home run.
        ([INNING_5, joined(TWO_OUTS, "AND"), joined(HOME_RUN, "or")], [3, 4, 5, 6]),
        # What the first is joined by says nothing.
        ([joined(INNING_5, "or"), joined(TWO_OUTS, "and")], [3, 6]),
    ],
)
def test_t20_or_joins_a_condition_to_those_before_it(conditions: Any, fired: list[int]) -> None:
    moments = [
        {"inningNumber": 5, "game.state.outs": 1},
        {"inningNumber": 4, "game.state.outs": 2},
        {"inningNumber": 5, "game.state.outs": 2},
        {"inningNumber": 4, "game.state.outs": 0, "atbat.outcomes": "HR"},
        {"inningNumber": 5, "game.state.outs": 0, "atbat.outcomes": "HR"},
        {"inningNumber": 5, "game.state.outs": 2, "atbat.outcomes": "HR"},
    ]
    body = document(*conditions, limits=ALWAYS)
    assert fires_at(body, snapshots("baseball", *moments)) == fired


def test_t20_an_explanation_says_how_conditions_are_joined() -> None:
    body = document(INNING_5, joined(TWO_OUTS, "or"))
    (step,) = run(parse_trigger(body), snapshots("baseball", {"game.state.outs": 2}))
    (why,) = [one.explanation for one in step.activations]
    assert (why["held"], why["needed"], why["satisfied"]) == (1, 1, True)
    assert [one.get("chain_operation") for one in why["conditions"]] == [None, "or"]


@pytest.mark.parametrize("where", ["condition", "trigger"])
def test_t20_a_condition_listens_to_its_datasource_only(where: str) -> None:
    bound = {"datasource": "feed-b"}
    condition = {**HOME_RUN, **bound} if where == "condition" else HOME_RUN
    body = document(condition, limits=ALWAYS, **(bound if where == "trigger" else {}))
    moment = {"atbat.outcomes": "HR"}
    both = [snapshots("baseball", moment, datasource=one)[0] for one in ("feed-a", "feed-b")]
    assert fires_at(body, both) == [2]


@pytest.mark.parametrize(
    ("limits", "fired", "next_"),
    [
        ({}, [1], [False]),
        ({"scope": "2"}, [1, 2], [True, False]),
        ({"baseball.inningNumber": 1}, [1, 3], [True, True]),
        ({"baseball.inningHalf": 1}, [1, 2], [True, True]),
        ({"minute": 1}, [1, 4], [True, True]),
        ({"scope": 0, "minute": 0}, [1, 2, 3, 4], [True] * 4),
    ],
)
def test_t20_limits_of_the_sport_and_common_ones(
    limits: Json, fired: list[int], next_: list[bool]
) -> None:
    innings = ((1, "top"), (1, "bottom"), (2, "top"), (2, "bottom"))
    moments = [
        {"atbat.outcomes": "HR", "inningNumber": number, "inningHalf": half}
        for number, half in innings
    ]
    steps = run(parse_trigger(document(HOME_RUN, limits=limits)), snapshots("baseball", *moments))
    assert when(steps) == fired
    assert [one.next for step in steps for one in step.activations] == next_


def test_t20_a_threshold_counts_conditions_however_they_are_joined() -> None:
    conditions = [INNING_5, joined(TWO_OUTS, "or"), joined(HOME_RUN, "or")]
    body = document(*conditions, use_condition_threshold=True, threshold="2")
    moments = [{"inningNumber": 5}, {"inningNumber": 5, "game.state.outs": 2}]
    assert fires_at(body, snapshots("baseball", *moments)) == [2]


def test_t20_a_disabled_entity_never_fires() -> None:
    body = document(HOME_RUN, disabled_entity=True)
    assert fires_at(body, snapshots("baseball", {"atbat.outcomes": "HR"})) == []


WRITTEN = {
    "with everything": CLEVELAND_THROWS_A_BALL["data"]["attributes"],
    "numbers and lists": SEVENTH_INNING_SINGLE,
    "as listed": LISTED,
}


@pytest.mark.parametrize("name", WRITTEN)
def test_t20_a_document_is_shown_as_it_was_written(name: str) -> None:
    written = WRITTEN[name]
    shown = trigger_json("t", parse_trigger(written), {})["attributes"]
    assert shown["trigger"].items() >= written["trigger"].items()
    for condition, after in zip(written["conditions"], shown["conditions"], strict=True):
        options = [dict(one) for one in condition["options"]]
        assert [
            {field: one[field] for field in given}
            for given, one in zip(options, after["options"], strict=True)
        ] == options
        kept = {f: value for f, value in condition.items() if f not in ("options", "type")}
        assert after.items() >= kept.items()
    assert parse_trigger(shown) == parse_trigger(written)


def test_t20_fields_may_be_written_in_camel_case() -> None:
    read = parse_trigger(CAMEL_CASE)
    assert (read.trigger.scope_id, read.trigger.entity_id) == ("game-1", "77177")
    assert read.conditions[0].log == ("snapshots/1", "snapshots/2")
    assert fires_at(CAMEL_CASE, snapshots("baseball", {"inningNumber": "5"})) == [1]


def test_t20_unknown_fields_are_one_error_that_names_each_once() -> None:
    body = document({**HOME_RUN, "colour": 1, "options": [{**INNING_5, "size": 2}]}, shape=3)
    with pytest.raises(ValidationError) as refused:
        parse_trigger({**body, "smell": 4})
    (error,) = validation_errors(refused.value)
    names = ("trigger.shape", "conditions.0.colour", "conditions.0.options.0.size", "smell")
    for name in names:
        assert error["message"].count(name) == 1
    assert error["field"] in names


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (document({"options": []}), "has an event, or options"),
        (document(HOME_RUN, option("basketball.team", "in", "t")), "about one sport"),
        (document(HOME_RUN, sport="basketball"), "its conditions are about baseball"),
        (document(HOME_RUN, sport="curling"), "is none of football"),
        (document(joined(HOME_RUN, "xor")), "chain_operation"),
        (document(HOME_RUN, id="a/b"), "trigger.id"),
        (document(option("baseball.inningNumber", "eq", "5,6")), "several go with in"),
    ],
)
def test_t20_a_document_that_means_nothing_is_refused(body: Json, wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        parse_trigger(body)
