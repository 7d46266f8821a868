import ast
from collections import Counter
from dataclasses import FrozenInstanceError
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import footy_assets.sim
from footy_assets.sim import MatchScript, World, make_season_days, make_world
from footy_assets.sim.clubs import LEAGUES, clubs_of
from footy_assets.sim.feed import Json

FINAL = {"FT", "AET", "PEN", "CANC", "ABD", "AWD", "WO"}


def listed_goals(fixture: Json) -> Counter[tuple[object, ...]]:
    return Counter(
        (
            event["team"]["id"],
            event["player"]["id"],
            event["player"]["name"],
            event["time"]["elapsed"],
            event["time"]["extra"],
            event["detail"],
        )
        for event in fixture["events"]
        if event["type"] == "Goal"
        and event["detail"] != "Missed Penalty"
        and event["comments"] is None
    )


def standing_goals(world: World, fixture_id: int) -> Counter[tuple[object, ...]]:
    return Counter(
        (g.team_id, g.player_id, g.player_name, g.elapsed, g.extra, g.detail)
        for g in world.truth()
        if g.fixture_id == fixture_id and g.ending != "removed"
    )


def assert_last_feed_equals_truth(world: World) -> None:
    for fixture_id in world.fixture_ids:
        last = world.fixture_at(fixture_id, world.ends_at)
        goals = listed_goals(last)
        assert goals == standing_goals(world, fixture_id)
        home, away = last["goals"]["home"], last["goals"]["away"]
        assert (home, away) == world.final_score(fixture_id)
        assert (home or 0) + (away or 0) == goals.total()
        assert last["fixture"]["status"]["short"] == world.final_status(fixture_id)


def test_the_same_seed_writes_the_same_world():
    assert make_world(7) == make_world(7)
    assert make_world(7).truth() == make_world(7).truth()


def test_another_seed_writes_another_world():
    assert make_world(7).truth() != make_world(8).truth()


def test_a_world_cannot_be_changed(world: World):
    with pytest.raises(FrozenInstanceError):
        world.day = date(2000, 1, 1)  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(5))
def test_the_last_feed_lists_exactly_the_goals_that_should_stand(seed: int):
    assert_last_feed_equals_truth(make_world(seed))


def test_a_big_day_ends_with_the_true_goals():
    assert_last_feed_equals_truth(make_world(matches=60))


def test_nothing_changes_after_the_end(world: World):
    for fixture_id in world.fixture_ids:
        a_week_later = world.fixture_at(fixture_id, world.ends_at + timedelta(days=7))
        assert world.fixture_at(fixture_id, world.ends_at) == a_week_later


def test_the_day_is_compact(world: World):
    kickoffs = [script.kickoff for script in world.scripts]
    assert min(kickoffs) == datetime(2025, 5, 10, 12, 30, tzinfo=UTC)
    assert max(kickoffs) - min(kickoffs) <= timedelta(hours=2.5)
    assert world.starts_at == min(kickoffs) - timedelta(minutes=40)
    assert world.ends_at - world.starts_at <= timedelta(hours=5)


def test_no_club_plays_twice_on_a_day(world: World):
    playing = [club.id for script in world.scripts for club in (script.home, script.away)]
    assert len(playing) == len(set(playing))


def test_every_fixture_has_a_side_of_the_five_leagues(world: World):
    tracked = {club.id for league in (39, 140, 78, 135, 61) for club in clubs_of(league)}
    assert all({s.home.id, s.away.id} & tracked for s in world.scripts)


def test_every_kind_of_ending_and_story_is_on_the_day(world: World):
    goals = world.truth()
    assert {g.ending for g in goals} == {"stable", "removed", "unnamed"}
    assert {g.removed_by for g in goals} == {"var", "vanished", None}
    assert {g.detail for g in goals} == {"Normal Goal", "Penalty", "Own Goal"}
    assert {g.story for g in goals} >= {
        "late name",
        "never named",
        "re-attributed",
        "re-attributed as own goal",
        "minute edited",
        "flicker",
        "vanished",
        "disallowed by VAR",
    }
    statuses = {world.final_status(fixture_id) for fixture_id in world.fixture_ids}
    assert statuses == {"FT", "AET", "PEN", "PST", "CANC", "ABD"}
    scorers = Counter(g.player_id for g in goals if g.ending == "stable")
    assert max(scorers.values()) == 3


