"""The provider's answer at given times of each story."""

from datetime import datetime, timedelta
from itertools import groupby

import pytest

from footy_assets.sim import ExpectedGoal, MatchScript, World
from footy_assets.sim.feed import Json, fixture_at
from footy_assets.sim.timetables import awarded

POLL = timedelta(seconds=30)
TICK = timedelta(seconds=1)


def match(world: World, title: str) -> MatchScript:
    return next(script for script in world.scripts if script.title == title)


def goals_of(world: World, title: str) -> list[ExpectedGoal]:
    fixture_id = match(world, title).fixture_id
    return [goal for goal in world.truth() if goal.fixture_id == fixture_id]


def status_flow(world: World, title: str) -> list[str]:
    script = match(world, title)
    seen = []
    now = world.starts_at
    while now <= world.ends_at:
        seen.append(fixture_at(script, now)["fixture"]["status"]["short"])
        now += POLL
    return [status for status, _ in groupby(seen)]


def listed_events(script: MatchScript, now: datetime, type: str = "Goal") -> list[Json]:
    return [event for event in fixture_at(script, now)["events"] if event["type"] == type]


def status(script: MatchScript, now: datetime) -> tuple[str, int | None, int | None]:
    fields = fixture_at(script, now)["fixture"]["status"]
    return fields["short"], fields["elapsed"], fields["extra"]


@pytest.mark.parametrize(
    ("title", "flow"),
    [
        ("hat-trick", ["NS", "1H", "HT", "2H", "FT"]),
        (
            "extra time and shoot-out",
            ["NS", "1H", "HT", "2H", "ET", "BT", "ET", "P", "PEN"],
        ),
        ("decided in extra time", ["NS", "1H", "HT", "2H", "ET", "BT", "ET", "AET"]),
        ("delayed kick-off", ["NS", "PST", "1H", "HT", "2H", "FT"]),
        ("interruption", ["NS", "1H", "INT", "1H", "HT", "2H", "FT"]),
        ("abandoned", ["NS", "1H", "HT", "2H", "SUSP", "ABD"]),
        ("postponed for good", ["NS", "PST"]),
        ("cancelled", ["NS", "PST", "CANC"]),
        ("unknown status code", ["NS", "1H", "HT", "2H", "XX", "2H", "FT"]),
        ("time to be defined", ["TBD", "NS", "1H", "HT", "2H", "FT"]),
    ],
)
def test_status_flow(world: World, title: str, flow: list[str]):
    assert status_flow(world, title) == flow


def test_the_clock_runs_stands_in_stoppage_and_at_the_break(world: World):
    script = match(world, "hat-trick")
    kickoff = script.kickoff
    assert status(script, kickoff - TICK) == ("NS", None, None)
    assert status(script, kickoff) == ("1H", 1, None)
    assert status(script, kickoff + timedelta(minutes=44, seconds=59)) == ("1H", 45, None)
    assert status(script, kickoff + timedelta(minutes=46, seconds=10)) == ("1H", 45, 2)
    assert status(script, kickoff + timedelta(minutes=50)) == ("HT", 45, None)
    assert status(script, script.timetable.starts("2H")) == ("2H", 46, None)
    assert status(script, script.timetable.starts("FT") - TICK) == ("2H", 90, 7)
    assert status(script, script.timetable.starts("FT")) == ("FT", 90, None)


def test_a_fixture_has_every_field_of_the_real_one(world: World):
    fixture = fixture_at(match(world, "hat-trick"), world.ends_at)
    assert set(fixture) == {
        *("fixture", "league", "teams", "goals", "score"),
        *("events", "lineups", "statistics", "players"),
    }
    assert set(fixture["fixture"]) == {
        *("id", "referee", "timezone", "date", "timestamp", "periods", "venue", "status")
    }
    assert set(fixture["league"]) == {*("id", "name", "country", "logo", "flag", "season", "round")}
    assert fixture["league"]["season"] == 2024
    assert fixture["fixture"]["date"] == "2025-05-10T12:30:00+00:00"
    assert set(fixture["teams"]["home"]) == {"id", "name", "logo", "winner"}
    assert set(fixture["score"]) == {"halftime", "fulltime", "extratime", "penalty"}
    assert set(fixture["events"][0]) == {
        *("time", "team", "player", "assist", "type", "detail", "comments")
    }
    without = fixture_at(match(world, "hat-trick"), world.ends_at, events=False)
    assert set(without) == {"fixture", "league", "teams", "goals", "score"}


