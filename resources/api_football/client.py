"""The HTTP client of API-Football v3: retries, quota, errors that come as HTTP 200."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.matchday.rules.feed import Answer, Failure, SeasonSpan
from footy_assets.matchday.rules.pace import Quota, lowest
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.team_facts import TeamAnswer, TeamProfile
from resources.answers import send_bounded_async
from resources.api_football.models import (
    ApiAccount,
    ApiLeagueSeasons,
    ApiTeamEntry,
    ApiTeamProfile,
    Envelope,
)
from resources.api_football.translate import parse_fixtures, team_profile
from resources.tls import verify_for

IDS_PER_REQUEST = 20
REQUESTS_AT_ONCE = 10
TEAMS_AT_ONCE = 4
QUOTA_HEADERS = {
    "day_limit": "x-ratelimit-requests-limit",
    "day_remaining": "x-ratelimit-requests-remaining",
    "minute_limit": "x-ratelimit-limit",
    "minute_remaining": "x-ratelimit-remaining",
}

ApiEntry = TypeVar("ApiEntry", bound=BaseModel)


class ApiFootball:
    """A `Feed`, a `TeamDirectory` and a `HistoryFeed`. Use as a context manager.

    The requests of one call run in parallel.
    """

    lists_only_tracked = False

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        retry: RetryPolicy = RETRIES["provider"],
        timeout: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.calls = 0
        self.quota: Quota | None = None
        self.quota_readings = 0
        self._key = key.strip() if key else None
        self._retry = retry
        self._timeout = timeout or retry.timeout
        self._sleep = sleep
        self._transport = transport
        self._runner = asyncio.Runner()
        self._client: httpx.AsyncClient | None = None

    def __enter__(self) -> "ApiFootball":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._client is not None:
            self._runner.run(self._client.aclose())
            self._client = None
        self._runner.close()

    # -- the Feed -------------------------------------------------------------------------

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        """F7: at most 20 ids a request, in parallel; one failure does not affect the others."""
        batches = [ids[n : n + IDS_PER_REQUEST] for n in range(0, len(ids), IDS_PER_REQUEST)]
        answer = Answer()
        calls_before = self.calls
        for part in self._runner.run(self._batches(batches, within)):
            answer.merge(part)
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def by_date(self, day: date) -> Answer:
        calls_before = self.calls
        items = self._runner.run(self._pages("/fixtures", {"date": day.isoformat()}))
        answer = parse_fixtures(items)
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def days_with_matches(self, first: date, last: date) -> None:
        """It lists all leagues of a day together, so a day is one request."""

    def team_ids(self, league_id: int, season: int) -> list[int]:
        query = {"league": league_id, "season": season}
        items = self._runner.run(self._pages("/teams", query))
        return [_parse(ApiTeamEntry, item, "/teams").team.id for item in items]

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        items = self._runner.run(self._pages("/leagues", {"id": league_id}))
        return [
            SeasonSpan(season.year, season.start, season.end)
            for item in items
            for season in _parse(ApiLeagueSeasons, item, "/leagues").seasons
        ]

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer:
        """SE3: each team's country and venue; one request a team; one failure affects no other."""
        calls_before = self.calls
        answer = self._runner.run(self._teams(list(dict.fromkeys(ids)), within))
        answer.calls = self.calls - calls_before
        return answer

    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        """Y6: sends each request once, all concurrently; the caller counts the tries."""

        async def fetch(one: DocumentRequest) -> Page | ProviderError:
            try:
                async with asyncio.timeout(within):
                    envelope = await self._get_once(one.path, dict(one.query))
            except TimeoutError:
                return ProviderUnavailable(f"no answer within {within:g} s")
            except ProviderError as error:
                return error
            return Page(envelope.response, envelope.paging.total)

        async def fetch_all() -> list[Page | ProviderError]:
            return await asyncio.gather(*map(fetch, requests))

        return self._runner.run(fetch_all())

    def items(self, path: str, query: Mapping[str, Any], within: float) -> list[Any]:
        """The entries of an answer, unparsed. Raises `ProviderError`."""

        async def request() -> list[Any]:
            try:
                async with asyncio.timeout(within):
                    return await self._pages(path, query)
            except TimeoutError:
                reason = f"API-Football: no answer to {path} within {within:g} s"
                raise ProviderUnavailable(reason) from None

        return self._runner.run(request())

    def account(self) -> ApiAccount:
        envelope = self._runner.run(self._get("/status", {}))
        return _parse(ApiAccount, envelope.response, "/status")

    # -- requests -------------------------------------------------------------------------

    async def _batches(
        self, batches: Sequence[Sequence[int]], within: float | None
    ) -> list[Answer]:
        gate = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def request(batch: Sequence[int]) -> Answer:
            try:
                # Waiting for the gate counts: a poll must end in time, however many batches.
                async with asyncio.timeout(within), gate:
                    query = {"ids": "-".join(map(str, batch))}
                    return parse_fixtures(await self._pages("/fixtures", query))
            except TimeoutError:
                reason = f"no answer within {within:g} s"
            except ProviderError as error:
                reason = str(error)
            failure = Failure(f"fixtures {batch[0]}…{batch[-1]}", reason, tuple(batch))
            return Answer(failures=[failure])

        answers = await asyncio.gather(*(request(batch) for batch in batches))
        for batch, answer in zip(batches, answers, strict=True):
            unread = {piece.subject for piece in answer.unreadable}
            if answer.failures:
                continue
            answer.failures += [
                Failure(f"fixture {id_}", "requested, but not in the answer")
                for id_ in batch
                if id_ not in answer.sightings and f"fixture {id_}" not in unread
            ]
        return answers

    async def _teams(self, ids: Sequence[int], within: float | None) -> TeamAnswer:
        gate = asyncio.Semaphore(TEAMS_AT_ONCE)

        async def request(id_: int) -> TeamProfile | str:
            try:
                async with asyncio.timeout(within), gate:
                    found = await self._pages("/teams", {"id": id_})
                if not found:
                    return "the provider has no such team"
                return team_profile(_parse(ApiTeamProfile, found[0], "/teams"))
            except TimeoutError:
                return f"no answer within {within:g} s"
            except ProviderError as error:
                return str(error)

        answer = TeamAnswer()
        for id_, found in zip(ids, await asyncio.gather(*map(request, ids)), strict=True):
            if isinstance(found, TeamProfile):
                answer.profiles[id_] = found
            else:
                answer.failures[id_] = found
        return answer

    async def _pages(self, path: str, query: Mapping[str, Any]) -> list[Any]:
        envelope = await self._get(path, query)
        items = list(envelope.response)
        for page in range(2, envelope.paging.total + 1):
            items += list((await self._get(path, {**query, "page": page})).response)
        return items

    async def _get(self, path: str, query: Mapping[str, Any]) -> Envelope:
        return await self._retry.retrying_async(self._sleep)(self._get_once, path, query)

    async def _get_once(self, path: str, query: Mapping[str, Any]) -> Envelope:
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers={"x-apisports-key": self._key} if self._key else {},
                timeout=self._timeout,
                verify=verify_for(self.base_url),
                transport=self._transport,
            )
        self.calls += 1
        readings_before = self.quota_readings
        try:
            url = f"{self.base_url}{path}"
            response = await send_bounded_async(self._client, "GET", url, params=dict(query))
        except httpx.LocalProtocolError:
            # The error text contains the invalid header, which may be the key.
            raise ProviderUnavailable(f"API-Football at {self.base_url}: invalid request") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"API-Football at {self.base_url}: {why}") from error
        self._read_quota(response.headers, readings_before)
        return _parse_response(response, path)

    def _read_quota(self, headers: httpx.Headers, readings_before: int) -> None:
        """Of parallel requests, the one counted last has the lowest figure."""
        figures = {}
        for name, header in QUOTA_HEADERS.items():
            text = headers.get(header, "")
            if text.lstrip("-").isdigit():
                figures[name] = int(text)
        if figures:
            quota = Quota(**figures)
            alone = self.quota_readings == readings_before
            self.quota = quota if alone else lowest(self.quota, quota)
            self.quota_readings += 1


