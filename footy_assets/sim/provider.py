"""The provider's endpoints as functions of its parameters and an instant: no HTTP here."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from datetime import date, datetime, timedelta
from threading import Lock

from footy_assets.sim import feed, season_responses
from footy_assets.sim.clubs import LEAGUES, TOP_LEAGUES, Club, all_clubs, clubs_of, season_of
from footy_assets.sim.feed import Json, without_details
from footy_assets.sim.line_ups import line_ups_json
from footy_assets.sim.matchday import FIRST_DAY, MATCHES_A_DAY
from footy_assets.sim.parameters import (
    InvalidParameters,
    Params,
    date_of,
    ids_of,
    number,
    reject_unknown,
)
from footy_assets.sim.past_season import past_season
from footy_assets.sim.real_teams import TEAMS
from footy_assets.sim.script import MatchScript
from footy_assets.sim.statuses import IN_PLAY
from footy_assets.sim.world import World

MOST_IDS = 20
SEASONS_KNOWN = 5


class Provider:
    """The endpoints over a world, with fixtures that a test has put or dropped."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._put: dict[int, Json] = {}
        self._dropped: set[int] = set()
        self._lock = Lock()
        self._endpoints: dict[str, Callable[[Params, datetime], list[Json] | Json]] = {
            "/fixtures": self._fixtures,
            "/fixtures/events": self._events,
            "/fixtures/lineups": self._line_ups,
            "/teams": self._teams,
            "/leagues": self._leagues,
            "/venues": self._venues,
            "/teams/statistics": self._statistics,
            "/players": self._players,
            "/players/squads": self._squads,
            "/transfers": self._transfers,
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

    def answer(self, path: str, params: Params, now: datetime) -> list[Json] | Json:
        endpoint = self._endpoints.get(path)
        if endpoint is None:
            raise InvalidParameters({"endpoint": "This endpoint do not exist."})
        return endpoint(params, now)

    def current_season_answer(self, path: str, params: Params, now: datetime) -> list[Json] | Json:
        """The response of an endpoint that ignores the requested season."""
        current = {**params, "season": str(season_of(self.world.day))}
        found: list[Json] | Json = season_responses.relabelled(
            self.answer(path, current, now), number(params, "season")
        )
        return found

    def paging(self, path: str, params: Params) -> Json:
        if path != "/players":
            return {"current": 1, "total": 1}
        team, season, page = self._page(params)
        return {"current": page, "total": season_responses.players(team, season, page)[1]}

    def fixture(self, fixture_id: int, now: datetime, events: bool = True) -> Json | None:
        with self._lock:
            if fixture_id in self._dropped:
                return None
            put = self._put.get(fixture_id)
        if put is not None:
            return put if events else without_details(put)
        if fixture_id not in self.world.by_id:
            since = fixture_id // MATCHES_A_DAY
            if since > (date.max - FIRST_DAY).days:
                return None
            day = FIRST_DAY + timedelta(days=since)
            of_the_day = {script.fixture_id: script for script in self._past_matches(day)}
            script = of_the_day.get(fixture_id)
            return feed.fixture_at(script, now, events) if script else None
        return self.world.fixture_at(fixture_id, now, events)

    def script(self, fixture_id: int) -> MatchScript | None:
        """None for one of a past season, or that a test has put or dropped."""
        with self._lock:
            if fixture_id in self._dropped or fixture_id in self._put:
                return None
        return self.world.by_id.get(fixture_id)

    def listed_ids(self) -> tuple[int, ...]:
        """The fixtures of the world, and those that a test has put."""
        with self._lock:
            return tuple(dict.fromkeys((*self.world.fixture_ids, *self._put)))

    def _past_matches(self, day: date) -> list[MatchScript]:
        """The matches of a day of a season that is over."""
        season = season_of(day)
        return season_responses.on(day, [season]) if season in self._seasons()[:-1] else []

    def listed(self, now: datetime, events: bool = False) -> list[Json]:
        return _present(self.fixture(fixture_id, now, events) for fixture_id in self.listed_ids())

    def _fixtures(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"id", "ids", "date", "live", "league", "season", "timezone"})
        if "ids" in params:
            ids = ids_of(params["ids"])
            if len(ids) > MOST_IDS:
                return []
            return _present(self.fixture(fixture_id, now) for fixture_id in ids)
        if "id" in params:
            return _present([self.fixture(number(params, "id"), now)])
        if "live" in params:
            return self._live(params["live"], now)
        if "date" in params:
            return self._on(date_of(params["date"]), now)
        if "league" in params:
            league, season = number(params, "league"), number(params, "season")
            if season in self._seasons()[:-1] and league in TOP_LEAGUES:
                matches = past_season(league, season).matches
                return [feed.fixture_at(script, now, False) for script in matches]
            return [
                fixture
                for fixture in self.listed(now)
                if fixture["league"]["id"] == league and fixture["league"]["season"] == season
            ]
        raise InvalidParameters({"required": "At least one parameter is required."})

    def _on(self, day: date, now: datetime) -> list[Json]:
        return [
            *(feed.fixture_at(script, now, False) for script in self._past_matches(day)),
            *(
                fixture
                for fixture in self.listed(now)
                if str(fixture["fixture"]["date"]).startswith(day.isoformat())
            ),
        ]

    def _live(self, wanted: str, now: datetime) -> list[Json]:
        leagues = None if wanted == "all" else set(ids_of(wanted, "live"))
        return [
            without_details(fixture, keep=("events",))
            for fixture in self.listed(now, events=True)
            if fixture["fixture"]["status"]["short"] in IN_PLAY
            and (leagues is None or fixture["league"]["id"] in leagues)
        ]

    def _events(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"fixture"})
        fixture = self.fixture(number(params, "fixture"), now)
        return list(fixture.get("events", [])) if fixture else []

    def _line_ups(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"fixture"})
        script = self.script(number(params, "fixture"))
        return [] if script is None else line_ups_json(script, now)

    def _teams(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"id", "league", "season"})
        if "id" in params:
            wanted = number(params, "id")
            club = self.clubs().get(wanted)
            if club is None:
                return [TEAMS[wanted]] if wanted in TEAMS else []
            return [team_json(club)]
        league, season = number(params, "league"), number(params, "season")
        if league not in LEAGUES or season not in self._seasons():
            return []
        return [team_json(club) for club in clubs_of(league)]

    def _leagues(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"id", "season", "current"})
        wanted = [number(params, "id")] if "id" in params else list(LEAGUES)
        found = [self._league_json(league) for league in wanted if league in LEAGUES]
        if "season" not in params:
            return found
        year = number(params, "season")
        of_year = [
            {**one, "seasons": [season for season in one["seasons"] if season["year"] == year]}
            for one in found
        ]
        return [one for one in of_year if one["seasons"]]

    def _venues(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"id"})
        return season_responses.venues(number(params, "id"))

    def _statistics(self, params: Params, now: datetime) -> list[Json] | Json:
        reject_unknown(params, {"league", "season", "team"})
        season = number(params, "season")
        if season not in self._seasons():
            return []
        return season_responses.statistics(number(params, "league"), season, number(params, "team"))

    def _players(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"team", "season", "page"})
        team, season, page = self._page(params)
        return season_responses.players(team, season, page)[0] if season in self._seasons() else []

    def _page(self, params: Params) -> tuple[int, int, int]:
        page = number(params, "page") if "page" in params else 1
        return number(params, "team"), number(params, "season"), page

    def _squads(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"team"})
        return season_responses.squads(number(params, "team"))

    def _transfers(self, params: Params, now: datetime) -> list[Json]:
        reject_unknown(params, {"player"})
        return season_responses.transfers(number(params, "player"), self._seasons())

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
        "venue": season_responses.venue_json(club),
    }


def _present(fixtures: Iterable[Json | None]) -> list[Json]:
    return [fixture for fixture in fixtures if fixture is not None]
