"""`footy ingest | poll | fixtures | events`, as a user types them."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from pymongo.database import Database

from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.sim import fixture_json, goal, var_cancel
from footy_assets.store.collections import Document
from footy_assets_tests.fixtures.command import KICKOFF, SALAH, Footy

pytestmark = pytest.mark.slow


def test_a_goal_from_first_sight_to_stable(footy: Footy) -> None:
    footy.live_match()
    assert footy.json("ingest", "--ids", "5000")["added"] == 1
    footy.live_match(SALAH)
    states = []
    for _ in range(4):
        footy.json("poll")
        (event,) = footy.json("events")
        states.append((event["state"], len(event["seen_in_polls"])))
    assert states == [("detected", 1), ("debouncing", 2), ("stable", 3), ("stable", 3)]
    assert event["event_id"] == "5000_40_234_Goal_1"
    assert event["player_name"] == "M. Salah"
    assert (event["elapsed"], event["extra"]) == (31, None)
    assert (event["score_home"], event["score_away"], event["side"]) == (1, 0, "home")
    assert event["clips"] == []


def test_rows_carry_the_fields_that_others_rely_on(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    (fixture,) = footy.json("fixtures")
    assert {"fixture_id", "state", "status", "home", "away", "kickoff"} <= fixture.keys()
    (event,) = footy.json("events")
    assert {
        *("event_id", "fixture_id", "state", "team_id", "player_id", "player_name", "elapsed"),
        *("extra", "detail", "seen_in_polls", "clips"),
    } <= event.keys()


def test_a_cancelled_goal_leaves_a_tombstone(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    footy.live_match(events=[var_cancel(32, team=40, player=234, name="M. Salah")])
    footy.json("poll")
    (event,) = footy.json("events", "--state", "removed")
    assert event["removed_because"] == "var"
    assert footy.json("events", "--state", "stable") == []


def test_a_past_day_ends_with_stable_goals(footy: Footy) -> None:
    day_before = KICKOFF.replace(day=9)
    fields = {"status": "FT", "elapsed": 90, "kickoff": day_before, "goals": [SALAH]}
    footy.sim.put(fixture_json(5001, home_winner=True, away_winner=False, **fields))
    report = footy.json("ingest", "--date", "2025-05-09")
    assert (report["kept"], report["goals"]) == (1, 1)
    (event,) = footy.json("events", "--date", "2025-05-09")
    assert event["state"] == "stable"
    (fixture,) = footy.json("fixtures", "--date", "2025-05-09")
    assert fixture["state"] == "completed"


def test_without_json_people_get_tables(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy("ingest", "--ids", "5000")
    footy("poll")
    result = footy.process("events")
    assert "M. Salah" in result.stdout
    assert "31'" in result.stdout
    assert "\x1b[" not in result.stdout
    assert "5000" in footy("fixtures").stdout


def test_line_ups_as_json_and_as_tables(footy: Footy, database: Database[Document]) -> None:
    footy.live_match()
    footy.json("ingest", "--ids", "5000")
    unknown = {"fixture_id": 5000, "fetched_at": None, "line_ups": []}
    assert footy.json("line-ups", "5000") == unknown
    rosters = RosterStore(database)
    rosters.record_failure([5000], [], "the [/b] provider is silent", KICKOFF)
    silent = footy("line-ups", "5000")
    assert "yet. The last request failed: the [/b] provider is silent" in silent.stdout
    salah = RosterPlayer(Player(234, "M. Salah"), 11, "F", starts=True)
    jota = RosterPlayer(Player(None, "[red] Jota"))
    line_ups = (LineUp(40, (salah, jota), "4-3-3"),)
    rosters.save_line_ups(5000, line_ups, KICKOFF, complete=False)
    (row,) = footy.json("line-ups", "5000")["line_ups"]
    starter = {"player_id": 234, "name": "M. Salah", "number": 11, "position": "F"}
    assert (row["side"], row["team_id"], row["starters"]) == ("home", 40, [starter])
    assert row["substitutes"][0]["name"] == "[red] Jota"
    shown = footy("line-ups", "5000").stdout
    for word in ("4-3-3", "M. Salah", "11", "[red] Jota", "substitute"):
        assert word in shown, word


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fixtures", "--date", "10.05.2025"], 2, "is not a date"),
        (["ingest", "--date", "2025-02-30"], 2, "is not a date"),
        (["ingest", "--ids", "salah"], 2, "is not a fixture id"),
        (["ingest", "--ids", "²"], 2, "is not a fixture id"),
        (["events", "--fixture", " "], 2, "no fixture id given"),
        (["ingest", "--ids", "1", "--date", "2025-05-10"], 2, "cannot be used together"),
        (["events", "--fixture", "999"], 4, "fixture 999 is not known"),
        (["line-ups", "999"], 4, "fixture 999 is not known"),
        (["line-ups", "salah"], 2, "is not a fixture id"),
        (["events", "--state", "scored"], 2, "scored"),
        (["celebrate"], 2, "celebrate"),
    ],
)
def test_wrong_input_is_one_clear_sentence(
    footy: Footy, arguments: list[str], code: int, message: str
) -> None:
    done = footy(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""


def test_an_unknown_fixture_id_is_an_error_and_nothing_is_stored(footy: Footy) -> None:
    done = footy("ingest", "--ids", "424242")
    assert done.returncode == 4
    assert "424242" in done.stderr
    assert footy.json("fixtures") == []


def test_no_key_and_a_wrong_key(footy: Footy) -> None:
    env = {key: value for key, value in footy.env.items() if key != "FOOTY_API_FOOTBALL_URL"}
    without = Footy({k: v for k, v in env.items() if k != "FOOTY_API_FOOTBALL_KEY"}, footy.sim)
    done = without("poll")
    assert done.returncode == 2
    assert "FOOTY_API_FOOTBALL_KEY is not set" in done.stderr
    footy.live_match()
    wrong = footy("ingest", "--ids", "5000", FOOTY_API_FOOTBALL_KEY="wrong")
    assert wrong.returncode == 3
    assert "application key" in wrong.stderr
    assert "wrong" not in wrong.stdout + wrong.stderr


def test_a_provider_that_is_down_loses_nothing(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    done = footy("poll", FOOTY_API_FOOTBALL_URL="http://127.0.0.1:9")
    assert done.returncode == 3
    assert "footy:" in done.stderr
    (event,) = footy.json("events")
    assert len(event["seen_in_polls"]) == 1
    assert event["missing_in_polls"] == []


def test_a_database_that_is_down_is_one_sentence_without_its_password(footy: Footy) -> None:
    nobody = "mongodb://me:s3cret@127.0.0.1:9/?replicaSet=rs0&serverSelectionTimeoutMS=200"
    done = footy.process("fixtures", FOOTY_MONGO_URI=nobody)
    assert done.returncode == 3
    assert "MongoDB at 127.0.0.1:9" in done.stderr
    assert "s3cret" not in done.stderr


def test_the_error_names_a_bad_setting(footy: Footy) -> None:
    done = footy("fixtures", FOOTY_POLL_SECONDS="often")
    assert done.returncode == 2
    assert "FOOTY_POLL_SECONDS" in done.stderr


def test_two_polls_at_once_do_not_count_twice(footy: Footy) -> None:
    footy.live_match(SALAH)
    footy.json("ingest", "--ids", "5000")
    footy.sim.faults.slow(1.5, times=None)

    def poll(_: int) -> subprocess.CompletedProcess[str]:
        return footy.process("poll", "--json")

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(poll, range(2)))
    assert [done.returncode for done in both] == [0, 0]
    events = footy.json("events")
    assert len(events) == 1
    assert len(events[0]["seen_in_polls"]) == 1


def test_two_goals_in_one_minute_are_two_events(footy: Footy) -> None:
    footy.live_match(SALAH, goal(31, team=40, player=55, name="D. Núñez"))
    footy.json("ingest", "--ids", "5000")
    footy.json("poll")
    assert [(e["player_name"], e["score_home"]) for e in footy.json("events")] == [
        ("M. Salah", 1),
        ("D. Núñez", 2),
    ]