def test_score_and_winner_of_a_finished_match(world: World):
    script = match(world, "hat-trick")
    before = fixture_at(script, script.timetable.starts("FT") - TICK)
    assert before["score"]["halftime"] == {"home": 2, "away": 0}
    assert before["score"]["fulltime"] == {"home": None, "away": None}
    assert before["teams"]["home"]["winner"] is None
    after = fixture_at(script, script.timetable.starts("FT"))
    assert after["score"]["fulltime"] == {"home": 3, "away": 2}
    assert (after["teams"]["home"]["winner"], after["teams"]["away"]["winner"]) == (True, False)


def test_a_draw_has_no_winner(world: World):
    fixture = fixture_at(match(world, "VAR reversals"), world.ends_at)
    assert {side["winner"] for side in fixture["teams"].values()} == {None}


def test_shoot_out_kicks_count_only_from_the_spot(world: World):
    fixture = fixture_at(match(world, "extra time and shoot-out"), world.ends_at)
    kicks = [e for e in fixture["events"] if e["comments"] == "Penalty Shootout"]
    assert len(kicks) == 10
    assert {(e["type"], e["time"]["elapsed"]) for e in kicks} == {("Goal", 120)}
    assert fixture["goals"] == {"home": 2, "away": 2}
    assert fixture["score"]["fulltime"] == {"home": 1, "away": 1}
    assert fixture["score"]["extratime"] == {"home": 1, "away": 1}
    assert fixture["score"]["penalty"] == {"home": 4, "away": 3}
    assert fixture["teams"]["home"]["winner"] is True


def test_a_missed_penalty_is_listed_as_a_goal_and_not_counted(world: World):
    script = match(world, "first of two goals removed")
    missed = [e for e in listed_events(script, world.ends_at) if e["detail"] == "Missed Penalty"]
    assert len(missed) == 1
    assert fixture_at(script, world.ends_at)["goals"] == {"home": 1, "away": 1}


def test_var_removes_the_goal_and_lists_its_decision_in_the_same_instant(world: World):
    script = match(world, "VAR reversals")
    first = next(g for g in goals_of(world, "VAR reversals") if g.removed_by == "var")
    last_listed, gone = first.settled_at - TICK, first.settled_at
    assert [e["player"]["id"] for e in listed_events(script, last_listed)] == [first.player_id]
    assert not listed_events(script, last_listed, "Var")
    assert not listed_events(script, gone)
    verdict = listed_events(script, gone, "Var")[0]
    assert verdict["detail"] == "Goal Disallowed - offside"
    assert verdict["player"]["id"] == first.player_id
    assert len(listed_events(script, world.ends_at, "Var")) == 2


def test_the_disallowed_goal_is_removed_long_before_the_valid_one_appears(world: World):
    title = "disallowed 1-0, then a real one"
    false, real, _ = goals_of(world, title)
    assert (false.elapsed, false.ending, false.removed_by) == (30, "removed", "vanished")
    assert (real.elapsed, real.ending) == (31, "stable")
    assert (false.team_id, false.player_id) != (real.team_id, real.player_id)
    assert false.team_id == real.team_id
    assert real.shown_at - false.settled_at >= timedelta(minutes=3)
    between = false.settled_at + (real.shown_at - false.settled_at) / 2
    script = match(world, title)
    assert fixture_at(script, between)["goals"] == {"home": 0, "away": 0}
    assert not listed_events(script, world.ends_at, "Var")


def test_late_names_are_null_or_unknown_at_first(world: World):
    script = match(world, "late scorer names")
    late = [g for g in goals_of(world, "late scorer names") if g.story == "late name"]
    first_seen = [listed_events(script, goal.shown_at)[-1]["player"] for goal in late]
    assert first_seen == [{"id": None, "name": None}, {"id": None, "name": "Unknown"}]
    for goal in late:
        assert listed_events(script, goal.settled_at)[-1]["player"]["id"] == goal.player_id
        assert goal.was_player_ids == (None,)
        assert goal.ending == "stable"


def test_some_scorers_are_never_named(world: World):
    unnamed = [g for g in goals_of(world, "scorers never named") if g.ending == "unnamed"]
    assert [(g.player_id, g.player_name) for g in unnamed] == [(None, None), (None, "Unknown")]


