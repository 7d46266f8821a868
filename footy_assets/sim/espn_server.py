"""ESPN's endpoints: a scoreboard for each competition, a summary for each match, rosters."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from footy_assets.sim import espn_words as words
from footy_assets.sim.espn import scoreboard_event, season_name, us_day
from footy_assets.sim.espn_plays import Play, plays_of, with_last_stoppage
from footy_assets.sim.espn_rosters import team_roster
from footy_assets.sim.espn_summary import summary_json
from footy_assets.sim.feed import Json
from footy_assets.sim.provider import Provider
from footy_assets.sim.provider_faults import EspnFaults, counted_down

PATH = "/apis/site/v2/sports/soccer"
USUAL_LIMIT = 100
# From here on `limit` is not obeyed.
LIMIT_TOO_HIGH = 600
CUT_TO = 25
# Every competition at once, but only so many matches.
ALL = "all"
MOST_OF_ALL = 100
SLUG = re.compile(r"[a-z]+(\.[a-z0-9_]+)+")
# A day, a month or a year.
DATES = re.compile(r"\d{4}(\d{2}(\d{2})?)?", re.ASCII)
# Browsers and the defaults of libraries: clients that do not say who they are.
REFUSED_AGENTS = re.compile(
    r"\s*$|mozilla/|python-|aiohttp|wget|deno|node|axios|go-http-client|java/|okhttp",
    re.IGNORECASE,
)
BAD_REQUEST = 400
NOT_FOUND = 404


@dataclass(frozen=True)
class EspnError(Exception):
    status: int
    message: str

    @property
    def body(self) -> Json:
        return {"code": self.status, "message": self.message}


def refuses(user_agent: str | None) -> bool:
    return REFUSED_AGENTS.match(user_agent or "") is not None


class EspnEndpoints:
    """The endpoints over a provider's fixtures, at an instant and with faults."""

    def __init__(self, provider: Provider, faults: EspnFaults, now: datetime) -> None:
        self._provider, self._faults = provider, faults
        self._now = faults.lens.time(now)

    def scoreboard(self, slug: str, params: Mapping[str, str]) -> Json:
        if slug != ALL and not SLUG.fullmatch(slug):
            raise EspnError(BAD_REQUEST, f"Failed to get league for {slug}.")
        dates = params.get("dates", us_day(self._now))
        if not DATES.fullmatch(dates):
            raise EspnError(BAD_REQUEST, "Invalid dates parameter.")
        limit = _limit(params.get("limit"))
        if slug == ALL:
            limit = min(limit, MOST_OF_ALL)
        matches = list(islice(self._matches(slug, dates), limit))
        league = words.LEAGUES.get(words.LEAGUE_OF_SLUG.get(slug, 0))
        return {
            "leagues": [] if league is None else [self._league(league)],
            "season": {"type": 12_654, "year": self._season},
            "day": {"date": us_day(self._now)},
            "events": matches,
        }

    def summary(self, event: str) -> Json:
        fixture_id = words.sim_id(event)
        fixture = None if fixture_id is None else self._fixture(fixture_id)
        if fixture_id is None or fixture is None:
            raise EspnError(NOT_FOUND, f"No event found for {event or 'none'}.")
        script = self._provider.script(fixture_id)
        fixture, plays = self._with_faults(fixture)
        return summary_json(fixture, plays, script, self._now)

    def roster(self, team: str) -> Json:
        club = self._provider.clubs().get(words.sim_id(team) or 0)
        if club is None:
            raise EspnError(NOT_FOUND, f"No team found for {team}.")
        return team_roster(club, self._now)

    @property
    def _season(self) -> int:
        return self._now.year if self._now.month >= 7 else self._now.year - 1

    def _league(self, league: words.EspnLeague) -> Json:
        name = season_name(self._season, league.name)
        return {
            "id": str(league.id),
            "uid": f"s:600~l:{league.id}",
            "name": league.name,
            "abbreviation": league.abbreviation,
            "slug": league.slug,
            "season": {"year": self._season, "displayName": name},
            "calendarType": "day",
            "calendar": [],
        }

    def _matches(self, slug: str, dates: str) -> Iterator[Json]:
        for fixture_id in self._provider.listed_ids():
            if not self._may_list(fixture_id, slug, dates):
                continue
            fixture = self._fixture(fixture_id)
            if fixture is None or not _lists(fixture, slug, dates):
                continue
            if counted_down(self._faults.missing_matches, fixture_id):
                continue
            fixture, plays = self._with_faults(fixture)
            goals = [play for play in plays if play.is_goal]
            if goals and counted_down(self._faults.missing_goals, fixture_id):
                newest = max(goals, key=lambda play: play.listed_at)
                plays = tuple(play for play in plays if play is not newest)
            yield scoreboard_event(fixture, plays)

    def _may_list(self, fixture_id: int, slug: str, dates: str) -> bool:
        """False if the script alone says no: its JSON need not be made."""
        script = self._provider.script(fixture_id)
        if script is None:
            return True
        if slug not in (ALL, _slug(script.league.id)):
            return False
        return us_day(script.timetable.kickoff_at(self._now)).startswith(dates)

    def _fixture(self, fixture_id: int) -> Json | None:
        fixture = self._provider.fixture(fixture_id, self._now)
        return None if fixture is None else self._faults.lens.apply(fixture)

    def _with_faults(self, fixture: Json) -> tuple[Json, tuple[Play, ...]]:
        script = self._provider.script(fixture["fixture"]["id"])
        plays = plays_of(fixture, script, self._now)
        if script is not None:
            fixture = with_last_stoppage(fixture, script, self._now)
        unnamed_for = timedelta(seconds=self._faults.unnamed_seconds)
        plays = tuple(
            play.without_player()
            if play.is_goal and self._now < play.listed_at + unnamed_for
            else play
            for play in plays
        )
        if self._faults.capped_clock:
            core = fixture["fixture"]
            status = {**core["status"], "extra": None}
            fixture = {**fixture, "fixture": {**core, "status": status}}
            plays = tuple(play.without_stoppage() for play in plays)
        return fixture, plays


def _slug(league_id: int) -> str | None:
    league = words.LEAGUES.get(league_id)
    return league.slug if league else None


def _lists(fixture: Json, slug: str, dates: str) -> bool:
    if slug not in (ALL, _slug(fixture["league"]["id"])):
        return False
    return us_day(datetime.fromisoformat(fixture["fixture"]["date"])).startswith(dates)


def _limit(wanted: str | None) -> int:
    if wanted is None or not (wanted.isascii() and wanted.isdigit()):
        return USUAL_LIMIT
    return CUT_TO if int(wanted) >= LIMIT_TOO_HIGH else int(wanted)
