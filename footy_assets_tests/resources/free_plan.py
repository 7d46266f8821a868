"""API-Football's free plan, on loopback: what it refuses, and its 100 requests a day."""

from collections.abc import Mapping
from copy import deepcopy
from datetime import date, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footy_assets.clock import ManualClock
from footy_assets.sim.loopback import LoopbackApp

Json = dict[str, Any]
IN_PLAY = ("1H", "HT", "2H", "ET", "BT", "P", "SUSP", "INT", "LIVE")
NO_IDS = "Free plans do not have access to the Ids parameter."
NO_SEASON = "Free plans do not have access to this season, try from 2022 to 2024."
NO_DATE = "Free plans do not have access to this date, try from yesterday to tomorrow."


class FreePlanServer(LoopbackApp):
    def __init__(self, clock: ManualClock) -> None:
        super().__init__("127.0.0.1", 0)
        self.clock = clock
        self.clear()

    def clear(self) -> None:
        self.fixtures: dict[int, Json] = {}
        self.line_ups: list[Json] = []
        self.queries: list[str] = []
        self.left, self.limit = 100, 100
        self.free = True
        self.status = 200

    def put(self, fixture: Json) -> None:
        self.fixtures[fixture["fixture"]["id"]] = fixture

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._serve)])

    async def _serve(self, request: Request) -> Response:
        path, query = request.url.path, dict(request.query_params)
        if path == "/status":
            used = {"current": self.limit - self.left, "limit_day": self.limit}
            plan = {"plan": "Free" if self.free else "Pro", "active": True}
            return JSONResponse(
                {"errors": [], "response": {"subscription": plan, "requests": used}}
            )
        what = "&".join(f"{name}={value}" for name, value in query.items())
        self.queries.append(what if path == "/fixtures" else f"{path}?{what}")
        self.left -= 1
        headers = {
            "x-ratelimit-requests-limit": str(self.limit),
            "x-ratelimit-requests-remaining": str(self.left),
            "x-ratelimit-limit": "10",
            "x-ratelimit-remaining": "9",
        }
        refusal = self._refusal(query) if self.free else None
        body = {
            "errors": {"plan": refusal} if refusal else [],
            "response": [] if refusal else self._found(path, query),
        }
        return JSONResponse(body, self.status, headers)

    def _refusal(self, query: Mapping[str, str]) -> str | None:
        if "ids" in query:
            return NO_IDS
        if int(query.get("season", 0)) > 2024:
            return NO_SEASON
        today, a_day = self.clock.now().date(), timedelta(days=1)
        if "date" in query and abs(date.fromisoformat(query["date"]) - today) > a_day:
            return NO_DATE
        return None

    def _found(self, path: str, query: Mapping[str, str]) -> list[Json]:
        if path == "/teams":
            return [{"team": {"id": int(query["id"]), "name": "A team"}, "venue": None}]
        if path == "/fixtures/lineups":
            return self.line_ups
        if "id" in query or "ids" in query:
            ids = [int(id_) for id_ in query.get("ids", query.get("id", "")).split("-")]
            return [self.fixtures[id_] for id_ in ids if id_ in self.fixtures]
        if "live" in query:
            return [f for f in self.fixtures.values() if _status(f) in IN_PLAY]
        listed = [deepcopy(f) for f in self.fixtures.values() if _day(f) == query["date"]]
        for fixture in listed:
            del fixture["events"]
        return listed


def _status(fixture: Json) -> str:
    return str(fixture["fixture"]["status"]["short"])


def _day(fixture: Json) -> str:
    return str(fixture["fixture"]["date"])[:10]
