"""The matches as ESPN shows them, field by field."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from footy_assets.sim import MatchScript, World, fixture_json, goal, shootout_kick
from footy_assets.sim.espn import scoreboard_event, us_day
from footy_assets.sim.espn_plays import plays_of
from footy_assets.sim.espn_server import EspnEndpoints
from footy_assets.sim.feed import Json, fixture_at
from footy_assets.sim.provider import Provider
from footy_assets.sim.provider_faults import EspnFaults
from footy_assets.sim.timetables import awarded

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


def match(world: World, title: str) -> MatchScript:
    return next(script for script in world.scripts if script.title == title)


def scoreboard(script: MatchScript, now: datetime) -> Json:
    fixture = fixture_at(script, now)
    return scoreboard_event(fixture, plays_of(fixture, script, now))


def listed(world: World, script: MatchScript, now: datetime) -> Json:
    """As the endpoint shows it."""
    endpoints = EspnEndpoints(Provider(world), EspnFaults(), now)
    events = endpoints.scoreboard("all", {"dates": "2025"})["events"]
    return next(event for event in events if event["id"] == str(script.fixture_id + 600_000))


def summary(world: World, script: MatchScript, now: datetime) -> Json:
    endpoints = EspnEndpoints(Provider(world), EspnFaults(), now)
    return endpoints.summary(str(script.fixture_id + 600_000))


def sides(event: Json) -> dict[str, Json]:
    return {side["homeAway"]: side for side in event["competitions"][0]["competitors"]}


def details(event: Json) -> list[Json]:
    return list(event["competitions"][0]["details"])


def status(script: MatchScript, now: datetime) -> Json:
    return dict(scoreboard(script, now)["competitions"][0]["status"])


def test_an_event_has_the_fields_of_the_real_one(world: World):
    script = match(world, "hat-trick")
    event = scoreboard(script, world.ends_at)
    competition = event["competitions"][0]
    assert set(event) >= {"id", "uid", "date", "name", "shortName", "season", "competitions"}
    assert event["id"] == competition["id"] == str(script.fixture_id + 600_000)
    assert event["uid"] == f"s:600~l:700~e:{event['id']}"
    assert event["date"] == "2025-05-10T12:30Z"
    assert event["season"]["year"] == 2024
    assert event["season"]["slug"] == "2024-25-english-premier-league"
    assert competition["venue"]["fullName"] == script.home.venue
    assert competition["venue"]["address"]["city"] == script.home.city
    home = sides(event)["home"]
    assert home["score"] == "3"
    assert home["winner"] is True
    assert home["team"]["id"] == str(script.home.id + 600_000)
    assert set(home["team"]) >= {"displayName", "shortDisplayName", "abbreviation", "logo"}
    assert "shootoutScore" not in home


def test_names_are_those_of_espn_and_the_away_side_comes_first(world: World):
    fixture = fixture_json(7, home_name="FC Grünwald", away_name="Redmoor Rovers")
    event = scoreboard_event(fixture, ())
    assert event["name"] == "Redmoor Rovers at Grünwald"
    assert event["shortName"] == "RED @ GRU"
    assert sides(event)["away"]["team"]["shortDisplayName"] == "Redmoor"


def test_competitors_stand_in_no_fixed_order(world: World):
    first = {
        scoreboard(script, world.starts_at)["competitions"][0]["competitors"][0]["homeAway"]
        for script in world.scripts
    }
    assert first == {"home", "away"}


def test_before_kickoff_the_score_is_the_string_0(world: World):
    event = scoreboard(match(world, "hat-trick"), world.starts_at)
    assert [side["score"] for side in sides(event).values()] == ["0", "0"]
    assert all("winner" not in side for side in sides(event).values())
    shown = event["status"]
    assert (shown["clock"], shown["displayClock"], shown["period"]) == (0, "0'", 0)
    assert details(event) == []


@pytest.mark.parametrize(
    ("title", "minutes", "name", "state", "completed", "period"),
    [
        ("hat-trick", -10, "STATUS_SCHEDULED", "pre", False, 0),
        ("time to be defined", -80, "STATUS_SCHEDULED", "pre", False, 0),
        ("hat-trick", 10, "STATUS_FIRST_HALF", "in", False, 1),
        ("hat-trick", 50, "STATUS_HALFTIME", "in", False, 1),
        ("hat-trick", 70, "STATUS_SECOND_HALF", "in", False, 2),
        ("hat-trick", 150, "STATUS_FULL_TIME", "post", True, 2),
        ("decided in extra time", 120, "STATUS_OVERTIME", "in", False, 3),
        ("decided in extra time", 131, "STATUS_HALFTIME_ET", "in", False, 3),
        ("decided in extra time", 140, "STATUS_OVERTIME", "in", False, 4),
        ("decided in extra time", 160, "STATUS_FINAL_AET", "post", True, 4),
        ("extra time and shoot-out", 155, "STATUS_SHOOTOUT", "in", False, 5),
        ("extra time and shoot-out", 190, "STATUS_FINAL_PEN", "post", True, 5),
        ("interruption", 30, "STATUS_DELAYED", "in", False, 1),
        ("abandoned", 80, "STATUS_SUSPENDED", "in", False, 2),
        ("abandoned", 120, "STATUS_ABANDONED", "post", False, 2),
        ("unknown status code", 81, "STATUS_XX", "in", False, 2),
    ],
)
def test_statuses(
    world: World, title: str, minutes: int, name: str, state: str, completed: bool, period: int
):
    script = match(world, title)
    shown = status(script, script.kickoff + minutes * MINUTE)
    kind = shown["type"]
    assert (kind["name"], kind["state"], kind["completed"]) == (name, state, completed)
    assert shown["period"] == period


def test_a_postponed_match_is_past_but_not_completed_and_has_no_clock(world: World):
    script = match(world, "postponed for good")
    shown = status(script, world.ends_at)
    assert (shown["type"]["id"], shown["type"]["state"]) == ("6", "post")
    assert shown["type"]["completed"] is False
    assert set(shown) == {"type"}
    cancelled = status(match(world, "cancelled"), world.ends_at)["type"]
    assert (cancelled["name"], cancelled["completed"]) == ("STATUS_CANCELED", True)


def test_an_awarded_match_has_a_score_without_goals(world: World):
    template = match(world, "postponed for good")
    script = MatchScript(1, template.league, template.home, template.away, awarded(world.starts_at))
    event = scoreboard(script, world.ends_at)
    assert event["status"]["type"]["name"] == "STATUS_FORFEIT"
    assert (sides(event)["home"]["score"], details(event)) == ("3", [])


def test_the_clock_stands_in_stoppage_time_and_only_its_text_goes_on(world: World):
    script = match(world, "hat-trick")
    in_stoppage = status(script, script.kickoff + 46 * MINUTE + SECOND)
    assert (in_stoppage["clock"], in_stoppage["displayClock"]) == (2700.0, "45'+2'")
    late = status(script, script.timetable.starts("FT") - SECOND)
    assert (late["clock"], late["displayClock"]) == (5400.0, "90'+7'")
    assert late["type"]["detail"] == "90'+7'"


def test_after_the_whistle_the_clock_keeps_its_minute(world: World):
    script = match(world, "hat-trick")
    shown = listed(world, script, world.ends_at)["status"]
    assert (shown["displayClock"], shown["type"]["detail"]) == ("90'+7'", "FT")


def test_a_goal_in_stoppage_time_has_a_capped_value(world: World):
    script = match(world, "minute edits")
    clocks = [detail["clock"] for detail in details(scoreboard(script, world.ends_at))]
    assert clocks == [
        {"value": 2700.0, "displayValue": "45'+2'"},
        {"value": 4020.0, "displayValue": "68'"},
        {"value": 5400.0, "displayValue": "90'+5'"},
    ]


def test_details_are_goals_and_cards_without_ids(world: World):
    kinds = Counter[tuple[str, str]]()
    for script in world.scripts:
        for detail in details(scoreboard(script, world.ends_at)):
            kinds[detail["type"]["id"], detail["type"]["text"]] += 1
            assert "id" not in detail
            assert "wallclock" not in detail
            assert detail["clock"]["displayValue"]
            assert detail["yellowCard"] + detail["redCard"] + detail["scoringPlay"] == 1
    assert {id_ for id_, _ in kinds} <= {"70", "137", "138", "173", "98", "104", "97", "94", "93"}
    assert {("70", "Goal"), ("97", "Own Goal"), ("104", "Penalty - Scored")} <= set(kinds)
    assert {("93", "Red Card"), ("94", "Yellow Card"), ("98", "Penalty - Scored")} <= set(kinds)


def test_an_own_goal_is_credited_to_one_side_and_scored_by_the_other(world: World):
    script = match(world, "disallowed 1-0, then a real one")
    own = next(d for d in details(scoreboard(script, world.ends_at)) if d["ownGoal"])
    assert own["team"]["id"] == str(script.away.id + 600_000)
    assert own["athletesInvolved"][0]["team"]["id"] == str(script.home.id + 600_000)


def test_a_scorer_has_his_full_name_and_espns_id(world: World):
    scored = goal(30, team=40, player=234, name="M. Salah")
    fixture = fixture_json(5000, status="1H", elapsed=31, goals=[scored])
    event = scoreboard_event(fixture, plays_of(fixture, None, world.starts_at))
    athlete = details(event)[0]["athletesInvolved"][0]
    assert (athlete["id"], athlete["displayName"], athlete["shortName"]) == (
        "600234",
        "Marco Salah",
        "M Salah",
    )


@pytest.mark.parametrize("name", [None, "Unknown"])
def test_a_goal_without_a_scorer_lists_no_athletes(world: World, name: str | None):
    fixture = fixture_json(5000, status="1H", elapsed=31, goals=[goal(30, name=name)])
    event = scoreboard_event(fixture, plays_of(fixture, None, world.starts_at))
    assert "athletesInvolved" not in details(event)[0]


def test_kicks_of_a_shootout_are_scoring_plays_that_do_not_count(world: World):
    script = match(world, "extra time and shoot-out")
    event = scoreboard(script, world.ends_at)
    kicks = [detail for detail in details(event) if detail["shootout"]]
    assert len(kicks) == 7
    assert all(kick["scoringPlay"] and kick["penaltyKick"] for kick in kicks)
    shown = {side: (one["score"], one["shootoutScore"]) for side, one in sides(event).items()}
    assert shown == {"home": ("2", 4), "away": ("2", 3)}


def test_missed_kicks_are_in_the_summary_only(world: World):
    script = match(world, "extra time and shoot-out")
    shootout = summary(world, script, world.ends_at)["shootout"]
    assert [team["id"] for team in shootout] == [
        str(script.home.id + 600_000),
        str(script.away.id + 600_000),
    ]
    home = shootout[0]["shots"]
    assert [shot["didScore"] for shot in home] == [True, True, False, True, True]
    assert [shot["shotNumber"] for shot in home] == [1, 2, 3, 4, 5]
    assert set(home[0]) >= {"playerId", "player"}


def test_at_every_instant_the_goals_of_each_side_are_its_score(world: World):
    now, checked = world.starts_at, 0
    while now <= world.ends_at:
        for script in world.scripts:
            event = scoreboard(script, now)
            goals = Counter(
                detail["team"]["id"]
                for detail in details(event)
                if detail["scoringPlay"] and not detail["shootout"]
            )
            for side in sides(event).values():
                assert goals[side["team"]["id"]] == int(side["score"]), (script.title, now)
                checked += 1
        now += 3 * MINUTE
    assert checked > 2000


def test_one_match_from_before_the_lineups_to_the_end(world: World):
    script = match(world, "VAR reversals")
    kickoff = script.kickoff

    def scores(at: datetime) -> list[str]:
        return [sides(scoreboard(script, at))[side]["score"] for side in ("home", "away")]

    assert "rosters" not in summary(world, script, kickoff - 60 * MINUTE - SECOND)
    before = summary(world, script, kickoff - 60 * MINUTE)
    assert [side["homeAway"] for side in before["rosters"]] == ["home", "away"]
    assert before["keyEvents"] == []
    assert scores(kickoff + 18 * MINUTE) == ["1", "0"]
    assert scores(kickoff + 22 * MINUTE) == ["0", "0"]
    deleted = [
        entry["play"]
        for entry in summary(world, script, kickoff + 22 * MINUTE)["commentary"]
        if entry.get("play", {}).get("type", {}).get("id") in ("175", "172")
    ]
    assert [play["type"]["text"] for play in deleted] == [
        "Deleted After Review",
        "VAR - Referee decision cancelled",
    ]
    assert deleted[0]["text"].startswith("GOAL OVERTURNED BY VAR: ")
    assert re.search(r"^VAR Decision: No Goal .* 0-0 .*\.$", deleted[1]["text"])
    assert "id" not in deleted[0]["team"]
    assert scores(world.ends_at) == ["1", "1"]


def test_key_events_have_ids_that_stay_and_the_time_of_day(world: World):
    script = match(world, "minute edits")
    first = next(
        entry
        for entry in summary(world, script, script.kickoff + 49 * MINUTE)["keyEvents"]
        if entry["scoringPlay"]
    )
    edited = next(
        entry
        for entry in summary(world, script, world.ends_at)["keyEvents"]
        if entry["scoringPlay"]
    )
    assert first["id"] == edited["id"]
    assert first["clock"]["displayValue"] == "45'"
    assert edited["clock"]["displayValue"] == "45'+2'"
    assert edited["wallclock"] == "2025-05-10T14:01:00Z"
    assert edited["period"]["number"] == 1
    assert edited["participants"][0]["athlete"]["id"]


def test_wallclock_is_kickoff_plus_the_clock(world: World):
    checked = 0
    for script in world.scripts:
        entries = summary(world, script, world.ends_at)["keyEvents"]
        starts = {
            entry["type"]["id"]: datetime.fromisoformat(entry["wallclock"]) for entry in entries
        }
        for entry in entries:
            clock = entry["clock"]["value"]
            in_play = entry["scoringPlay"] and entry["period"]["number"] == 1
            if in_play and "+" not in entry["clock"]["displayValue"] and "129" not in starts:
                at = datetime.fromisoformat(entry["wallclock"])
                assert at == starts["80"] + timedelta(seconds=clock)
                checked += 1
    assert checked > 10


def test_key_events_name_the_phases_of_a_match(world: World):
    entries = summary(world, match(world, "extra time and shoot-out"), world.ends_at)["keyEvents"]
    whistles = [
        (entry["type"]["id"], entry["period"]["number"]) for entry in entries if "team" not in entry
    ]
    assert whistles == [
        *(("80", 1), ("81", 1), ("82", 2), ("83", 2), ("84", 3)),
        *(("85", 3), ("86", 4), ("87", 4), ("88", 5), ("89", 5)),
    ]
    ids = [entry["id"] for entry in entries]
    assert len(set(ids)) == len(ids)
    stopped = summary(world, match(world, "interruption"), world.ends_at)["keyEvents"]
    assert {"129", "130"} <= {entry["type"]["id"] for entry in stopped}
    halftime = next(entry for entry in stopped if entry["type"]["id"] == "81")
    assert halftime["clock"]["displayValue"] == "45'+2'"


def test_a_substitution_names_who_comes_on_first(world: World):
    script = match(world, "hat-trick")
    shown = summary(world, script, world.ends_at)
    change = next(entry for entry in shown["keyEvents"] if entry["type"]["id"] == "76")
    on, off = (one["athlete"]["id"] for one in change["participants"])
    away = next(side for side in shown["rosters"] if side["homeAway"] == "away")["roster"]
    assert [one["athlete"]["id"] for one in away if one["subbedIn"]] == [on]
    assert [one["athlete"]["id"] for one in away if one["subbedOut"]] == [off]
    assert next(one for one in away if one["subbedIn"])["subbedIn"] == {"didSub": True}


def test_a_lineup_has_eleven_starters_and_a_bench(world: World):
    script = match(world, "hat-trick")
    home = summary(world, script, script.kickoff)["rosters"][0]
    assert home["formation"] == "4-3-3"
    assert home["team"]["id"] == str(script.home.id + 600_000)
    starters = [one for one in home["roster"] if one["starter"]]
    positions = Counter(one["position"]["abbreviation"] for one in starters)
    assert positions == {"G": 1, "D": 4, "M": 3, "F": 3}
    assert [one["jersey"] for one in starters] == [str(number) for number in range(1, 12)]
    bench = [one for one in home["roster"] if not one["starter"]]
    assert {one.get("position", {}).get("abbreviation") for one in bench} == {"SUB", None}


def test_every_scorer_is_in_the_lineup_of_a_side(world: World):
    for script in world.scripts:
        shown = summary(world, script, world.ends_at)
        players = {
            one["athlete"]["id"] for side in shown.get("rosters", ()) for one in side["roster"]
        }
        for entry in shown["keyEvents"]:
            named = {one["athlete"]["id"] for one in entry.get("participants", ())}
            assert named <= players


def test_a_postponed_match_has_no_lineups(world: World):
    assert "rosters" not in summary(world, match(world, "postponed for good"), world.ends_at)


def test_the_header_shows_the_goals_with_added_time(world: World):
    header = summary(world, match(world, "minute edits"), world.ends_at)["header"]
    competition = header["competitions"][0]
    assert set(competition["status"]) == {"type"}
    added = [detail["addedClock"]["displayValue"] for detail in competition["details"]]
    assert added == ["2", "", "5"]
    assert header["league"]["slug"] == "eng.1"


def test_a_hand_made_shootout_is_shown_without_a_script(world: World):
    kicks = [shootout_kick(1, team=40, player=1, name="A. One")]
    fixture = fixture_json(5000, status="P", elapsed=120, events=kicks)
    event = scoreboard_event(fixture, plays_of(fixture, None, world.starts_at))
    assert [detail["shootout"] for detail in details(event)] == [True]


def test_a_day_is_one_of_the_united_states():
    assert us_day(datetime(2025, 5, 11, 2, 30, tzinfo=UTC)) == "20250510"
    assert us_day(datetime(2025, 5, 11, 4, 30, tzinfo=UTC)) == "20250511"
    assert us_day(datetime(2025, 1, 11, 4, 30, tzinfo=UTC)) == "20250110"