def _parse_response(response: httpx.Response, path: str) -> Envelope:
    """Parses a response, or raises the error class that fits."""
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        raise ProviderRateLimited("API-Football: too many requests this minute")
    if status >= 500:
        raise ProviderUnavailable(f"API-Football answered {status} to {path}")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise ProviderRefused(f"API-Football refused the key ({status})")
    if status != httpx.codes.OK:
        raise ProviderAnswerInvalid(f"API-Football answered {status} to {path}")
    try:
        envelope = Envelope.model_validate_json(response.content)
    except ValidationError as error:
        raise ProviderUnavailable(f"API-Football's answer to {path} is not valid JSON") from error
    if envelope.complaints:
        raise _error_of(envelope.complaints)
    return envelope


def _error_of(complaints: Mapping[str, str]) -> ProviderError:
    """F7: HTTP 200 with non-empty `errors` is a failure; its first field says which."""
    text = "; ".join(complaints.values())
    name = next(iter(complaints)).lower()
    if "ratelimit" in name:
        return ProviderRateLimited(f"API-Football: {text}")
    if name == "requests":
        return ProviderQuotaExhausted(f"API-Football: {text}")
    if name in ("token", "access", "key", "account", "plan"):
        return ProviderRefused(f"API-Football: {text}")
    if name in ("bug", "report", "server", "time"):
        return ProviderUnavailable(f"API-Football: {text}")
    return ProviderAnswerInvalid(f"API-Football: {text}")


def _parse(model: type[ApiEntry], item: Any, path: str) -> ApiEntry:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        raise ProviderAnswerInvalid(f"API-Football's {path} has an unknown format") from error
