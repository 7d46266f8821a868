"""The other providers and a web page of live scores on one server, each with its own faults."""

import asyncio
from collections.abc import Callable
from datetime import date, datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.espn_server import PATH as ESPN
from footy_assets.sim.espn_server import EspnEndpoints, EspnError, refuses
from footy_assets.sim.feed import Json
from footy_assets.sim.football_data import match_json, matches_response
from footy_assets.sim.loopback import LoopbackApp
from footy_assets.sim.openligadb_server import OpenLigaDbEndpoints
from footy_assets.sim.provider import Provider
from footy_assets.sim.provider_faults import EspnFaults, OpenLigaDbFaults, ProviderFaults
from footy_assets.sim.statuses import CLOCK_RUNS
from footy_assets.sim.world import World

__all__ = ["OtherProviders", "ProviderFaults"]

RESET_SECONDS = 20
MAX_DAYS = 10
PAGE = """<!doctype html><title>Live scores</title><main id="scores"></main>
<script>
fetch("/scores.json").then(r => r.json()).then(rows => {
  const main = document.getElementById("scores");
  for (const row of rows) {
    const line = document.createElement("article");
    line.className = "match";
    Object.assign(line.dataset, {id: row.id, start: row.start});
    for (const part of ["competition", "home", "away", "score", "clock"]) {
      const cell = document.createElement("span");
      cell.className = part;
      cell.textContent = row[part];
      line.append(cell);
    }
    main.append(line);
  }
  main.dataset.ready = "yes";
});
</script>"""
LEAK = '<script>for (let i = 0; i < 3; i++) window.open("/leak?" + i, "w" + Math.random())</script>'


