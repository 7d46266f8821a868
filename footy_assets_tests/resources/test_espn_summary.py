"""ESPN's summaries and rosters: goals with assists, incidents, VAR decisions and line-ups."""

from typing import Any

import pytest

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import EventType, IncidentKind, is_cancellation
from footy_assets.providers.rules.adapter import (
    CancellationClaim,
    IncidentClaim,
    LineUpPlayer,
    MatchDetails,
)
from footy_assets.providers.rules.match import NOBODY_CLAIMED, GoalClaim, PersonClaim
from footy_assets_tests.resources.espn_answers import AWAY, HOME, NAMES, SCHEDULED, Json, match
from resources.espn.models import EspnSummary
from resources.espn.summary import parse_summary

ANA, BEA, CLEO = (("1", "Ana"), ("2", "Bea"), ("3", "Cleo"))


def event(
    type_: str, clock: str, team_id: str, *people: tuple[str, str], id_: str = "", **more: Any
) -> Json:
    """An entry of `keyEvents`."""
    return {
        "id": id_ or f"{type_}-{clock}-{team_id}",
        "type": {"id": type_},
        "clock": {"value": 1.0, "displayValue": clock},
        "scoringPlay": False,
        "shootout": False,
        "period": {"number": 1},
        "team": {"id": team_id, "displayName": NAMES[team_id]},
        "participants": [{"athlete": {"id": id_, "displayName": name}} for id_, name in people],
        **more,
    }


def goal(clock: str, team_id: str, *people: tuple[str, str], type_: str = "70") -> Json:
    return event(type_, clock, team_id, *people, scoringPlay=True)


def comment(
    type_: str, clock: str, text: str, team_id: str = HOME, name: str | None = "Ana", **more: Any
) -> Json:
    """An entry of `commentary`: teams and players have names there, and no ids."""
    return {
        "time": {"displayValue": clock},
        "text": text,
        "play": {
            "id": f"c{type_}-{clock}",
            "type": {"id": type_, "type": "var---referee-decision-cancelled"},
            "text": text,
            "clock": {"displayValue": clock},
            "team": {"displayName": NAMES[team_id]},
            "participants": [{"athlete": {"displayName": name}}] if name else [],
            **more,
        },
    }


def roster(side: str, *players: Json, **more: Any) -> Json:
    team_id = HOME if side == "home" else AWAY
    return {"homeAway": side, "team": {"id": team_id}, "roster": list(players), **more}


def in_roster(id_: str, name: str, **more: Any) -> Json:
    return {"athlete": {"id": id_, "displayName": name}, "starter": False, **more}


def read(
    home: str = "0", away: str = "0", header: Json | None = None, **parts: Any
) -> MatchDetails:
    board = match(home, away, clock=None, period=None)["competitions"][0] | (header or {})
    summary = EspnSummary.model_validate({"header": {"competitions": [board]}, **parts})
    return parse_summary(summary, "ESPN match 7001")


# -- goals --------------------------------------------------------------------------------


def test_goals_have_their_assists() -> None:
    found = read("1", "1", keyEvents=[goal("9'", HOME, ANA, BEA), goal("90'+4'", AWAY, CLEO)])
    assert found.goals == (
        GoalClaim("home", MatchMinute(9), "Normal Goal", "Ana", "1", PersonClaim("2", "Bea")),
        GoalClaim("away", MatchMinute(90, 4), "Normal Goal", "Cleo", "3"),
    )
    assert found.goals_complete
    assert found.unreadable == ()


def test_the_second_player_of_an_own_goal_is_no_assist() -> None:
    found = read("1", "0", keyEvents=[goal("9'", HOME, CLEO, ANA, type_="97")])
    assert found.goals == (GoalClaim("home", MatchMinute(9), "Own Goal", "Cleo", "3"),)


