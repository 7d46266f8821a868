"""The HTTP client of ESPN's site API: one request for each competition and US day."""

import asyncio
import re
from collections.abc import Coroutine, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import httpx

from footy_assets import __version__
from footy_assets.clock import Clock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderKnowsNone,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Failure
from footy_assets.providers.rules.adapter import (
    FetchResult,
    LineUpPlayer,
    MatchDetails,
    ProviderMatch,
)
from footy_assets.providers.rules.competitions import league_slug
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import BrowserFigures
from resources.answers import send_bounded_async
from resources.espn.models import EspnSquad, EspnSummary
from resources.espn.responses import (
    ANSWER_CHANGED,
    CHECK_NETWORK,
    NAME,
    content_of,
    parse_answer,
    parse_board,
)
from resources.espn.summary import parse_squad, parse_summary
from resources.refusals import RefusalPolicy, Refusals
from resources.running import run_in
from resources.tls import verify_for

ROOT = "/apis/site/v2/sports/soccer"
REQUESTS_AT_ONCE = 4
# From 600 on ESPN silently returns 25 matches only.
MATCHES_PER_REQUEST = 400
# A `dates` day is one of the USA: midnight there is between these hours of UTC, from the summer of
# the east coast to the winter of the west coast, with an hour to spare.
MIDNIGHT_FROM, MIDNIGHT_UNTIL = timedelta(hours=3), timedelta(hours=9)
SLUG = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")
REFUSALS = (ProviderRefused, ProviderRateLimited)
AFTER_REFUSAL = RefusalPolicy(
    NAME,
    timedelta(minutes=30),
    "Set `contact` of its settings, so that ESPN sees who asks; if it still refuses, switch it off "
    "with `footy sources disable` and use another provider",
    "Wait, or track fewer competitions",
)

CACHED = 1024

# A competition, and a day or month as ESPN writes it.
Board = tuple[str, str]
Returned = TypeVar("Returned")


def user_agent(contact: str | None) -> str:
    """ESPN refuses what looks like a browser or a bare library; we say who we are."""
    return f"footy_assets/{__version__} ({f'+{contact}' if contact else 'no contact set'})"


