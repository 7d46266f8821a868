"""The HTTP client of OpenLigaDB: one small request for each matchday that has not changed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime, timedelta
from threading import Lock
from typing import TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from footy_assets import __version__
from footy_assets.clock import Clock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.providers.rules.adapter import FetchResult
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import BrowserFigures
from resources.answers import send_bounded_async
from resources.openligadb.matchdays import FetchedMatchday, MatchdayKey
from resources.openligadb.models import LAST_CHANGE, MATCHES
from resources.openligadb.translate import parse_matches, to_match
from resources.refusals import RefusalPolicy, Refusals
from resources.tls import verify_for

NAME = "OpenLigaDB"
USER_AGENT = f"footy-assets/{__version__} (football goal clips) httpx/{httpx.__version__}"
# A matchday has some 25 kB, a round of the cup some 100 kB.
MAX_BYTES = 5_000_000
# How long a matchday counts as the current one, and a neighbour of it as unchanged.
KNOWN_FOR = timedelta(hours=1)
# A matchday is fetched again after this, even if its last change is said to be the same.
UNCHANGED_FOR = timedelta(minutes=10)
# A matchday that was fetched so recently is not checked for changes.
JUST_NOW = timedelta(seconds=10)
AFTER_REFUSAL = RefusalPolicy(
    NAME,
    timedelta(hours=1),
    "Switch it off with `footy sources disable` and the name it has in sources.yaml",
    "Raise its `min_interval` in sources.yaml",
)
CHECK_URL = "Check its url in sources.yaml, and the network"

Parsed = TypeVar("Parsed")


FetchLeague = Callable[[httpx.AsyncClient, str], Awaitable[list[FetchedMatchday]]]


class OpenLigaDb:
    """An `Adapter` of German leagues, by their shortcuts. Threads may share it.

    It knows the current matchday of each league, the one before and the one after; a match that
    was moved further away from its matchday is not found.
    """

    def __init__(self, url: str, leagues: Sequence[str], clock: Clock) -> None:
        self._url, self._clock = url.rstrip("/"), clock
        self._leagues = tuple(dict.fromkeys(league.casefold() for league in leagues))
        self._lock = Lock()
        self._current: dict[str, tuple[MatchdayKey, datetime]] = {}
        self._matchdays: dict[MatchdayKey, FetchedMatchday] = {}
        self._refusals = Refusals(clock, AFTER_REFUSAL)

    def discover(self, day: date, within: float) -> FetchResult:
        async def fetch(client: httpx.AsyncClient, league: str) -> list[FetchedMatchday]:
            return await self._matchdays_of(client, league, [day])

        return self._fetch_leagues(self._leagues, fetch, within).on(day)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        """All matches of the matchdays that may have a wanted one."""
        starts = [one.start for one in wanted]
        days = sorted({start.date() for start in starts})

        async def fetch(client: httpx.AsyncClient, league: str) -> list[FetchedMatchday]:
            known = await self._matchdays_of(client, league, days)
            near = [matchday for matchday in known if matchday.has_kickoff_near(starts)]
            return [await self._refreshed(client, matchday) for matchday in near]

        return self._fetch_leagues(self._leagues_of(wanted), fetch, within)

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None:
        """Forgets every matchday. A refusal stays: asking again at once would not be polite."""
        with self._lock:
            self._current.clear()
            self._matchdays.clear()

    def reset(self) -> None:
        """Nothing is left open."""

    def close(self) -> None:
        """Nothing to close: each call opens its own connection."""

    # -- matchdays ------------------------------------------------------------------------

    def _leagues_of(self, wanted: Sequence[ListedMatch]) -> tuple[str, ...]:
        """The leagues of these matches; all, if that of one of them is not known."""
        named = {(one.competition_id or "").casefold() for one in wanted}
        if "" in named:
            return self._leagues
        return tuple(league for league in self._leagues if league in named)

    async def _matchdays_of(
        self, client: httpx.AsyncClient, league: str, days: Sequence[date]
    ) -> list[FetchedMatchday]:
        current = await self._current_matchday(client, league)
        if current is None:
            return []
        steps = {current.step_towards(day) for day in days}
        neighbours = [current.key.neighbour(step) for step in sorted(steps - {0})]
        return [current, *[await self._known(client, key) for key in neighbours]]

    async def _current_matchday(
        self, client: httpx.AsyncClient, league: str
    ) -> FetchedMatchday | None:
        """None for a league without matches, as between two seasons."""
        now = self._clock.now()
        key, asked_at = self._current.get(league, (None, now))
        if key is not None and now - asked_at < KNOWN_FOR:
            return await self._known(client, key)
        matches, unreadable = parse_matches(
            await self._get(client, f"getmatchdata/{league}", MATCHES)
        )
        first = next((match for match in matches if match.season is not None), None)
        if first is None or first.season is None:
            if unreadable:
                raise ProviderAnswerInvalid(f"{unreadable[0].subject}: {unreadable[0].reason}")
            return None
        key = MatchdayKey(league, first.season, first.group.order)
        self._current[league] = (key, now)
        return self._keep(FetchedMatchday(key, now, None, tuple(matches), tuple(unreadable)))

    async def _known(self, client: httpx.AsyncClient, key: MatchdayKey) -> FetchedMatchday:
        known = self._matchdays.get(key)
        if known is not None and self._clock.now() - known.fetched_at < KNOWN_FOR:
            return known
        return await self._fetched(client, key, None)

    async def _refreshed(
        self, client: httpx.AsyncClient, known: FetchedMatchday
    ) -> FetchedMatchday:
        """The matchday as it is now: fetched only if it has changed."""
        age = self._clock.now() - known.fetched_at
        if age < JUST_NOW:
            return known
        changed = await self._get(client, f"getlastchangedate/{known.key.path}", LAST_CHANGE)
        if changed == known.last_change and age < UNCHANGED_FOR:
            return known
        return await self._fetched(client, known.key, changed)

    async def _fetched(
        self, client: httpx.AsyncClient, key: MatchdayKey, changed: str | None
    ) -> FetchedMatchday:
        """`changed` was read before: a change in between is then noticed at the next request."""
        items = await self._get(client, f"getmatchdata/{key.path}", MATCHES)
        matches, unreadable = parse_matches(items)
        now = self._clock.now()
        return self._keep(FetchedMatchday(key, now, changed, tuple(matches), tuple(unreadable)))

    def _keep(self, matchday: FetchedMatchday) -> FetchedMatchday:
        oldest = self._clock.now() - KNOWN_FOR
        kept = {key: one for key, one in self._matchdays.items() if one.fetched_at > oldest}
        self._matchdays = {**kept, matchday.key: matchday}
        return matchday

    # -- requests -------------------------------------------------------------------------

    def _fetch_leagues(
        self,
        leagues: Sequence[str],
        fetch: FetchLeague,
        within: float,
    ) -> FetchResult:
        """One league after the other. One that fails affects no other, unless all do."""
        with self._lock:
            self._refusals.check()
            try:
                found, errors = asyncio.run(self._each(leagues, fetch, within))
            except TimeoutError:
                why = f"no complete answer within {within:g} s"
                raise ProviderUnavailable(f"{NAME} at {self._url}: {why}", CHECK_URL) from None
        if errors and len(errors) == len(leagues):
            raise next(iter(errors.values()))
        now = self._clock.now()
        failed = [Unreadable(f"{NAME} league {name}", str(error)) for name, error in errors.items()]
        return FetchResult(
            tuple(to_match(match, now) for matchday in found for match in matchday.matches),
            (*(piece for matchday in found for piece in matchday.unreadable), *failed),
        )

    async def _each(
        self,
        leagues: Sequence[str],
        fetch: FetchLeague,
        within: float,
    ) -> tuple[list[FetchedMatchday], dict[str, ProviderError]]:
        found: list[FetchedMatchday] = []
        errors: dict[str, ProviderError] = {}
        headers = {"user-agent": USER_AGENT}
        async with (
            asyncio.timeout(within),
            httpx.AsyncClient(
                timeout=within, headers=headers, verify=verify_for(self._url)
            ) as client,
        ):
            for league in leagues:
                try:
                    found += await fetch(client, league)
                except (ProviderRefused, ProviderRateLimited):
                    raise
                except ProviderError as error:
                    errors[league] = error
        return found, errors

    async def _get(
        self, client: httpx.AsyncClient, path: str, model: TypeAdapter[Parsed]
    ) -> Parsed:
        try:
            response = await send_bounded_async(
                client, "GET", f"{self._url}/{path}", max_bytes=MAX_BYTES
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}", CHECK_URL) from error
        self._check_status(response, path)
        try:
            return model.validate_json(response.content)
        except ValidationError as error:
            why = f"{NAME}'s answer to {path} is not the JSON it should be"
            raise ProviderUnavailable(why, CHECK_URL) from error

    def _check_status(self, response: httpx.Response, path: str) -> None:
        self._refusals.check_response(response)
        status = response.status_code
        if status >= 500:
            raise ProviderUnavailable(f"{NAME} answered {status} to {path}", CHECK_URL)
        if status != httpx.codes.OK:
            raise ProviderAnswerInvalid(f"{NAME} answered {status} to {path}")
