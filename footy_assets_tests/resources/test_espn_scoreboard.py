"""ESPN's scoreboards as matches (R5): every trap of their shape, with a document that has it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail, IncidentKind
from footy_assets.matchday.rules.statuses import FixtureState, state_of
from footy_assets.providers.rules.adapter import FetchResult, LeagueClaim, ProviderMatch, TeamClaim
from footy_assets.providers.rules.match import NO_SCORE, GoalClaim, Score
from footy_assets_tests.resources.espn_answers import (
    AWAY,
    FULL_TIME,
    HOME,
    SCHEDULED,
    SECOND_HALF,
    Json,
    competitor,
    goal,
    match,
    play,
    player,
    scoreboard,
)
from resources.espn.models import EspnScoreboard
from resources.espn.translate import parse_scoreboard


def read(*events: Any, slug: str | None = "eng.1") -> FetchResult:
    return parse_scoreboard(EspnScoreboard.model_validate(scoreboard(*events)), slug)


def read_one(event: Json) -> ProviderMatch:
    found = read(event)
    assert found.unreadable == ()
    (only,) = found.matches
    return only


def goals_of(event: Json) -> tuple[GoalClaim, ...]:
    goals = read_one(event).goals
    assert goals is not None
    return goals


# -- the match ----------------------------------------------------------------------------


def test_a_match_is_read_with_ids_names_league_and_venue() -> None:
    found = read_one(match("2", "1"))
    listed = found.listed
    assert (listed.id, listed.start) == ("7001", datetime(2026, 3, 21, 15, tzinfo=UTC))
    assert (listed.home, listed.away) == ("Harbour Town", "Atlético Alcázar")
    assert listed.home_also == ("Harbour", "HAR")
    assert listed.away_also == ("Atlético", "ATL")
    assert (listed.competition, listed.competition_id) == ("Premier League", "eng.1")
    assert found.league == LeagueClaim("eng.1", "Premier League", 2025)
    assert found.home == TeamClaim(HOME, f"https://logos.example/{HOME}.png")
    assert found.venue == "The Quay"
    assert found.score == Score(2, 1)


def test_home_and_away_are_named_and_not_in_order() -> None:
    event = match("2", "1")
    event["competitions"][0]["competitors"].reverse()
    found = read_one(event)
    assert (found.listed.home, found.score) == ("Harbour Town", Score(2, 1))


@pytest.mark.parametrize("sides", [("home", "home"), ("home", "neutral"), ("home",)])
def test_a_match_without_one_home_and_one_away_team_is_unreadable(sides: tuple[str, ...]) -> None:
    teams = [competitor(id_, side) for id_, side in zip((HOME, AWAY), sides, strict=False)]
    (problem,) = read(match(competitors=teams)).unreadable
    assert "one home and one away" in problem.reason


@pytest.mark.parametrize(
    ("score", "goals"),
    [("2", 2), (2, 2), ({"value": 2.0, "displayValue": "2"}, 2), ({"value": 0}, 0), ("-", None)],
)
def test_a_score_is_a_text_or_an_object(score: Any, goals: int | None) -> None:
    assert read_one(match(score, "0")).score == Score(goals, 0)


@pytest.mark.parametrize(
    "status",
    [
        SCHEDULED,
        {"name": "STATUS_POSTPONED", "state": "post", "completed": False},
        {"name": "STATUS_CANCELED", "state": "post", "completed": True},
    ],
)
def test_a_match_without_play_has_no_score_though_espn_says_0(status: Json) -> None:
    found = read_one(match("0", "0", status=status, clock="0'", period=0))
    assert found.score == NO_SCORE
    assert found.minute is None


def test_a_postponed_match_has_neither_clock_nor_period() -> None:
    status = {"name": "STATUS_POSTPONED", "state": "post", "completed": False}
    found = read_one(match(status=status, clock=None, period=None))
    assert found.period == "PST"


@pytest.mark.parametrize(
    ("clock", "minute"),
    [
        ("58'", MatchMinute(58)),
        ("90'+5'", MatchMinute(90, 5)),
        ("45'", MatchMinute(45)),
        ("HT", None),
        (None, None),
    ],
)
def test_the_minute_is_read_from_the_text_of_the_clock(
    clock: str | None, minute: MatchMinute | None
) -> None:
    assert read_one(match(status=SECOND_HALF, clock=clock)).minute == minute


def test_a_kickoff_whose_time_is_open_is_to_be_decided() -> None:
    assert read_one(match(status=SCHEDULED, timeValid=False)).period == "TBD"


def test_corners_are_read_where_both_sides_have_them() -> None:
    def with_corners(value: Any) -> Json:
        statistics = [{"name": "wonCorners", "displayValue": value}]
        sides = [
            competitor(HOME, "home", statistics=statistics),
            competitor(AWAY, "away", statistics=[{"name": "wonCorners", "displayValue": "4"}]),
        ]
        return match(competitors=sides)

    assert read_one(with_corners("6")).corners == (6, 4)
    assert read_one(with_corners("?")).corners is None
    assert read_one(match()).corners is None


# -- leagues ------------------------------------------------------------------------------


def test_the_league_is_found_by_its_number_where_the_answer_names_none() -> None:
    """As in the answer for all leagues."""
    event = match() | {"uid": "s:600~l:740~e:7001"}
    board = EspnScoreboard.model_validate({"events": [event, match(id_="2") | {"uid": "?"}]})
    spanish, unknown = parse_scoreboard(board).matches
    assert spanish.league == LeagueClaim("esp.1", "La Liga", 2025)
    assert unknown.league is None


def test_a_league_that_we_do_not_know_has_its_own_name() -> None:
    board = {"leagues": [{"id": "9", "slug": "xyz.1", "name": "Far League"}, 7], "events": []}
    board["events"] = [match() | {"uid": "s:600~l:9~e:1", "season": None}]
    (found,) = parse_scoreboard(EspnScoreboard.model_validate(board), "xyz.1").matches
    assert found.league == LeagueClaim("xyz.1", "Far League", None)


# -- the period ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "state", "completed", "number", "period"),
    [
        ("STATUS_SCHEDULED", "pre", False, 0, "NS"),
        ("STATUS_FIRST_HALF", "in", False, 1, "1H"),
        ("STATUS_HALFTIME", "in", False, 1, "HT"),
        ("STATUS_SECOND_HALF", "in", False, 2, "2H"),
        ("STATUS_IN_PROGRESS", "in", False, 1, "1H"),
        ("STATUS_IN_PROGRESS", "in", False, 2, "2H"),
        ("STATUS_IN_PROGRESS", "in", False, None, "LIVE"),
        ("STATUS_END_OF_REGULATION", "in", False, 2, "ET"),
        ("STATUS_OVERTIME", "in", False, 3, "ET"),
        ("STATUS_HALFTIME_ET", "in", False, 3, "BT"),
        ("STATUS_END_OF_EXTRATIME", "in", False, 4, "ET"),
        ("STATUS_SHOOTOUT", "in", False, 5, "P"),
        ("STATUS_FULL_TIME", "post", True, 2, "FT"),
        ("STATUS_FINAL", "post", True, 2, "FT"),
        ("STATUS_FINAL_AET", "post", True, 4, "AET"),
        ("STATUS_FINAL_PEN", "post", True, 5, "PEN"),
        ("STATUS_POSTPONED", "post", False, None, "PST"),
        ("STATUS_CANCELED", "post", True, None, "CANC"),
        ("STATUS_FORFEIT", "post", True, None, "AWD"),
        ("STATUS_ABANDONED", "post", True, 1, "ABD"),
        ("STATUS_DELAYED", "pre", False, 0, "NS"),
        ("STATUS_DELAYED", "in", False, 1, "INT"),
        ("STATUS_SUSPENDED", "in", False, 1, "SUSP"),
        # Unknown names: by state.
        ("STATUS_NEW", "pre", False, 0, "NS"),
        ("STATUS_FIRST_HALF_EXTRA_TIME", "in", False, 3, "ET"),
        ("STATUS_NEW", "in", False, 5, "P"),
        ("STATUS_NEW", "post", False, 2, "INT"),
        ("STATUS_NEW", "post", True, 2, "INT"),
        # The name of an end that the state contradicts.
        ("STATUS_FULL_TIME", "in", False, 2, "2H"),
        ("STATUS_FULL_TIME", "post", False, 2, "INT"),
    ],
)
def test_the_period_follows_name_state_and_completed(
    name: str, state: str, completed: bool, number: int | None, period: str
) -> None:
    status = {"name": name, "state": state, "completed": completed}
    assert read_one(match(status=status, period=number)).period == period


def test_only_a_known_end_completes_a_match() -> None:
    status = {"name": "STATUS_NEW", "state": "post", "completed": True}
    assert state_of(read_one(match(status=status)).period) is FixtureState.ACTIVE


def test_a_status_beside_the_competition_is_used_where_it_has_none() -> None:
    event = match()
    event["status"] = event["competitions"][0].pop("status")
    assert read_one(event).period == "FT"
    del event["status"]
    assert read(event).unreadable[0].reason == "status: missing"


# -- the winner ---------------------------------------------------------------------------


def sides(home: Json, away: Json) -> list[Json]:
    return [competitor(HOME, "home", "1", **home), competitor(AWAY, "away", "1", **away)]


@pytest.mark.parametrize(
    ("home", "away", "winners"),
    [
        ({"winner": True}, {"winner": False}, (True, False)),
        ({}, {"winner": True}, (False, True)),
        ({"winner": False}, {"winner": False}, (None, None)),
        ({}, {}, (None, None)),
        ({"shootoutScore": 3}, {"shootoutScore": 4}, (False, True)),
    ],
)
def test_the_winner_may_be_missing(home: Json, away: Json, winners: tuple[Any, Any]) -> None:
    found = read_one(match(competitors=sides(home, away)))
    assert found.home is not None
    assert found.away is not None
    assert (found.home.winner, found.away.winner) == winners


def test_nobody_has_won_before_the_end() -> None:
    found = read_one(match(status=SECOND_HALF, competitors=sides({"winner": True}, {})))
    assert found.home == TeamClaim(HOME, f"https://logos.example/{HOME}.png", None)


# -- goals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "flags", "detail"),
    [
        ("70", {}, GoalDetail.NORMAL_GOAL),
        ("137", {}, GoalDetail.NORMAL_GOAL),
        ("138", {}, GoalDetail.NORMAL_GOAL),
        ("173", {}, GoalDetail.NORMAL_GOAL),
        ("999", {}, GoalDetail.NORMAL_GOAL),
        ("98", {"penaltyKick": True}, GoalDetail.PENALTY),
        ("98", {}, GoalDetail.PENALTY),
        ("97", {"ownGoal": True}, GoalDetail.OWN_GOAL),
        ("97", {}, GoalDetail.OWN_GOAL),
        ("70", {"scoringPlay": None}, GoalDetail.NORMAL_GOAL),
    ],
)
def test_each_type_of_goal_has_our_word(type_: str, flags: Json, detail: GoalDetail) -> None:
    (found,) = goals_of(match("1", "0", [goal("9'", HOME, type_=type_, **flags)]))
    assert found.detail == detail


def test_a_goal_has_side_minute_and_scorer() -> None:
    (found,) = goals_of(match("0", "1", [goal("45'+2'", AWAY, player("9", "Ana Ruiz"))]))
    assert found == GoalClaim("away", MatchMinute(45, 2), "Normal Goal", "Ana Ruiz", "9")


def test_an_own_goal_counts_for_the_credited_team() -> None:
    """The player's own team is the other side."""
    own = goal("9'", HOME, player("5", "Unlucky", AWAY), type_="97", ownGoal=True)
    found = read_one(match("1", "0", [own]))
    assert found.goals == (GoalClaim("home", MatchMinute(9), "Own Goal", "Unlucky", "5"),)
    assert found.goals_complete


