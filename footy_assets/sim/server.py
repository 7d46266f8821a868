"""The simulated provider over HTTP."""

import asyncio
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.faults import Fault, Faults
from footy_assets.sim.feed import Json
from footy_assets.sim.loopback import LoopbackApp
from footy_assets.sim.parameters import InvalidParameters
from footy_assets.sim.plans import PAID_PLAN, Plan
from footy_assets.sim.provider import Provider
from footy_assets.sim.quota import Meter, Quota
from footy_assets.sim.responses import apply_faults, envelope, fixture_ids
from footy_assets.sim.wikidata import PATH as WIKIDATA
from footy_assets.sim.wikidata import SimWikidata
from footy_assets.sim.world import World

MISSING_KEY = {
    "token": "Error/Missing application key. Go to https://www.api-football.com/documentation-v3 "
    "to learn how to get your API application key."
}
DAY_USED_UP = {
    "requests": "You have reached the request limit for the day, Go to "
    "https://dashboard.api-football.com to upgrade your plan."
}


@dataclass(frozen=True)
class ProviderRequest:
    path: str
    params: dict[str, str]
    at: datetime


class SimServer(LoopbackApp):
    """Serves a world as its clock sees it. Use as a context manager, or start and stop it."""

    def __init__(
        self,
        world: World,
        clock: Clock,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        key: str | None = None,
        quota: Quota | None = None,
        plan: Plan = PAID_PLAN,
    ) -> None:
        super().__init__(host, port)
        self.world = world
        self.clock = clock
        self.key = key
        self.faults = Faults()
        self.requests: list[ProviderRequest] = []
        self._first_plan = self._plan = plan
        self._meter = Meter(quota or plan.quota)
        self._provider = Provider(world)
        self.wikidata = SimWikidata(self._provider.clubs)

    @property
    def wikidata_url(self) -> str:
        return f"{self.url}{WIKIDATA}"

    @property
    def quota(self) -> Quota:
        return self._meter.quota

    @quota.setter
    def quota(self, quota: Quota) -> None:
        self._meter.quota = quota

    @property
    def plan(self) -> Plan:
        return self._plan

    @plan.setter
    def plan(self, plan: Plan) -> None:
        """Also sets the quota; what was used today stays used."""
        self._plan = plan
        self._meter.quota = plan.quota

    def put(self, fixture: Json) -> None:
        """From now on the provider returns exactly this object for the fixture."""
        self._provider.put(fixture)

    def drop(self, fixture_id: int) -> None:
        """From now on the provider knows no such fixture."""
        self._provider.drop(fixture_id)

    def polled_at(self) -> dict[int, list[datetime]]:
        """The times of the requests for each fixture."""
        times: dict[int, list[datetime]] = defaultdict(list)
        for request in self.requests:
            for fixture_id in request.params.get("ids", "").split("-"):
                if fixture_id.isdigit():
                    times[int(fixture_id)].append(request.at)
        return times

    def reset(self) -> None:
        """Forget every request, fault and hand-made fixture, and give the whole quota back.

        A plan that was changed is again that of the start.
        """
        self.faults.clear()
        if self._plan is not self._first_plan:
            self.plan = self._first_plan
        self.requests.clear()
        self._meter = Meter(self._meter.quota)
        self._provider = Provider(self.world)
        self.wikidata = SimWikidata(self._provider.clubs)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/sim/faults", self._show_faults, methods=["GET"]),
                Route("/sim/faults", self._add_faults, methods=["POST"]),
                Route("/sim/truth", self._truth, methods=["GET"]),
                Route("/sim/clock", self._time, methods=["GET"]),
                Route(WIKIDATA, self._serve_wikidata, methods=["GET"]),
                Route("/{path:path}", self._serve, methods=["GET"]),
            ]
        )

    async def _serve(self, request: Request) -> Response:
        path, params = request.url.path.rstrip("/") or "/", dict(request.query_params)
        now = self.clock.now()
        self.requests.append(ProviderRequest(path, params, now))
        status, body = self._answer(path, params, now, request.headers.get("x-apisports-key"))
        faults = self.faults.take(path, fixture_ids(params, body["response"]), params)
        for fault in faults:
            if fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
            elif fault.kind == "today":
                body |= {"response": self._provider.current_season_answer(path, params, now)}
        return apply_faults(status, body, faults, self._meter.headers(now))

    async def _serve_wikidata(self, request: Request) -> Response:
        return await self.wikidata.serve(request)

    def _answer(
        self, path: str, params: dict[str, str], now: datetime, key: str | None
    ) -> tuple[int, Json]:
        if self.key is not None and key != self.key:
            return 200, envelope(path, params, [], MISSING_KEY)
        if path == "/status":
            return 200, envelope(path, params, self._account(now)) | {"results": 1}
        match self._meter.spend(now):
            case "minute":
                limit = self._meter.quota.per_minute
                message = f"Too many requests. Your rate limit is {limit} requests per minute."
                return 429, envelope(path, params, [], {"rateLimit": message})
            case "day":
                return 200, envelope(path, params, [], DAY_USED_UP)
        try:
            refusal = self._plan.refuse(params, now)
            if refusal is not None:
                return 200, envelope(path, params, [], refusal)
            body = envelope(path, params, self._provider.answer(path, params, now))
            return 200, body | {"paging": self._provider.paging(path, params)}
        except InvalidParameters as invalid:
            return 200, envelope(path, params, [], invalid.errors)

    def _account(self, now: datetime) -> Json:
        return {
            "account": {"firstname": "Sim", "lastname": "World", "email": "sim@example.org"},
            "subscription": {
                "plan": self._plan.name,
                "end": "2099-12-31T00:00:00+00:00",
                "active": True,
            },
            "requests": {
                "current": self._meter.used_on(now),
                "limit_day": self._meter.quota.per_day,
            },
        }

    async def _show_faults(self, request: Request) -> Response:
        waiting = (*self.faults.waiting, *self.wikidata.faults.waiting)
        return JSONResponse([asdict(fault) for fault in waiting])

    async def _add_faults(self, request: Request) -> Response:
        try:
            wanted = await request.json()
            if wanted == {"clear": True}:
                self.faults.clear()
                self.wikidata.faults.clear()
            else:
                fault = Fault.from_json(wanted)
                faults = self.wikidata.faults if fault.path == WIKIDATA else self.faults
                faults.add(fault)
        except (ValueError, TypeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return await self._show_faults(request)

    async def _truth(self, request: Request) -> Response:
        world = self.world
        return JSONResponse(
            {
                "goals": [goal.as_json() for goal in world.truth()],
                "fixtures": [
                    {
                        "fixture_id": script.fixture_id,
                        "title": script.title,
                        "final_status": world.final_status(script.fixture_id),
                        "final_score": world.final_score(script.fixture_id),
                    }
                    for script in world.scripts
                ],
            }
        )

    async def _time(self, request: Request) -> Response:
        return JSONResponse(
            {
                "now": self.clock.now().isoformat(),
                "speed": getattr(self.clock, "speed", 1.0),
                "starts_at": self.world.starts_at.isoformat(),
                "ends_at": self.world.ends_at.isoformat(),
            }
        )
