"""The HTTP client of API-Football v3: retries, quota, errors that come as HTTP 200."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from footy_assets.discovery.team_facts import TeamAnswer, TeamProfile
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.history.documents import Wanted
from footy_assets.history.feed import Page
from footy_assets.matchday.feed import Answer, Failure, SeasonSpan
from footy_assets.matchday.pace import Quota
from footy_assets.retries import RETRIES, RetryPolicy
from resources.api_football.models import (
    ApiAccount,
    ApiLeagueSeasons,
    ApiTeamEntry,
    ApiTeamProfile,
    Envelope,
)
from resources.api_football.translate import read_fixtures, team_profile

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

    The requests of one call go out side by side.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        retry: RetryPolicy = RETRIES["provider"],
        timeout: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.calls = 0
        self.quota: Quota | None = None
        self._key = key.strip() if key else None
        self._retry = retry
        self._timeout = timeout or retry.timeout
        self._sleep = sleep
        self._runner = asyncio.Runner()
        self._client: httpx.AsyncClient | None = None

    def __enter__(self) -> "ApiFootball":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._client is not None:
            self._runner.run(self._client.aclose())
            self._client = None
        self._runner.close()

    # -- the Feed -------------------------------------------------------------------------

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        """F7: at most 20 ids a request, all requests at once, one failing alone."""
        batches = [ids[n : n + IDS_PER_REQUEST] for n in range(0, len(ids), IDS_PER_REQUEST)]
        answer = Answer()
        calls_before = self.calls
        for part in self._runner.run(self._batches(batches, within)):
            answer.absorb(part)
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def by_date(self, day: date) -> Answer:
        calls_before = self.calls
        items = self._runner.run(self._pages("/fixtures", {"date": day.isoformat()}))
        answer = read_fixtures(items)
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def team_ids(self, league_id: int, season: int) -> list[int]:
        query = {"league": league_id, "season": season}
        items = self._runner.run(self._pages("/teams", query))
        return [_read(ApiTeamEntry, item, "/teams").team.id for item in items]

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        items = self._runner.run(self._pages("/leagues", {"id": league_id}))
        return [
            SeasonSpan(season.year, season.start, season.end)
            for item in items
            for season in _read(ApiLeagueSeasons, item, "/leagues").seasons
        ]

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer:
        """S3: each team's country and ground; one request a team, one failing alone."""
        calls_before = self.calls
        answer = self._runner.run(self._teams(list(dict.fromkeys(ids)), within))
        answer.calls = self.calls - calls_before
        return answer

    def pages(self, wanted: Sequence[Wanted], within: float) -> list[Page | ProviderError]:
        """Y6: each request once and side by side; whoever asks keeps count of the tries."""

        async def ask(one: Wanted) -> Page | ProviderError:
            try:
                async with asyncio.timeout(within):
                    envelope = await self._get_once(one.path, dict(one.query))
            except TimeoutError:
                return ProviderUnavailable(f"no answer within {within:g} s")
            except ProviderError as error:
                return error
            return Page(envelope.response, envelope.paging.total)

        async def ask_all() -> list[Page | ProviderError]:
            return await asyncio.gather(*map(ask, wanted))

        return self._runner.run(ask_all())

    def account(self) -> ApiAccount:
        envelope = self._runner.run(self._get("/status", {}))
        return _read(ApiAccount, envelope.response, "/status")

    # -- requests -------------------------------------------------------------------------

    async def _batches(
        self, batches: Sequence[Sequence[int]], within: float | None
    ) -> list[Answer]:
        gate = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def ask(batch: Sequence[int]) -> Answer:
            try:
                # The wait for the gate counts: a cycle must end in time however many batches.
                async with asyncio.timeout(within), gate:
                    query = {"ids": "-".join(map(str, batch))}
                    return read_fixtures(await self._pages("/fixtures", query))
            except TimeoutError:
                reason = f"no answer within {within:g} s"
            except ProviderError as error:
                reason = str(error)
            failure = Failure(f"fixtures {batch[0]}…{batch[-1]}", reason, tuple(batch))
            return Answer(failures=[failure])

        answers = await asyncio.gather(*(ask(batch) for batch in batches))
        for batch, answer in zip(batches, answers, strict=True):
            unread = {piece.subject for piece in answer.unreadable}
            if answer.failures:
                continue
            answer.failures += [
                Failure(f"fixture {id_}", "asked for, but not in the answer")
                for id_ in batch
                if id_ not in answer.sightings and f"fixture {id_}" not in unread
            ]
        return answers

    async def _teams(self, ids: Sequence[int], within: float | None) -> TeamAnswer:
        gate = asyncio.Semaphore(TEAMS_AT_ONCE)

        async def ask(id_: int) -> TeamProfile | str:
            try:
                async with asyncio.timeout(within), gate:
                    found = await self._pages("/teams", {"id": id_})
                if not found:
                    return "the provider knows no such team"
                return team_profile(_read(ApiTeamProfile, found[0], "/teams"))
            except TimeoutError:
                return f"no answer within {within:g} s"
            except ProviderError as error:
                return str(error)

        answer = TeamAnswer()
        for id_, told in zip(ids, await asyncio.gather(*map(ask, ids)), strict=True):
            if isinstance(told, TeamProfile):
                answer.profiles[id_] = told
            else:
                answer.failures[id_] = told
        return answer

    async def _pages(self, path: str, query: Mapping[str, Any]) -> list[Any]:
        envelope = await self._get(path, query)
        items = list(envelope.response)
        for page in range(2, envelope.paging.total + 1):
            items += list((await self._get(path, {**query, "page": page})).response)
        return items

    async def _get(self, path: str, query: Mapping[str, Any]) -> Envelope:
        waits = self._retry.waits()
        for attempt in range(self._retry.attempts):
            try:
                return await self._get_once(path, query)
            except ProviderError as error:
                if not error.retryable or attempt == len(waits):
                    raise
            await self._sleep(waits[attempt])
        raise AssertionError("the last attempt returns or raises")

    async def _get_once(self, path: str, query: Mapping[str, Any]) -> Envelope:
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers={"x-apisports-key": self._key} if self._key else {},
                timeout=self._timeout,
                verify=self.base_url.startswith("https"),
            )
        self.calls += 1
        try:
            response = await self._client.get(f"{self.base_url}{path}", params=dict(query))
        except httpx.LocalProtocolError:
            # Its text holds the header that is wrong: it may be the key.
            raise ProviderUnavailable(
                f"API-Football at {self.base_url}: no valid request"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"API-Football at {self.base_url}: {why}") from error
        self._read_quota(response.headers)
        return _envelope(response, path)

    def _read_quota(self, headers: httpx.Headers) -> None:
        figures = {}
        for name, header in QUOTA_HEADERS.items():
            text = headers.get(header, "")
            if text.lstrip("-").isdigit():
                figures[name] = int(text)
        if figures:
            self.quota = Quota(**figures)


def _envelope(response: httpx.Response, path: str) -> Envelope:
    """An HTTP answer as an envelope, or the one failure class that says what is wrong."""
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
        raise ProviderUnavailable(f"API-Football's answer to {path} is not its JSON") from error
    if envelope.complaints:
        raise _complaint(envelope.complaints)
    return envelope


def _complaint(complaints: Mapping[str, str]) -> ProviderError:
    """F7: HTTP 200 with a non-empty `errors` is a failure; which one, its field says."""
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


def _read(model: type[ApiEntry], item: Any, path: str) -> ApiEntry:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        raise ProviderAnswerInvalid(f"API-Football's {path} has an unknown form") from error