def test_a_goal_without_its_scorer_is_a_goal() -> None:
    found = read_one(match("1", "0", [goal("9'", HOME)]))
    assert found.goals == (GoalClaim("home", MatchMinute(9), "Normal Goal"),)
    assert found.goals_complete


def test_seconds_that_stop_in_stoppage_time_do_not_decide_the_minute() -> None:
    late = goal("90'+4'", HOME)
    late["clock"]["value"] = 5400.0
    assert goals_of(match("1", "0", [late]))[0].minute == MatchMinute(90, 4)


@pytest.mark.parametrize(("seconds", "minute"), [(52.0, 1), (1337.0, 23), (2700.0, 45)])
def test_without_a_text_the_seconds_give_the_minute(seconds: float, minute: int) -> None:
    entry = goal("", HOME)
    entry["clock"]["value"] = seconds
    assert goals_of(match("1", "0", [entry]))[0].minute == MatchMinute(minute)


@pytest.mark.parametrize(
    "kick",
    [
        goal("120'", HOME, type_="104", shootout=True),
        goal("120'", HOME, type_="70", shootout=True),
        goal("120'", HOME, type_="104"),
        goal("120'", HOME, period={"number": 5}),
    ],
)
def test_kicks_of_a_shootout_are_no_goals(kick: Json) -> None:
    status = {**FULL_TIME, "name": "STATUS_FINAL_PEN"}
    found = read_one(match("1", "1", [goal("9'", HOME), goal("80'", AWAY), kick], status=status))
    assert len(found.goals or ()) == 2
    assert found.goals_complete
    assert found.score == Score(1, 1)