@pytest.mark.parametrize("seed", range(5))
def test_a_standing_goal_has_its_final_form_six_minutes_before_the_end(seed: int):
    world = make_world(seed)
    for goal in world.truth():
        if goal.ending != "removed":
            end = world.by_id[goal.fixture_id].timetable.phases[-1]
            assert end.status in FINAL
            assert end.since - goal.settled_at >= timedelta(minutes=6), goal


@pytest.mark.parametrize("seed", range(5))
def test_a_removed_goal_was_visible_for_minutes_and_went_before_the_end(seed: int):
    world = make_world(seed)
    for goal in world.truth():
        if goal.ending == "removed":
            end = world.by_id[goal.fixture_id].timetable.phases[-1].since
            assert goal.settled_at - goal.shown_at >= timedelta(minutes=3, seconds=30)
            assert end - goal.settled_at >= timedelta(minutes=6)


def test_an_own_goal_is_listed_for_the_side_that_benefits(world: World):
    own_goals = [g for g in world.truth() if g.detail == "Own Goal"]
    assert own_goals
    for goal in own_goals:
        script = world.by_id[goal.fixture_id]
        against = script.away if goal.team_id == script.home.id else script.home
        assert goal.player_id in {player.id for player in against.squad}


def test_a_big_day_is_live_all_at_once():
    world = make_world(matches=400)
    assert len(world.fixture_ids) == 400
    now = datetime(2025, 5, 10, 14, 30, tzinfo=UTC)
    live = {world.fixture_at(i, now)["fixture"]["status"]["short"] for i in world.fixture_ids}
    assert live <= {"1H", "HT", "2H"}


def test_season_days_hold_matches_on_each_day():
    world = make_season_days(7, date(2025, 5, 1), days=5, matches_per_day=3)
    assert world.days == tuple(date(2025, 5, day) for day in range(1, 6))
    assert len(world.fixture_ids) == 15
    assert_last_feed_equals_truth(world)


def test_hand_made_scripts_need_distinct_ids(world: World):
    script: MatchScript = world.scripts[0]
    assert World.from_scripts([script]).day == world.day
    with pytest.raises(ValueError, match="same fixture id"):
        World.from_scripts([script, script])


def test_players_and_clubs_have_one_id_each():
    clubs = {club for league in LEAGUES for club in clubs_of(league)}
    assert len({club.id for club in clubs}) == len(clubs)
    players = [player.id for club in clubs for player in club.squad]
    assert len(players) == len(set(players))
    assert all(len(clubs_of(league)) == 20 for league in (39, 140, 78, 135, 61, 2))


def test_the_outside_world_uses_nothing_of_the_pipeline_but_its_clock():
    for source in Path(footy_assets.sim.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            assert not isinstance(node, ast.ImportFrom) or node.level == 0
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("footy_assets"):
                assert node.module == "footy_assets.clock" or str(node.module).startswith(
                    "footy_assets.sim"
                )


@given(seed=st.integers(0, 10_000), minute=st.integers(0, 300), second=st.integers(0, 59))
def test_the_score_is_always_the_count_of_listed_goals(seed: int, minute: int, second: int):
    world = make_world(seed % 20)
    now = world.starts_at + timedelta(minutes=minute, seconds=second)
    for fixture_id in world.fixture_ids[seed % 3 :: 3]:
        fixture = world.fixture_at(fixture_id, now)
        score = fixture["goals"]
        if score["home"] is None:
            assert not fixture["events"]
        else:
            assert score["home"] + score["away"] == listed_goals(fixture).total()


def test_a_shorter_day_has_the_same_matches() -> None:
    world = make_world(7)
    short = world.only(["hat-trick", "VAR reversals"])
    assert [script.title for script in short.scripts] == ["hat-trick", "VAR reversals"]
    assert set(short.truth()) < set(world.truth())
