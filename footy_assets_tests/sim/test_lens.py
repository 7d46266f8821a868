"""How one provider's data differs from the truth."""

from footy_assets.sim import fixture_json, goal
from footy_assets.sim.lens import Lens


def test_goals_have_other_scorers_and_minutes() -> None:
    goals = [goal(27, player=1, name="A"), goal(45, extra=2, player=2, name="B")]
    fixture = fixture_json(5000, status="HT", goals=goals)
    shown = Lens(scorers={(5000, 27): (9, "Z")}, minutes_late=1).apply(fixture)
    assert [(one["time"], one["player"]["id"]) for one in shown["events"]] == [
        ({"elapsed": 28, "extra": None}, 9),
        ({"elapsed": 45, "extra": 3}, 2),
    ]
    assert shown["goals"] == fixture["goals"]
    assert Lens().apply(fixture) == fixture