def test_goals_that_do_not_make_up_the_score_are_not_complete() -> None:
    """An edge server may lack an event for one poll: nothing is taken back for that."""
    both = [goal("9'", HOME), goal("80'", AWAY)]
    assert read_one(match("1", "1", both)).goals_complete
    assert not read_one(match("1", "1", both[:1])).goals_complete
    assert not read_one(match("1", "1", [])).goals_complete
    assert not read_one(match("2", "0", both)).goals_complete, "each side counts for itself"
    assert not read_one(match("?", "1", both)).goals_complete


def test_e6_a_disallowed_goal_vanishes_together_with_its_score() -> None:
    found = read_one(match("0", "0", [], status=SECOND_HALF))
    assert found.goals == ()
    assert found.goals_complete, "so that the poll counts as one without the goal"


def test_without_a_list_of_events_goals_are_unknown_unless_there_are_none() -> None:
    assert read_one(match("2", "1")).goals is None
    assert read_one(match("2", "1")).goals_complete
    assert read_one(match("0", "0")).goals == ()
    assert read_one(match(status=SCHEDULED)).goals is None
    assert read_one(match("2", "1")).incidents is None
    assert read_one(match("2", "1")).cards == NO_SCORE


# -- cards --------------------------------------------------------------------------------


def test_cards_are_incidents_and_are_counted() -> None:
    found = read_one(
        match(
            details=[
                play("94", "16'", HOME, player("5", "A"), yellowCard=True),
                play("93", "70'", AWAY, player("6", "B"), redCard=True),
                play("94", "71'", AWAY, yellowCard=True),
            ]
        )
    )
    assert found.incidents is not None
    assert [(one.kind, one.side, one.detail, one.player.id) for one in found.incidents] == [
        (IncidentKind.CARD, "home", "Yellow Card", "5"),
        (IncidentKind.CARD, "away", "Red Card", "6"),
        (IncidentKind.CARD, "away", "Yellow Card", None),
    ]
    assert found.cards == Score(1, 2)
    assert found.goals == ()


