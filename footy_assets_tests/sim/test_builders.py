from datetime import UTC, datetime

from footy_assets.sim import (
    World,
    fixture_json,
    goal,
    missed_penalty,
    shootout_kick,
    var_cancel,
)


def test_a_hand_made_fixture_has_the_shape_of_a_real_one(world: World):
    real = world.fixture_at(world.fixture_ids[0], world.ends_at)
    made = fixture_json(1, status="FT", goals=[goal(30, player=234, name="M. Salah")])

    def shape(value: object) -> object:
        return {k: shape(v) for k, v in value.items()} if isinstance(value, dict) else None

    assert shape(made) == shape(real)
    assert shape(made["events"][0]) == shape(real["events"][0])


def test_it_counts_goals_only():
    made = fixture_json(
        1,
        status="PEN",
        goals=[goal(30, team=40), goal(80, team=50, detail="Own Goal")],
        events=[
            missed_penalty(55, team=40),
            var_cancel(61, team=40, detail="Goal Disallowed - offside"),
            shootout_kick(1, team=40),
            shootout_kick(2, team=50, scored=False),
        ],
    )
    assert made["goals"] == {"home": 1, "away": 1}
    assert made["score"]["penalty"] == {"home": 1, "away": 0}
    assert made["teams"]["home"]["winner"] is True
    assert [event["time"]["elapsed"] for event in made["events"]] == [30, 55, 61, 80, 120, 120]


def test_an_unplayed_fixture_has_no_score():
    kickoff = datetime(2025, 5, 11, 19, 0, tzinfo=UTC)
    made = fixture_json(9, status="NS", kickoff=kickoff, home=3901)
    assert made["goals"] == {"home": None, "away": None}
    assert made["fixture"]["date"] == "2025-05-11T19:00:00+00:00"
    assert made["fixture"]["status"]["elapsed"] is None
    assert made["teams"]["home"]["name"] == "Northbridge City"


def test_building_a_fixture_leaves_its_events_untouched():
    scored = goal(30, team=40)
    fixture_json(1, status="1H", goals=[scored], home_name="Reds")
    assert scored["team"]["name"] == "Liverpool"