def test_an_event_that_is_listed_twice_counts_once() -> None:
    found = read("1", "0", keyEvents=[goal("9'", HOME, ANA), goal("9'", HOME, ANA)])
    assert len(found.goals or ()) == 1


def test_the_header_stands_in_for_events_that_lack_a_goal() -> None:
    """The header's list has no types and no ids, but flags."""
    listed = {
        "clock": {"displayValue": "17'"},
        "addedClock": {"value": 0.0, "displayValue": ""},
        "scoringPlay": True,
        "penaltyKick": True,
        "ownGoal": False,
        "team": {"id": HOME},
        "participants": [{"athlete": {"id": "1", "displayName": "Ana"}}],
    }
    penalty = GoalClaim("home", MatchMinute(17), "Penalty", "Ana", "1")
    for parts in ({}, {"keyEvents": []}):
        found = read("1", "0", {"details": [listed]}, **parts)
        assert found.goals == (penalty,)
        assert found.goals_complete
    lagging = read("2", "0", {"details": [listed]}, keyEvents=[goal("16'", HOME, ANA)])
    assert [str(one.minute) for one in lagging.goals or ()] == ["16'"]
    assert not lagging.goals_complete


def test_without_any_list_goals_and_incidents_are_unknown() -> None:
    found = read("1", "0")
    assert (found.goals, found.incidents, found.line_ups) == (None, None, ())


def test_before_kickoff_there_is_nothing_to_compare_goals_with() -> None:
    found = read(header={"status": {"type": SCHEDULED}}, keyEvents=[])
    assert (found.goals, found.goals_complete) == ((), True)


def test_kicks_of_a_shootout_are_neither_goals_nor_missed_penalties() -> None:
    kicks = [
        event("104", "120'", HOME, ANA, scoringPlay=True, shootout=True, id_="a"),
        event("113", "120'", AWAY, CLEO, shootout=True, id_="b"),
        event("114", "120'", HOME, BEA, period={"number": 5}, id_="c"),
    ]
    found = read("0", "0", keyEvents=kicks)
    assert (found.goals, found.incidents) == ((), ())


# -- incidents ----------------------------------------------------------------------------


def test_incidents_are_cards_substitutions_and_missed_penalties() -> None:
    found = read(
        keyEvents=[
            event("80", "", HOME),
            event("94", "9'", HOME, ANA),
            event("113", "20'", AWAY, CLEO),
            event("114", "30'", AWAY, CLEO),
            event("129", "35'", HOME),
            event("76", "45'", HOME, BEA, ANA),
            event("93", "90'+1'", AWAY, CLEO),
        ]
    )
    assert found.unreadable == ()
    ana, bea, cleo = PersonClaim("1", "Ana"), PersonClaim("2", "Bea"), PersonClaim("3", "Cleo")
    assert found.incidents == (
        IncidentClaim(IncidentKind.CARD, "home", MatchMinute(9), "Yellow Card", ana),
        IncidentClaim(IncidentKind.MISSED_PENALTY, "away", MatchMinute(20), "Missed Penalty", cleo),
        IncidentClaim(IncidentKind.MISSED_PENALTY, "away", MatchMinute(30), "Missed Penalty", cleo),
        # ESPN lists who comes on first; `player` is who goes off.
        IncidentClaim(IncidentKind.SUBSTITUTION, "home", MatchMinute(45), "Substitution", ana, bea),
        IncidentClaim(IncidentKind.CARD, "away", MatchMinute(90, 1), "Red Card", cleo),
    )


# -- VAR ----------------------------------------------------------------------------------

OVERTURNED = "GOAL OVERTURNED BY VAR: Ana (Harbour Town) scores but the goal is ruled out."


def decisions(*comments: Json, **parts: Any) -> list[tuple[str, str]]:
    incidents = read(commentary=list(comments), **parts).incidents or ()
    assert all(one.kind is IncidentKind.VAR for one in incidents)
    return [(one.detail, str(one.minute)) for one in incidents]


