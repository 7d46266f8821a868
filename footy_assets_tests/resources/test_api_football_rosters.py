"""Line-ups and squads of API-Football, over HTTP and piece by piece."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderRefused, ProviderUnavailable
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.sim import SimServer, World
from resources.api_football.client import ApiFootball
from resources.api_football.rosters import ApiFootballRosters


@pytest.fixture
def feed(sim: SimServer) -> Iterator[ApiFootballRosters]:
    async def no_sleep(seconds: float) -> None: ...

    with ApiFootball(sim.url, None, sleep=no_sleep, timeout=5) as client:
        yield ApiFootballRosters(client)


def test_line_ups_are_there_45_minutes_before_kickoff(
    feed: ApiFootballRosters, world: World, clock: ManualClock, sim: SimServer
) -> None:
    script = world.scripts[0]
    clock.at = script.kickoff - timedelta(minutes=46)
    assert feed.line_ups(script.fixture_id, 5.0).line_ups == ()
    clock.at = script.kickoff - timedelta(minutes=45)
    found = feed.line_ups(script.fixture_id, 5.0)
    assert [one.team_id for one in found.line_ups] == [script.home.id, script.away.id]
    home = found.line_ups[0]
    assert (len(home.starters), len(home.substitutes), home.formation) == (11, 9, "4-3-3")
    assert home.starters[0] == RosterPlayer(
        Player(script.home.squad[0].id, script.home.squad[0].name), 1, "G", starts=True
    )
    assert [request.path for request in sim.requests] == ["/fixtures/lineups"] * 2


def test_a_squad_is_that_of_the_team(feed: ApiFootballRosters, world: World) -> None:
    club = world.scripts[0].home
    found = feed.squad(club.id, 5.0)
    assert [one.player.id for one in found.players] == [person.id for person in club.squad]
    assert all(one.player.known and one.position and not one.starts for one in found.players)
    assert feed.squad(99_999, 5.0).players == ()


def test_a_refusal_and_silence_are_errors(feed: ApiFootballRosters, sim: SimServer) -> None:
    sim.faults.errors({"plan": "Free plans do not have access to this."})
    with pytest.raises(ProviderRefused, match="Free plans"):
        feed.line_ups(5000, 5.0)
    sim.faults.slow(60.0)
    with pytest.raises(ProviderUnavailable, match=r"no answer to /players/squads within 0\.05 s"):
        feed.squad(40, 0.05)


class FixedItems:
    def __init__(self, items: list[Any]) -> None:
        self._items = items

    def items(self, path: str, query: Mapping[str, Any], within: float) -> list[Any]:
        return self._items


def roster_feed(items: list[Any]) -> ApiFootballRosters:
    return ApiFootballRosters(FixedItems(items))


def entry(**player: Any) -> dict[str, Any]:
    return {"player": player}


def test_an_unreadable_player_or_team_spoils_no_other() -> None:
    salah = entry(id=306, name=" Mohamed Salah ", number=11, pos="F", grid="4:3")
    items = [
        {
            "team": {"id": 40},
            "formation": "",
            "startXI": [salah, {"player": "?"}, entry(id=0, name="Kerkez", number=None, pos=None)],
            "substitutes": [entry(id=None, name=None, number=None, pos=None)],
        },
        {"team": None},
        {"team": {"id": 33}, "formation": "4-2-3-1", "startXI": None, "substitutes": None},
        "?",
    ]
    found = roster_feed(items).line_ups(5000, 5.0)
    assert found.line_ups == (
        LineUp(
            40,
            (
                RosterPlayer(Player(306, "Mohamed Salah"), 11, "F", starts=True),
                RosterPlayer(Player(None, "Kerkez"), starts=True),
            ),
        ),
        LineUp(33, (), "4-2-3-1"),
    )
    assert [(one.subject, one.reason.partition(":")[0]) for one in found.unreadable] == [
        ("line-up of fixture 5000, team 40", "player"),
        ("line-up of fixture 5000", "team"),
        ("line-up of fixture 5000", ""),
    ]


def test_a_squad_of_another_team_is_not_taken() -> None:
    gakpo = {"id": 247, "name": "C. Gakpo", "age": 25, "number": 18, "position": "Attacker"}
    squads = [
        {"team": {"id": 40}, "players": [gakpo, {"id": "x"}]},
        {"team": {"id": 33}, "players": [gakpo]},
    ]
    found = roster_feed(squads).squad(40, 5.0)
    assert found.players == (RosterPlayer(Player(247, "C. Gakpo"), 18, "Attacker"),)
    assert [one.subject for one in found.unreadable] == ["squad of team 40"]