class Espn:
    """An `Adapter`, `DetailsAdapter` and `SquadAdapter`. Threads may share it; they take turns,
    and all calls share its connections.

    No request is repeated: the next poll is the next try. After a refusal no request is sent for a
    while, also not by `recycle`.
    """

    def __init__(
        self,
        url: str,
        competitions: Sequence[str],
        *,
        clock: Clock,
        contact: str | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._competitions = tuple(dict.fromkeys(competitions))
        self._headers = {"user-agent": user_agent(contact), "accept": "application/json"}
        self._refusals = Refusals(clock, AFTER_REFUSAL)
        self._slug_of_team: dict[str, str] = {}
        self._turn = Lock()
        self._runner = asyncio.Runner()
        self._open_client: httpx.AsyncClient | None = None

    # -- the Adapter ----------------------------------------------------------------------

    def discover(self, day: date, within: float) -> FetchResult:
        """A UTC day is a part of two US days: its own and the one before."""
        days = (day - timedelta(days=1), day)
        boards = [(slug, _dates(us_day)) for slug in self._all_competitions() for us_day in days]
        return self._read(boards, within).on(day)

    def days_with_matches(self, first: date, last: date, within: float) -> frozenset[date]:
        """By the month: a request for each day of a long break would be too many."""
        months = dict.fromkeys(f"{day:%Y%m}" for day in (first - timedelta(days=1), last))
        boards = [(slug, month) for slug in self._all_competitions() for month in months]
        found = self._read(boards, within)
        if found.failures:
            raise ProviderUnavailable(f"{NAME}: {found.failures[0]}", CHECK_NETWORK)
        days = {match.listed.start.date() for match in found.matches}
        return frozenset(day for day in days if first <= day <= last)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        boards = {
            (slug, _dates(day)): None
            for one in wanted
            for slug in self._competitions_of(one)
            for day in us_days(one.start)
        }
        return self._read(list(boards), within)

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None:
        """Opens new connections with the next request."""
        with self._turn:
            self._disconnect()

    def reset(self) -> None:
        """No page is left open."""

    def close(self) -> None:
        with self._turn:
            self._disconnect()
            self._runner.close()

    # -- one match, one team --------------------------------------------------------------

    def details(self, match: ListedMatch, within: float) -> MatchDetails:
        """The summary of a match, for one request."""
        self._refusals.check()
        return self._run(self._summary(match, within, asyncio.Semaphore(), line_ups=True))

    def events(
        self, matches: Sequence[ListedMatch], within: float
    ) -> list[MatchDetails | ProviderError]:
        """The summaries of these matches without their line-ups; one failure affects no other."""
        gate = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def read(match: ListedMatch) -> MatchDetails | ProviderError:
            try:
                return await self._summary(match, within, gate, line_ups=False)
            except ProviderError as error:
                return error

        async def read_all() -> list[MatchDetails | ProviderError]:
            return await asyncio.gather(*map(read, matches))

        return self._run(read_all())

    def squad(
        self, team_id: str, within: float, competition_id: str | None = None
    ) -> tuple[LineUpPlayer, ...]:
        """By a competition of the team: the given one, that it was seen in, or our first."""
        slug = competition_id or self._slug_of_team.get(team_id) or self._any_slug()
        path = f"{slug}/teams/{quote(team_id, safe='')}/roster"
        self._refusals.check()
        content = self._run(self._get(path, {}, within, asyncio.Semaphore()))
        squad = parse_answer(EspnSquad, content, path)
        try:
            return parse_squad(squad, f"{NAME} team {team_id}")
        except ValueError as error:
            raise ProviderAnswerInvalid(f"{NAME}'s {path}: {error}", ANSWER_CHANGED) from error

    # -- competitions ---------------------------------------------------------------------

    def _all_competitions(self) -> tuple[str, ...]:
        if not self._competitions:
            fix = "List slugs such as eng.1 under `competitions` of its settings"
            raise ProviderKnowsNone(f"{NAME}: no competition is set", fix)
        return self._competitions

    def _any_slug(self) -> str:
        return self._all_competitions()[0]

    def _own_slug(self, match: ListedMatch) -> str | None:
        number = match.competition_number
        id_ = match.competition_id or (league_slug(number) if number else None) or ""
        return id_ if id_ in self._competitions or SLUG.fullmatch(id_) else None

    def _competitions_of(self, match: ListedMatch) -> tuple[str, ...]:
        slug = self._own_slug(match)
        return (slug,) if slug else self._all_competitions()

    # -- requests -------------------------------------------------------------------------

    def _read(self, boards: Sequence[Board], within: float) -> FetchResult:
        """One failed request does not affect the others. Raises if there is no answer at all."""
        self._refusals.check()
        outcomes = self._run(self._read_all(boards, within))
        errors = [one for one in outcomes if isinstance(one, ProviderError)]
        refusal = next((one for one in errors if isinstance(one, REFUSALS)), None)
        if errors and len(errors) == len(outcomes):
            raise refusal or errors[0]
        found = [one for one in outcomes if isinstance(one, FetchResult)]
        matches = {match.listed.id: match for one in found for match in one.matches}
        self._remember_teams(matches.values())
        return FetchResult(
            tuple(matches.values()),
            tuple(piece for one in found for piece in one.unreadable),
            tuple(
                Failure(f"{slug} of {dates}", str(one))
                for (slug, dates), one in zip(boards, outcomes, strict=True)
                if isinstance(one, ProviderError)
            ),
            len(boards),
            refusal,
        )

    async def _read_all(
        self, boards: Sequence[Board], within: float
    ) -> list[FetchResult | ProviderError]:
        gate = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def read(board: Board) -> FetchResult | ProviderError:
            slug, dates = board
            query = {"dates": dates, "limit": str(MATCHES_PER_REQUEST)}
            try:
                content = await self._get(f"{slug}/scoreboard", query, within, gate)
                return parse_board(content, slug, dates)
            except ProviderError as error:
                return error

        return await asyncio.gather(*map(read, boards))

    async def _summary(
        self, match: ListedMatch, within: float, gate: asyncio.Semaphore, *, line_ups: bool
    ) -> MatchDetails:
        if not match.id:
            raise ProviderKnowsNone(f"{NAME}: the id of {match.home} – {match.away} is not known")
        path = f"{self._own_slug(match) or self._any_slug()}/summary"
        content = await self._get(path, {"event": match.id}, within, gate)
        summary = parse_answer(EspnSummary, content, path)
        try:
            return parse_summary(summary, f"{NAME} match {match.id}", with_line_ups=line_ups)
        except ValueError as error:
            raise ProviderAnswerInvalid(f"{NAME}'s {path}: {error}", ANSWER_CHANGED) from error

    def _run(self, request: Coroutine[Any, Any, Returned]) -> Returned:
        with self._turn:
            return run_in(self._runner, request)

    def _client(self) -> httpx.AsyncClient:
        """Without a time limit of its own: each request has one."""
        if self._open_client is None:
            self._open_client = httpx.AsyncClient(
                headers=self._headers, timeout=None, verify=verify_for(self._url)
            )
        return self._open_client

    def _disconnect(self) -> None:
        if self._open_client is not None:
            self._runner.run(self._open_client.aclose())
            self._open_client = None

    async def _get(
        self, path: str, query: dict[str, str], within: float, gate: asyncio.Semaphore
    ) -> bytes:
        """Waiting for the gate counts: a poll must end in time, however many competitions."""
        try:
            async with asyncio.timeout(within), gate:
                # One of the requests before may have been refused.
                self._refusals.check()
                url = _address(f"{self._url}{ROOT}/{path}?{urlencode(query)}")
                response = await send_bounded_async(self._client(), "GET", url)
                self._refusals.check_response(response)
        except TimeoutError:
            why = f"no complete answer within {within:g} s"
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}", CHECK_NETWORK) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}", CHECK_NETWORK) from error
        return content_of(response, path)

    def _remember_teams(self, matches: Iterable[ProviderMatch]) -> None:
        for match in matches:
            for team in (match.home, match.away):
                if team is not None and match.league is not None:
                    self._slug_of_team.setdefault(team.id, match.league.id)


@lru_cache(maxsize=CACHED)
def _address(url: str) -> httpx.URL:
    """Cached: to parse an address takes as long as to parse two matches."""
    return httpx.URL(url)


@lru_cache(maxsize=CACHED)
def us_days(start: datetime) -> tuple[date, ...]:
    """The `dates` days that a match may be listed under: two near midnight in the USA."""
    utc = start.astimezone(UTC)
    return tuple(sorted({(utc - MIDNIGHT_FROM).date(), (utc - MIDNIGHT_UNTIL).date()}))


def _dates(day: date) -> str:
    return f"{day:%Y%m%d}"