def test_e6_a_goal_deleted_after_review_is_cancelled() -> None:
    found = read(
        commentary=[comment("175", "67'", OVERTURNED)],
        rosters=[roster("home", in_roster("1", "Ana"))],
    )
    ana = PersonClaim("1", "Ana")
    assert found.cancellations == (
        CancellationClaim("home", MatchMinute(67), "Goal cancelled", ana),
    )
    assert found.incidents == (
        IncidentClaim(IncidentKind.VAR, "home", MatchMinute(67), "Goal cancelled", ana),
    )
    assert is_cancellation(EventType.VAR, found.cancellations[0].detail)


def test_e6_a_cancelled_goal_and_its_decision_are_one() -> None:
    """ "No Goal" follows minutes later; the goal's own minute is the one that is matched."""
    no_goal = comment("172", "70'", "VAR Decision: No Goal Harbour Town 1-1 Atlético Alcázar.")
    found = read(commentary=[comment("175", "67'", OVERTURNED), no_goal])
    assert [str(one.minute) for one in found.cancellations] == ["67'"]
    assert len(found.incidents or ()) == 1


@pytest.mark.parametrize(
    "other",
    [
        comment("172", "70'", "VAR Decision: No Goal Harbour Town 1-1 Alcázar.", AWAY),
        comment("172", "70'", "VAR Decision: No Goal Harbour Town 1-1 Alcázar.", name="Bea"),
        comment("172", "66'", "VAR Decision: No Goal Harbour Town 1-1 Alcázar."),
        comment("172", "88'", "VAR Decision: No Goal Harbour Town 1-1 Alcázar."),
    ],
)
def test_e6_decisions_about_two_goals_are_two(other: Json) -> None:
    assert len(read(commentary=[comment("175", "67'", OVERTURNED), other]).cancellations) == 2


@pytest.mark.parametrize(
    ("type_", "text", "detail"),
    [
        ("172", "VAR Decision: No Goal Harbour Town 0-0 Alcázar.", "Goal cancelled"),
        ("171", "VAR Decision: No Goal Harbour Town 0-0 Alcázar.", "Goal cancelled"),
        ("172", "VAR Decision: Goal Harbour Town 1-0 Alcázar (Ana).", "Goal confirmed"),
        ("172", "VAR Decision: Goal Nottingham 1-0 Alcázar (Ana).", "Goal confirmed"),
        ("171", "VAR Decision: Goal Harbour Town 1-0 Alcázar (Ana).", "Goal confirmed"),
        ("172", "VAR Decision: Penalty Harbour Town.", "Penalty confirmed"),
        ("172", "VAR Decision: No Penalty Harbour Town.", "Penalty cancelled"),
        ("172", "VAR Decision: Card upgraded Ana (Harbour Town).", "Card upgrade"),
        ("167", "VAR Decision: Card Changed.", "Card upgrade"),
        ("172", "VAR Decision: Other Decision Cancelled.", "Other Decision Cancelled"),
        ("172", "Ana (Harbour Town) VAR - Referee decision cancelled at 7'", "VAR decision"),
        ("175", OVERTURNED, "Goal cancelled"),
        ("175", "", "Goal cancelled"),
        ("175", "RED CARD OVERTURNED BY VAR: Ana (Harbour Town).", "VAR decision"),
    ],
)
def test_the_text_of_a_decision_is_trusted_and_not_its_type(
    type_: str, text: str, detail: str
) -> None:
    found = read(commentary=[comment(type_, "7'", text)])
    assert [one.detail for one in found.incidents or ()] == [detail]
    assert len(found.cancellations) == (detail == "Goal cancelled")


def test_a_text_that_does_not_name_the_decision_is_passed_over() -> None:
    said = comment("172", "7'", "VAR Decision: Penalty Harbour Town.")
    said["play"]["text"] = "Ana (Harbour Town) VAR - Referee decision cancelled at 7'"
    assert decisions(said) == [("Penalty confirmed", "7'")]


