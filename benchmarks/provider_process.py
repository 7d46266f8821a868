"""The simulated provider in its own process, so that its CPU is not counted as the pipeline's."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from footy_assets.clock import Clock, ManualClock
from footy_assets.sim import ProviderRequest, Quota, SimServer, World, make_world
from footy_assets.sim.espn_server import EspnEndpoints
from footy_assets.sim.feed import Json
from footy_assets.sim.other_providers import OtherProviders

NO_LIMIT = 10**9
STOP_TIMEOUT_SECONDS = 10.0
PLAYERS_A_SIDE = 20


class ProviderProcess:
    """A handle on the process: its addresses, its clock, and the requests it has received."""

    def __init__(self, pipe: Connection, pid: int) -> None:
        self._pipe = pipe
        self.pid = pid
        self.url: str
        self.espn_url: str
        self.url, self.espn_url = pipe.recv()

    def set_time(self, now: datetime) -> None:
        self._pipe.send(("time", now))
        self._pipe.recv()

    def requests(self) -> list[ProviderRequest]:
        self._pipe.send(("requests", None))
        requests: list[ProviderRequest] = self._pipe.recv()
        return requests


@contextmanager
def provider_process(
    matches: int, clock: Clock, *, real_size: bool = False, per_minute: int = NO_LIMIT
) -> Iterator[ProviderProcess]:
    """Serves `matches` ordinary matches until the block, or the parent process, ends."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=_serve, args=(theirs, matches, clock, real_size, per_minute), daemon=True
    )
    process.start()
    theirs.close()
    try:
        yield ProviderProcess(ours, process.pid or 0)
    finally:
        ours.close()
        process.join(STOP_TIMEOUT_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()


def _serve(pipe: Connection, matches: int, clock: Clock, real_size: bool, per_minute: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    world = make_world(matches=matches)
    if real_size:
        world = RealSizeWorld(world.day, world.scripts)
    quota = Quota(per_day=NO_LIMIT, per_minute=per_minute)
    others_class = RealSizeOthers if real_size else OtherProviders
    with SimServer(world, clock, quota=quota) as server, others_class(world, clock) as others:
        pipe.send((server.url, others.url))
        while True:
            try:
                command, value = pipe.recv()
            except EOFError:
                return
            if command == "requests":
                pipe.send(list(server.requests))
            elif isinstance(clock, ManualClock):
                clock.at = value
                pipe.send(None)


class RealSizeOthers(OtherProviders):
    """Adds to ESPN's answers what the pipeline receives but ignores: links, odds and leaders of
    each match of a scoreboard; news and videos of a summary."""

    async def _espn(self, request: Request, endpoint: Callable[[EspnEndpoints], Json]) -> Response:
        return await super()._espn(request, lambda espn: with_espn_extras(endpoint(espn)))


def with_espn_extras(answer: Json) -> Json:
    """About 12 kB for each match of a scoreboard, and 450 kB for a summary."""
    if "events" in answer:
        extras = {"links": _links(20), "odds": _links(12), "leaders": _links(12)}
        return answer | {"events": [event | extras for event in answer["events"]]}
    return answer | {"news": _links(1_130), "videos": _links(1_030)}


def _links(count: int) -> list[Json]:
    rel = ["summary", "desktop", "event"]
    address = "https://www.example.com/soccer/match/_/gameId/"
    return [
        {"rel": rel, "href": f"{address}{n}", "text": f"Link {n}", "isExternal": False}
        | {"shortText": f"Link {n}", "language": "en-US", "isPremium": False}
        for n in range(count)
    ]


class RealSizeWorld(World):
    """Adds line-ups, statistics and player figures, which the pipeline receives but ignores."""

    def fixture_at(self, fixture_id: int, now: datetime, events: bool = True) -> dict[str, Any]:
        answer = super().fixture_at(fixture_id, now, events)
        return answer | details(answer["teams"]) if events else answer


def details(teams: dict[str, Any]) -> dict[str, Any]:
    """About 50 kB, as the provider sends for a match of a big league."""
    return {
        "lineups": [
            {"team": team, "formation": "4-3-3", "startXI": [_lineup_player(n) for n in range(11)]}
            | {"substitutes": [_lineup_player(n) for n in range(11, PLAYERS_A_SIDE)]}
            for team in teams.values()
        ],
        "statistics": [
            {"team": team, "statistics": [{"type": f"Figure {n}", "value": n} for n in range(18)]}
            for team in teams.values()
        ],
        "players": [
            {"team": team, "players": [_player_statistics(n) for n in range(PLAYERS_A_SIDE)]}
            for team in teams.values()
        ],
    }


def _lineup_player(number: int) -> dict[str, Any]:
    place = {"number": number, "pos": "M", "grid": "2:1"}
    return {"player": {"id": 9_000 + number, "name": f"Player {number}", **place}}


def _player_statistics(number: int) -> dict[str, Any]:
    groups = ("games", "shots", "goals", "passes", "tackles", "duels", "dribbles", "fouls", "cards")
    names = ("minutes", "number", "position", "rating", "captain", "substitute", "accuracy")
    return {
        "player": {"id": 9_000 + number, "name": f"Player {number}", "photo": "https://x/y.png"},
        "statistics": [{group: dict.fromkeys(names, number) for group in groups}],
    }