# -- what cannot be read ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "complete"),
    [
        (goal("9'", "33"), False),
        (goal("", HOME) | {"clock": {}}, False),
        (goal("9'", HOME) | {"team": None}, False),
        (goal("9'", HOME) | {"scoringPlay": {}}, False),
        ("goal", False),
        (play("94", "9'", None), True),
    ],
)
def test_an_entry_that_cannot_be_read_costs_one_entry(entry: Any, complete: bool) -> None:
    found = read(match("1", "0", [goal("5'", HOME), entry]))
    assert [problem.subject for problem in found.unreadable] == ["ESPN match 7001 event 1"]
    (only,) = found.matches
    assert len(only.goals or ()) == 1
    assert only.goals_complete is complete


@pytest.mark.parametrize(
    "bad",
    [
        "match",
        {"id": "1"},
        match() | {"date": "soon"},
        match() | {"competitions": []},
        match(competitors=[competitor(HOME, "home"), {"homeAway": "away", "team": {"id": "2"}}]),
    ],
)
def test_a_match_that_cannot_be_read_costs_one_match(bad: Any) -> None:
    found = read(match(id_="1"), bad, match(id_="2"))
    assert [one.listed.id for one in found.matches] == ["1", "2"]
    assert len(found.unreadable) == 1
    assert found.unreadable[0].reason


def test_parts_that_no_goal_depends_on_may_be_broken() -> None:
    event = match(
        "1",
        "0",
        [goal("9'", HOME, {"id": 9, "displayName": "Nine"})],
        venue=3,
        timeValid="?",
        competitors=[
            competitor(HOME, "home", "1", statistics=[3], winner="?", shootoutScore="x"),
            {"homeAway": "away", "score": "0", "team": {"id": 22, "name": "Away", "logos": [{}]}},
        ],
    )
    found = read_one(event | {"season": "2025", "uid": 5, "league": []})
    assert found.venue is None
    assert found.away == TeamClaim("22")
    assert found.listed.away == "Away"
    assert found.goals == (GoalClaim("home", MatchMinute(9), "Normal Goal", "Nine", "9"),)
    assert found.league == LeagueClaim("eng.1", "Premier League", 2025)