class OtherProviders(LoopbackApp):
    """Serves football-data.org at /v4/matches, ESPN, OpenLigaDB, and the page at /scores."""

    def __init__(
        self, world: World, clock: Clock, *, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        super().__init__(host, port)
        self.world, self.clock = world, clock
        self.reset()

    @property
    def world(self) -> World:
        return self._provider.world

    @world.setter
    def world(self, world: World) -> None:
        """Also forgets hand-made fixtures."""
        self._provider = Provider(world)

    @property
    def espn_url(self) -> str:
        return f"{self.url}{ESPN}"

    @property
    def openligadb_url(self) -> str:
        return self.url

    def put(self, fixture: Json) -> None:
        """From now on all of them show this object of the main provider, each in its format."""
        self._provider.put(fixture)

    def drop(self, fixture_id: int) -> None:
        """From now on none of them knows this fixture."""
        self._provider.drop(fixture_id)

    def reset(self) -> None:
        """Forget every request, fault and hand-made fixture."""
        self._provider = Provider(self.world)
        self.football_data = ProviderFaults()
        self.page = ProviderFaults()
        self.espn = EspnFaults()
        self.openligadb = OpenLigaDbFaults()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v4/matches", self._matches),
                Route("/scores", self._page),
                Route("/scores.json", self._scores),
                Route("/leak", self._leak),
                Route(ESPN + "/{slug}/scoreboard", self._espn_scoreboard),
                Route(ESPN + "/{slug}/summary", self._espn_summary),
                Route(ESPN + "/{slug}/teams/{team}/roster", self._espn_roster),
                Route("/getmatchdata/{match:int}", self._openligadb),
                Route("/getmatchdata/{league}", self._openligadb),
                Route("/getmatchdata/{league}/{season:int}", self._openligadb),
                Route("/getmatchdata/{league}/{season:int}/{group:int}", self._openligadb),
            ]
        )

    def _fixtures(self, faults: ProviderFaults) -> tuple[list[Json], datetime]:
        now = faults.lens.time(self.clock.now())
        fixtures = self._provider.listed(now, events=True)
        return [faults.lens.apply(fixture) for fixture in fixtures], now

    async def _fault_response(self, faults: ProviderFaults, request: Request) -> Response | None:
        faults.request_count += 1
        query = f"?{request.url.query}" if request.url.query else ""
        faults.requests.append(f"{request.url.path}{query}")
        await asyncio.sleep(faults.slow_seconds)
        match faults.broken:
            case "down":
                return PlainTextResponse("Service Unavailable", 503)
            case "garbage":
                return HTMLResponse("<html><body>Welcome to nginx!</body></html>")
            case "limited":
                error = {"message": "You reached your request limit.", "errorCode": 429}
                return JSONResponse(error, 429, {"X-RequestCounter-Reset": str(RESET_SECONDS)})
            case "refused":
                return _access_denied()
        return None

    async def _matches(self, request: Request) -> Response:
        fault_response = await self._fault_response(self.football_data, request)
        if fault_response is not None:
            return fault_response
        first, last = (request.query_params[name] for name in ("dateFrom", "dateTo"))
        if (date.fromisoformat(last) - date.fromisoformat(first)).days > MAX_DAYS:
            error = {"message": "Specified period must not exceed 10 days.", "errorCode": 400}
            return JSONResponse(error, 400)
        fixtures, now = self._fixtures(self.football_data)
        matches = [match_json(fixture, now) for fixture in fixtures]
        in_range = [m for m in matches if first <= m["utcDate"][:10] < last]
        if request.headers.get("x-unfold-goals") != "true":
            in_range = [{k: v for k, v in m.items() if k != "goals"} for m in in_range]
        return JSONResponse(
            matches_response(in_range), headers={"X-Requests-Available-Minute": "99"}
        )

    async def _page(self, request: Request) -> Response:
        fault_response = await self._fault_response(self.page, request)
        if fault_response is not None:
            return fault_response
        return HTMLResponse(PAGE + LEAK if self.page.broken == "leaking" else PAGE)

    async def _scores(self, request: Request) -> Response:
        fixtures, _ = self._fixtures(self.page)
        return JSONResponse([_row(fixture) for fixture in fixtures])

    async def _leak(self, request: Request) -> Response:
        return HTMLResponse("<script>setInterval(() => 1, 1000)</script>")

    async def _espn_scoreboard(self, request: Request) -> Response:
        slug, params = request.path_params["slug"], request.query_params
        return await self._espn(request, lambda espn: espn.scoreboard(slug, params))

    async def _espn_summary(self, request: Request) -> Response:
        event = request.query_params.get("event", "")
        return await self._espn(request, lambda espn: espn.summary(event))

    async def _espn_roster(self, request: Request) -> Response:
        team = request.path_params["team"]
        return await self._espn(request, lambda espn: espn.roster(team))

    async def _espn(self, request: Request, endpoint: Callable[[EspnEndpoints], Json]) -> Response:
        fault_response = await self._fault_response(self.espn, request)
        if refuses(request.headers.get("user-agent")):
            return _access_denied()
        if fault_response is not None:
            return fault_response
        try:
            body = endpoint(EspnEndpoints(self._provider, self.espn, self.clock.now()))
        except EspnError as error:
            return JSONResponse(error.body, error.status)
        return JSONResponse(body)

    async def _openligadb(self, request: Request) -> Response:
        fault_response = await self._fault_response(self.openligadb, request)
        if fault_response is not None:
            return fault_response
        endpoints = OpenLigaDbEndpoints(self._provider, self.openligadb, self.clock.now())
        match request.path_params:
            case {"match": match_id}:
                found = endpoints.one(match_id)
                return JSONResponse(found, 404 if found is None else 200)
            case {"league": league, "season": season, **rest}:
                return JSONResponse(endpoints.matchday(league, season, rest.get("group")))
        return JSONResponse(endpoints.current_matchday(request.path_params["league"]))


def _access_denied() -> Response:
    return HTMLResponse("<html><body><h1>Access Denied</h1></body></html>", 403)


def _row(fixture: Json) -> Json:
    core, goals = fixture["fixture"], fixture["goals"]
    status = core["status"]
    extra = f"+{status['extra']}" if status["extra"] else ""
    running = status["short"] in CLOCK_RUNS
    return {
        "id": f"m{core['id']}",
        "start": core["date"],
        "competition": fixture["league"]["name"],
        "home": fixture["teams"]["home"]["name"],
        "away": fixture["teams"]["away"]["name"],
        "score": "–" if goals["home"] is None else f"{goals['home']} - {goals['away']}",
        "clock": f"{status['elapsed']}{extra}'" if running else status["short"],
    }