def test_a_goal_changes_its_scorer_in_one_instant(world: World):
    script = match(world, "re-attributions")
    moved, own_goal, _ = goals_of(world, "re-attributions")
    before, after = (
        listed_events(script, moved.settled_at - TICK),
        listed_events(script, moved.settled_at),
    )
    assert [e["player"]["id"] for e in before] == list(moved.was_player_ids)
    assert [e["player"]["id"] for e in after] == [moved.player_id]
    assert before[0]["time"] == after[0]["time"]
    assert listed_events(script, own_goal.settled_at - TICK)[1]["detail"] == "Normal Goal"
    ruled = listed_events(script, own_goal.settled_at)[1]
    assert (ruled["detail"], ruled["team"]["id"]) == ("Own Goal", script.away.id)
    assert ruled["player"]["id"] in {player.id for player in script.home.squad}


def test_minutes_are_edited(world: World):
    edits = [(g.was_minutes, (g.elapsed, g.extra)) for g in goals_of(world, "minute edits")]
    assert edits == [
        (((45, None),), (45, 2)),
        (((67, None),), (68, None)),
        (((90, None),), (90, 5)),
    ]


def test_a_goal_flickers_and_returns_unchanged(world: World):
    script = match(world, "flicker, two in one minute")
    goal = next(g for g in goals_of(world, script.title) if g.flickered)
    back = goal.settled_at
    assert listed_events(script, back - TICK) == []
    assert listed_events(script, back - timedelta(seconds=39)) == []
    assert listed_events(script, back - timedelta(seconds=41)) == listed_events(script, back)
    assert goal.ending == "stable"


def test_two_goals_in_one_minute_by_two_players(world: World):
    same = [g for g in goals_of(world, "flicker, two in one minute") if g.elapsed == 55]
    assert len({g.player_id for g in same}) == 2
    assert len({g.team_id for g in same}) == 1


def test_a_players_first_goal_is_removed_while_his_second_stays(world: World):
    first, second, _ = goals_of(world, "first of two goals removed")
    assert first.player_id == second.player_id
    assert (first.ending, second.ending) == ("removed", "stable")
    script = match(world, "first of two goals removed")
    together = second.shown_at + TICK
    assert [e["time"]["elapsed"] for e in listed_events(script, together)] == [20, 26]
    assert [e["time"]["elapsed"] for e in listed_events(script, first.settled_at)] == [26]


def test_a_delay_moves_the_announced_kickoff(world: World):
    script = match(world, "delayed kick-off")
    assert fixture_at(script, world.starts_at)["fixture"]["date"] == "2025-05-10T12:45:00+00:00"
    late = fixture_at(script, world.ends_at)["fixture"]
    assert late["date"] == "2025-05-10T13:30:00+00:00"
    assert late["periods"]["first"] == late["timestamp"]


def test_the_clock_stands_while_play_is_interrupted(world: World):
    script = match(world, "interruption")
    stop = script.timetable.starts("INT")
    assert status(script, stop - TICK) == ("1H", 25, None)
    assert status(script, stop + timedelta(minutes=10)) == ("INT", 25, None)
    assert status(script, stop + timedelta(minutes=22)) == ("1H", 26, None)


def test_a_postponed_match_has_no_score(world: World):
    fixture = fixture_at(match(world, "postponed for good"), world.ends_at)
    assert fixture["goals"] == {"home": None, "away": None}
    assert fixture["events"] == []


def test_an_awarded_match_has_a_score_without_goals(world: World):
    template = match(world, "postponed for good")
    script = MatchScript(
        1, template.league, template.home, template.away, awarded(template.kickoff)
    )
    fixture = fixture_at(script, world.ends_at)
    assert fixture["fixture"]["status"]["short"] == "AWD"
    assert fixture["goals"] == fixture["score"]["fulltime"] == {"home": 3, "away": 0}
    assert fixture["teams"]["home"]["winner"] is True
    assert World.from_scripts([script]).final_score(1) == (3, 0)


def test_cards_and_substitutions_are_among_the_events(world: World):
    script = match(world, "flicker, two in one minute")
    noise = [e for e in fixture_at(script, world.ends_at)["events"] if e["type"] != "Goal"]
    assert [(e["type"], e["detail"]) for e in noise] == [
        ("Card", "Red Card"),
        ("subst", "Substitution 1"),
        ("subst", "Substitution 2"),
    ]


def test_events_are_listed_in_order_of_time(world: World):
    for script in world.scripts:
        minutes = [
            (e["time"]["elapsed"], e["time"]["extra"] or 0)
            for e in fixture_at(script, world.ends_at)["events"]
        ]
        assert minutes == sorted(minutes)