def test_a_decision_among_the_events_and_in_the_commentary_is_one() -> None:
    upgrade = event("167", "52'", HOME, ANA, id_="x", text="VAR Decision: Card Changed.")
    said = comment("167", "52'", "VAR Decision: Card Changed.", id="x")
    assert decisions(said, keyEvents=[upgrade]) == [("Card upgrade", "52'")]
    assert decisions(keyEvents=[upgrade]) == [("Card upgrade", "52'")]


def test_two_players_of_one_name_have_no_id_in_a_decision() -> None:
    rosters = [roster("home", in_roster("1", "Ana"), in_roster("4", "Ana"))]
    (one,) = read(commentary=[comment("175", "67'", OVERTURNED)], rosters=rosters).cancellations
    assert one.scorer == PersonClaim(None, "Ana")


def test_a_decision_without_a_player_has_none() -> None:
    (one,) = read(commentary=[comment("175", "67'", OVERTURNED, name=None)]).cancellations
    assert one.scorer == NOBODY_CLAIMED


def test_comments_that_cannot_be_read_matter_only_if_they_are_decisions() -> None:
    stranger = comment("172", "7'", "VAR Decision: No Goal.")
    stranger["play"]["team"] = {"displayName": "Elsewhere"}
    found = read(
        commentary=[
            "?",
            {"text": "Lineups are announced.", "time": {"displayValue": ""}},
            comment("66", "7'", "Foul", scoringPlay={}),
            stranger,
            comment("172", "8'", "VAR Decision: Penalty Harbour Town."),
        ]
    )
    assert [one.subject for one in found.unreadable] == ["ESPN match 7001 comment 3"]
    assert [one.detail for one in found.incidents or ()] == ["Penalty confirmed"]


# -- line-ups -----------------------------------------------------------------------------


def test_line_ups_have_formation_starters_numbers_and_positions() -> None:
    keeper = {"starter": True, "jersey": "1", "position": {"abbreviation": "G"}}
    bench = {"jersey": "", "position": {"abbreviation": "SUB"}}
    found = read(
        rosters=[
            roster("away", in_roster("3", "Cleo", jersey="x"), formation="4-3-3"),
            roster("home", in_roster("1", "Ana", **keeper), in_roster("2", "Bea", **bench)),
        ]
    )
    away, home = found.line_ups
    assert (away.side, away.formation, home.side, home.formation) == ("away", "4-3-3", "home", None)
    assert home.players == (
        LineUpPlayer(PersonClaim("1", "Ana"), 1, "G", starts=True),
        LineUpPlayer(PersonClaim("2", "Bea")),
    )


@pytest.mark.parametrize("subbed_in", [True, False, {"didSub": True}, None])
def test_either_form_of_a_substituted_player_is_read(subbed_in: Any) -> None:
    found = read(rosters=[roster("home", in_roster("1", "Ana", subbedIn=subbed_in))])
    assert found.unreadable == ()
    assert found.line_ups[0].players[0].person.id == "1"


@pytest.mark.parametrize("rosters", [None, [], [{"homeAway": "home"}], [roster("home")], {}])
def test_before_the_line_ups_are_known_there_are_none(rosters: Any) -> None:
    found = read(rosters=rosters)
    assert (found.line_ups, found.unreadable) == ((), ())


def test_a_player_or_a_line_up_that_cannot_be_read_costs_itself() -> None:
    found = read(
        rosters=[
            {"homeAway": "middle", "roster": [in_roster("9", "Nine")]},
            roster("home", {"starter": True}, in_roster("1", "Ana")),
        ]
    )
    assert [len(one.players) for one in found.line_ups] == [1]
    assert [one.subject for one in found.unreadable] == [
        "ESPN match 7001 line-up 0",
        "ESPN match 7001 line-up 1 player 0",
    ]
