"""The matches as OpenLigaDB shows them, over HTTP."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import World, fixture_json, goal
from footy_assets.sim.feed import Json
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.sim.script import MatchScript

MINUTE = timedelta(minutes=1)


@pytest.fixture
def openligadb(others: OtherProviders) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=others.openligadb_url, timeout=30) as client:
        yield client


def matchday(openligadb: httpx.Client, path: str = "bl1/2024/36") -> list[Json]:
    answer = openligadb.get(f"/getmatchdata/{path}")
    assert answer.status_code == 200
    return list(answer.json())


def german(world: World, title: str) -> MatchScript:
    return next(script for script in world.scripts if script.title == title)


def one(openligadb: httpx.Client, script: MatchScript) -> Json:
    answer = openligadb.get(f"/getmatchdata/{script.fixture_id + 800_000}")
    assert answer.status_code == 200
    return dict(answer.json())


def results(match: Json) -> dict[int, tuple[int, int]]:
    return {
        result["resultTypeID"]: (result["pointsTeam1"], result["pointsTeam2"])
        for result in match["matchResults"]
    }


def in_order(match: Json) -> list[Json]:
    return sorted(match["goals"], key=lambda goal: goal["scoreTeam1"] + goal["scoreTeam2"])


def test_a_matchday_the_current_one_the_season_and_one_match(
    world: World, openligadb: httpx.Client
):
    found = matchday(openligadb)
    assert len(found) == 3
    assert matchday(openligadb, "bl1") == found
    assert matchday(openligadb, "bl1/2024") == found
    assert matchday(openligadb, "bl1/2024/35") == matchday(openligadb, "bl1/2023/36") == []
    assert matchday(openligadb, "bl9") == []
    script = german(world, "first of two goals removed")
    assert one(openligadb, script) in found
    not_german = world.scripts[0].fixture_id + 800_000
    assert openligadb.get(f"/getmatchdata/{not_german}").status_code == 404
    assert openligadb.get("/getmatchdata/1").status_code == 404


def test_a_match_has_the_fields_of_the_real_one(
    world: World, openligadb: httpx.Client, clock: ManualClock
):
    clock.at = world.ends_at
    script = german(world, "first of two goals removed")
    match = one(openligadb, script)
    assert set(match) == {
        *("matchID", "matchDateTime", "timeZoneID", "leagueId", "leagueName", "leagueSeason"),
        *("leagueShortcut", "matchDateTimeUTC", "group", "team1", "team2", "lastUpdateDateTime"),
        *("matchIsFinished", "matchResults", "goals", "location", "numberOfViewers"),
    }
    assert match["matchDateTime"] == "2025-05-10T15:30:00"
    assert match["matchDateTimeUTC"] == "2025-05-10T13:30:00Z"
    assert match["group"]["groupName"] == "36. Spieltag"
    assert match["team1"]["teamName"] == script.home.name
    assert set(match["team1"]) == {
        *("teamId", "teamName", "shortName", "teamIconUrl", "teamGroupName")
    }
    assert set(match["matchResults"][0]) == {
        *("resultID", "resultName", "pointsTeam1", "pointsTeam2", "resultOrderID"),
        *("resultTypeID", "resultDescription"),
    }
    assert set(match["goals"][0]) == {
        *("goalID", "scoreTeam1", "scoreTeam2", "matchMinute", "goalGetterID", "goalGetterName"),
        *("isPenalty", "isOwnGoal", "isOvertime", "comment"),
    }


def test_results_come_at_halftime_and_at_the_end(
    world: World, openligadb: httpx.Client, clock: ManualClock
):
    script = german(world, "first of two goals removed")
    found = []
    for minutes in (-5, 40, 50, 80, 130):
        clock.at = script.kickoff + minutes * MINUTE
        match = one(openligadb, script)
        found.append((results(match), match["matchIsFinished"]))
    assert found == [
        ({}, False),
        ({}, False),
        ({1: (0, 1)}, False),
        ({1: (0, 1)}, False),
        ({1: (0, 1), 2: (1, 1)}, True),
    ]


def test_goals_count_up_to_the_score_at_every_instant(
    world: World, others: OtherProviders, openligadb: httpx.Client, clock: ManualClock
):
    scripts = {s.fixture_id + 800_000: s for s in world.scripts if s.league.id == 78}
    clock.at = world.starts_at
    checked = 0
    while clock.at <= world.ends_at:
        for match in matchday(openligadb):
            fixture = world.fixture_at(scripts[match["matchID"]].fixture_id, clock.at)
            goals = in_order(match)
            steps = [(goal["scoreTeam1"], goal["scoreTeam2"]) for goal in goals]
            assert [sum(step) for step in steps] == list(range(1, len(goals) + 1))
            home, away = steps[-1] if steps else (0, 0)
            assert (home, away) == (fixture["goals"]["home"] or 0, fixture["goals"]["away"] or 0)
            checked += 1
        clock.advance(300)
    assert checked > 100


def test_goals_do_not_stand_in_order_of_time_and_keep_their_ids(
    world: World, openligadb: httpx.Client, clock: ManualClock
):
    script = german(world, "first of two goals removed")
    clock.at = script.kickoff + 28 * MINUTE
    both = one(openligadb, script)["goals"]
    assert [goal["matchMinute"] for goal in both] == [26, 20]
    clock.at = script.kickoff + 40 * MINUTE
    left = one(openligadb, script)["goals"]
    assert [goal["goalID"] for goal in left] == [both[0]["goalID"]]


def test_own_goals_and_penalties_are_marked_unless_the_flags_are_wrong(
    others: OtherProviders, openligadb: httpx.Client
):
    goals = [goal(12, team=50, player=7, detail="Own Goal"), goal(90, extra=3, detail="Penalty")]
    others.put(fixture_json(9, league=78, status="2H", elapsed=90, extra=4, goals=goals))

    def flags() -> list[tuple[bool, bool, int | None]]:
        match = openligadb.get("/getmatchdata/800009").json()
        return [(g["isOwnGoal"], g["isPenalty"], g["matchMinute"]) for g in in_order(match)]

    assert flags() == [(True, False, 12), (False, True, 93)]
    others.openligadb.wrong_flags = True
    assert flags() == [(False, False, 12), (False, False, 93)]
    others.openligadb.missing_minutes = True
    assert flags() == [(False, False, None), (False, False, None)]


def test_a_goal_that_no_result_counts(
    others: OtherProviders, openligadb: httpx.Client, world: World, clock: ManualClock
):
    clock.at = world.ends_at
    script = german(world, "first of two goals removed")
    others.openligadb.extra_goal = True
    match = one(openligadb, script)
    extra = in_order(match)[-1]
    assert (extra["scoreTeam1"], extra["scoreTeam2"]) == (1, 2)
    assert (extra["matchMinute"], extra["goalGetterID"], extra["goalGetterName"]) == (None, 0, "")
    assert results(match)[2] == (1, 1)


@pytest.mark.parametrize(
    ("broken", "status"), [("down", 503), ("limited", 429), ("refused", 403), ("garbage", 200)]
)
def test_it_fails_and_heals(
    others: OtherProviders, openligadb: httpx.Client, broken: str, status: int
):
    others.openligadb.broken = broken  # type: ignore[assignment]
    answer = openligadb.get("/getmatchdata/bl1")
    assert answer.status_code == status
    assert not answer.text.startswith("[")
    others.openligadb.broken = None
    assert len(matchday(openligadb, "bl1")) == 3
    assert others.espn.request_count == 0


def test_a_frozen_answer_does_not_change(
    world: World, others: OtherProviders, openligadb: httpx.Client, clock: ManualClock
):
    others.openligadb.lens.frozen_at = clock.at
    before = matchday(openligadb)
    clock.at = world.ends_at
    assert matchday(openligadb) == before
