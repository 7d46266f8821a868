"""A second provider and a web page of live scores on one server, each with its own faults."""

import asyncio
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.feed import Json
from footy_assets.sim.football_data import match_json, matches_response
from footy_assets.sim.lens import Lens
from footy_assets.sim.loopback import LoopbackApp
from footy_assets.sim.statuses import CLOCK_RUNS
from footy_assets.sim.world import World

FaultKind = Literal["down", "garbage", "limited", "leaking"]
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


@dataclass(slots=True)
class ProviderFaults:
    """The faults of one of the two, until they are reset."""

    broken: FaultKind | None = None
    slow_seconds: float = 0.0
    lens: Lens = field(default_factory=Lens)
    request_count: int = 0


class OtherProviders(LoopbackApp):
    """Serves football-data.org at /v4/matches and the page at /scores."""

    def __init__(self, world: World, clock: Clock) -> None:
        super().__init__("127.0.0.1", 0)
        self.world, self.clock = world, clock
        self.football_data = ProviderFaults()
        self.page = ProviderFaults()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v4/matches", self._matches),
                Route("/scores", self._page),
                Route("/scores.json", self._scores),
                Route("/leak", self._leak),
            ]
        )

    def _fixtures(self, faults: ProviderFaults) -> tuple[list[Json], datetime]:
        now = faults.lens.time(self.clock.now())
        fixtures = [self.world.fixture_at(id_, now) for id_ in self.world.fixture_ids]
        return [faults.lens.apply(fixture) for fixture in fixtures], now

    async def _fault_response(self, faults: ProviderFaults) -> Response | None:
        faults.request_count += 1
        await asyncio.sleep(faults.slow_seconds)
        match faults.broken:
            case "down":
                return PlainTextResponse("Service Unavailable", 503)
            case "garbage":
                return HTMLResponse("<html><body>Welcome to nginx!</body></html>")
            case "limited":
                error = {"message": "You reached your request limit.", "errorCode": 429}
                return JSONResponse(error, 429, {"X-RequestCounter-Reset": str(RESET_SECONDS)})
        return None

    async def _matches(self, request: Request) -> Response:
        fault_response = await self._fault_response(self.football_data)
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
        fault_response = await self._fault_response(self.page)
        if fault_response is not None:
            return fault_response
        return HTMLResponse(PAGE + LEAK if self.page.broken == "leaking" else PAGE)

    async def _scores(self, request: Request) -> Response:
        fixtures, _ = self._fixtures(self.page)
        return JSONResponse([_row(fixture) for fixture in fixtures])

    async def _leak(self, request: Request) -> Response:
        return HTMLResponse("<script>setInterval(() => 1, 1000)</script>")


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
