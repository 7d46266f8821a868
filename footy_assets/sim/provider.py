"""The provider's endpoints as functions of its parameters and an instant: no HTTP here."""

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, datetime
from threading import Lock

from footy_assets.sim.clubs import LEAGUES, Club, all_clubs, clubs_of, season_of
from footy_assets.sim.famous import TEAMS
from footy_assets.sim.feed import IN_PLAY, Json, without_details
from footy_assets.sim.world import World

MOST_IDS = 20
SEASONS_KNOWN = 5
Params = Mapping[str, str]


@dataclass(frozen=True)
class Refused(Exception):
    """The provider does not understand a parameter."""

    errors: dict[str, str]


class Provider:
    """What can be asked about a world, with fixtures that a test has put or dropped by hand."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._put: dict[int, Json] = {}
        self._dropped: set[int] = set()
        self._lock = Lock()
        self._endpoints: dict[str, Callable[[Params, datetime], list[Json]]] = {
            "/fixtures": self._fixtures,
            "/fixtures/events": self._events,
            "/teams": self._teams,
            "/leagues": self._leagues,
        }

    def put(self, fixture: Json) -> None:
        fixture_id = int(fixture["fixture"]["id"])
        with self._lock:
            self._put[fixture_id] = deepcopy(fixture)
            self._dropped.discard(fixture_id)

    def drop(self, fixture_id: int) -> None:
        with self._lock:
            self._put.pop(fixture_id, None)
            self._dropped.add(fixture_id)

    def answer(self, path: str, params: Params, now: datetime) -> list[Json]:
        endpoint = self._endpoints.get(path)
        if endpoint is None:
            raise Refused({"endpoint": "This endpoint do not exist."})
        return endpoint(params, now)

    def fixture(self, fixture_id: int, now: datetime, events: bool = True) -> Json | None:
        with self._lock:
            if fixture_id in self._dropped:
                return None
            put = self._put.get(fixture_id)
        if put is not None:
            return put if events else without_details(put)
        if fixture_id not in self.world.by_id:
            return None
        return self.world.fixture_at(fixture_id, now, events)

    def _listed(self, now: datetime, events: bool = False) -> list[Json]:
        with self._lock:
            ids = dict.fromkeys((*self.world.fixture_ids, *self._put))
        return _present(self.fixture(fixture_id, now, events) for fixture_id in ids)

    def _fixtures(self, params: Params, now: datetime) -> list[Json]:
        _only(params, {"id", "ids", "date", "live", "league", "season", "timezone"})
        if "ids" in params:
            ids = _ids(params["ids"])
            if len(ids) > MOST_IDS:
                return []
            return _present(self.fixture(fixture_id, now) for fixture_id in ids)
        if "id" in params:
            return _present([self.fixture(_number(params, "id"), now)])
        if "live" in params:
            return self._live(params["live"], now)
        if "date" in params:
            return self._on(_date(params["date"]), now)
        if "league" in params:
            league, season = _number(params, "league"), _number(params, "season")
            return [
                fixture
                for fixture in self._listed(now)
                if fixture["league"]["id"] == league and fixture["league"]["season"] == season
            ]
        raise Refused({"required": "At least one parameter is required."})

    def _on(self, day: date, now: datetime) -> list[Json]:
        return [
            fixture
            for fixture in self._listed(now)
            if str(fixture["fixture"]["date"]).startswith(day.isoformat())
        ]

    def _live(self, wanted: str, now: datetime) -> list[Json]:
        leagues = None if wanted == "all" else set(_ids(wanted, "live"))
        return [
            without_details(fixture, keep=("events",))
            for fixture in self._listed(now, events=True)
            if fixture["fixture"]["status"]["short"] in IN_PLAY
            and (leagues is None or fixture["league"]["id"] in leagues)
        ]

    def _events(self, params: Params, now: datetime) -> list[Json]:
        _only(params, {"fixture"})
        fixture = self.fixture(_number(params, "fixture"), now)
        return list(fixture.get("events", [])) if fixture else []

    def _teams(self, params: Params, now: datetime) -> list[Json]:
        _only(params, {"id", "league", "season"})
        if "id" in params:
            wanted = _number(params, "id")
            club = self.clubs().get(wanted)
            if club is None:
                return [TEAMS[wanted]] if wanted in TEAMS else []
            return [team_json(club)]
        league, season = _number(params, "league"), _number(params, "season")
        if league not in LEAGUES or season not in self._seasons():
            return []
        return [team_json(club) for club in clubs_of(league)]

    def _leagues(self, params: Params, now: datetime) -> list[Json]:
        _only(params, {"id", "season", "current"})
        wanted = [_number(params, "id")] if "id" in params else list(LEAGUES)
        return [self._league_json(league) for league in wanted if league in LEAGUES]

    def _seasons(self) -> range:
        current = season_of(self.world.day)
        return range(current - SEASONS_KNOWN + 1, current + 1)

    def _league_json(self, league_id: int) -> Json:
        league = LEAGUES[league_id]
        return {
            "league": {
                "id": league.id,
                "name": league.name,
                "type": league.kind,
                "logo": league.logo,
            },
            "country": {"name": league.country, "code": None, "flag": league.flag},
            "seasons": [
                {
                    "year": year,
                    "start": f"{year}-08-08",
                    "end": f"{year + 1}-06-01",
                    "current": year == season_of(self.world.day),
                }
                for year in self._seasons()
            ],
        }

    def clubs(self) -> dict[int, Club]:
        playing = {
            club.id: club for script in self.world.scripts for club in (script.home, script.away)
        }
        return all_clubs() | playing


def team_json(club: Club) -> Json:
    return {
        "team": {
            "id": club.id,
            "name": club.name,
            "code": club.code,
            "country": club.country,
            "founded": club.founded,
            "national": False,
            "logo": club.logo,
        },
        "venue": {
            "id": club.venue_id,
            "name": club.venue,
            "address": f"1 {club.city} Road",
            "city": club.city,
            "capacity": 20_000 + club.id % 400 * 100,
            "surface": "grass",
            "image": f"https://media.api-sports.io/football/venues/{club.venue_id}.png",
        },
    }


def _present(fixtures: Iterable[Json | None]) -> list[Json]:
    return [fixture for fixture in fixtures if fixture is not None]


def _only(params: Params, known: set[str]) -> None:
    strange = {name: f"The {name.capitalize()} field do not exist." for name in params}
    for name in known:
        strange.pop(name, None)
    if strange:
        raise Refused(strange)


def _number(params: Params, name: str) -> int:
    if name not in params:
        raise Refused({name: f"The {name.capitalize()} field is required."})
    if not params[name].isascii() or not params[name].isdigit():
        raise Refused({name: f"The {name.capitalize()} field must contain an integer."})
    return int(params[name])


def _ids(text: str, name: str = "ids") -> list[int]:
    if not re.fullmatch(r"\d+(-\d+)*", text, re.ASCII):
        raise Refused({name: f"The {name.capitalize()} field must be in the format id-id-id."})
    return list(dict.fromkeys(int(part) for part in text.split("-")))


def _date(text: str) -> date:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused({"date": "The Date field must contain a valid date in the format YYYY-MM-DD."})
