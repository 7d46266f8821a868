"""Small documents in the shape of ESPN's answers, and a server on loopback that gives them."""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footy_assets.sim.loopback import LoopbackApp

Json = dict[str, Any]
ROOT = "/apis/site/v2/sports/soccer"
HOME, AWAY = "11", "22"
NAMES = {HOME: "Harbour Town", AWAY: "Atlético Alcázar"}
FULL_TIME = {"name": "STATUS_FULL_TIME", "state": "post", "completed": True}
SCHEDULED = {"name": "STATUS_SCHEDULED", "state": "pre", "completed": False}
SECOND_HALF = {"name": "STATUS_SECOND_HALF", "state": "in", "completed": False}


def team(id_: str) -> Json:
    name = NAMES.get(id_, f"Team {id_}")
    return {
        "id": id_,
        "displayName": name,
        "shortDisplayName": name.split()[0],
        "abbreviation": name[:3].upper(),
        "logo": f"https://logos.example/{id_}.png",
    }


def competitor(id_: str, side: str, score: Any = "0", **more: Any) -> Json:
    return {"homeAway": side, "team": team(id_), "score": score, **more}


def play(type_: str, clock: str | None, team_id: str | None, *people: Json, **flags: Any) -> Json:
    """An entry of a scoreboard's `details`."""
    entry: Json = {
        "type": {"id": type_},
        "clock": {"value": 1.0, "displayValue": clock} if clock is not None else {},
        "scoringPlay": False,
        "shootout": False,
        **flags,
    }
    if team_id is not None:
        entry["team"] = {"id": team_id}
    if people:
        entry["athletesInvolved"] = list(people)
    return entry


def goal(clock: str, team_id: str, *people: Json, type_: str = "70", **flags: Any) -> Json:
    return play(type_, clock, team_id, *people, **{"scoringPlay": True, **flags})


def player(id_: str, name: str, team_id: str | None = None) -> Json:
    return {"id": id_, "displayName": name, **({"team": {"id": team_id}} if team_id else {})}


def match(
    home: Any = "0",
    away: Any = "0",
    details: list[Any] | None = None,
    *,
    id_: str = "7001",
    date: str = "2026-03-21T15:00Z",
    status: Json = FULL_TIME,
    clock: str | None = "90'+5'",
    period: int | None = 2,
    **more: Any,
) -> Json:
    """An event of a scoreboard. `more` goes into its competition."""
    full_status: Json = {"type": status}
    if clock is not None:
        full_status["displayClock"] = clock
    if period is not None:
        full_status["period"] = period
    return {
        "id": id_,
        "uid": f"s:600~l:700~e:{id_}",
        "date": date,
        "name": f"{NAMES[AWAY]} at {NAMES[HOME]}",
        "season": {"year": 2025, "slug": "2025-26-english-premier-league"},
        "competitions": [
            {
                "competitors": [competitor(HOME, "home", home), competitor(AWAY, "away", away)],
                "status": full_status,
                "venue": {"fullName": "The Quay"},
                **({} if details is None else {"details": details}),
                **more,
            }
        ],
    }


def scoreboard(*events: Any, slug: str = "eng.1", number: str = "700") -> Json:
    league = {"id": number, "slug": slug, "name": "English Premier League"}
    return {"leagues": [{**league, "season": {"year": 2025}}], "events": list(events)}


class FakeEspn(LoopbackApp):
    """Gives the answers that it was told, by path below the sport; a scoreboard without one is
    empty. An answer is JSON, or a status, headers and a body."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1", 0)
        self.reset()

    def reset(self) -> None:
        self.answers: dict[str, Json | tuple[int, Mapping[str, str], bytes]] = {}
        self.requests: list[tuple[str, dict[str, str], str]] = []
        # Nobody is answered until so many wait at once.
        self.hold_until = 0
        self.enough = asyncio.Event()
        self.in_flight = self.most_in_flight = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route(f"{ROOT}/{{path:path}}", self._answer)])

    @property
    def asked(self) -> list[str]:
        """The boards that were requested, as slug and day."""
        return sorted(f"{path.split('/')[0]} {query['dates']}" for path, query, _ in self.requests)

    async def _answer(self, request: Request) -> Response:
        path, query = request.path_params["path"], dict(request.query_params)
        self.requests.append((path, query, request.headers.get("user-agent", "")))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if self.hold_until:
            if self.in_flight >= self.hold_until:
                self.enough.set()
            await self.enough.wait()
            # Any further request would come now.
            await asyncio.sleep(0.05)
        self.in_flight -= 1
        dated = f"{path}?{query.get('dates', '')}"
        empty = scoreboard() if path.endswith("/scoreboard") else (404, {}, b"{}")
        answer = self.answers.get(dated, self.answers.get(path, empty))
        if isinstance(answer, dict):
            return JSONResponse(answer)
        status, headers, body = answer
        return Response(body, status, dict(headers))
