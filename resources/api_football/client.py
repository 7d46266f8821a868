"""The HTTP client of API-Football v3: retries, quota, errors that come as HTTP 200."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel

from footy_assets.clock import Clock, SystemClock
from footy_assets.errors import ProviderError, ProviderPlanLimited, ProviderUnavailable
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.matchday.rules.feed import Answer, Failure, SeasonSpan
from footy_assets.matchday.rules.pace import Quota, has_requests_to_spare, lowest
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.team_facts import TeamAnswer, TeamProfile
from resources.answers import send_bounded_async
from resources.api_football.models import (
    ApiAccount,
    ApiFixture,
    ApiLeagueSeasons,
    ApiTeamEntry,
    ApiTeamProfile,
    Envelope,
)
from resources.api_football.plan import PlanMemory
from resources.api_football.responses import parse_entry, parse_response, read_quota
from resources.api_football.sparing import IDS_REFUSED, SparingPoll
from resources.api_football.translate import parse_fixtures, team_profile
from resources.running import run_in
from resources.tls import verify_for

IDS_PER_REQUEST = 20
REQUESTS_AT_ONCE = 10
TEAMS_AT_ONCE = 4

Fetched = TypeVar("Fetched")


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
        clock: Clock | None = None,
        plan: PlanMemory | None = None,
    ) -> None:
        """`plan` is what earlier clients of this key know of its plan."""
        self.base_url = base_url.rstrip("/")
        self.calls = 0
        self.quota: Quota | None = None
        self.quota_readings = 0
        self._key = key.strip() if key else None
        self._retry = retry
        self._timeout = timeout or retry.timeout
        self._sleep = sleep
        self._transport = transport
        self._clock = clock or SystemClock()
        self._plan = plan or PlanMemory()
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
        """F7: at most 20 ids a request, in parallel; one failure does not affect the others.

        A plan that refuses `ids` is polled with few requests: see `plan.py`. `within` is for all.
        """
        answer, ends = Answer(), None if within is None else time.monotonic() + within
        calls_before = self.calls
        if self._plan.allows_ids(self._clock.now()):
            answer = self._by_ids_in_batches(ids, ends)
        if not self._plan.allows_ids(self._clock.now()):
            answer = Answer(warnings=answer.warnings)
            answer.merge(run_in(self._runner, self._by_ids_sparingly(ids, _left(ends))))
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def by_date(self, day: date, within: float | None = None) -> Answer:
        calls_before = self.calls
        answer = parse_fixtures(
            self._fetch_within(self._fixtures({"date": day.isoformat()}), "/fixtures", within)
        )
        answer.calls, answer.quota = self.calls - calls_before, self.quota
        return answer

    def days_with_matches(self, first: date, last: date) -> None:
        """It lists all leagues of a day together, so a day is one request."""

    def team_ids(self, league_id: int, season: int) -> list[int]:
        query = {"league": league_id, "season": season}
        items = self.items("/teams", query)
        return [parse_entry(ApiTeamEntry, item, "/teams").team.id for item in items]

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        items = self.items("/leagues", {"id": league_id})
        return [
            SeasonSpan(season.year, season.start, season.end)
            for item in items
            for season in parse_entry(ApiLeagueSeasons, item, "/leagues").seasons
        ]

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer:
        """SE3: each team's country and venue; one request a team; one failure affects no other."""
        calls_before = self.calls
        answer = run_in(self._runner, self._teams(list(dict.fromkeys(ids)), within))
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

        return run_in(self._runner, fetch_all())

    def items(self, path: str, query: Mapping[str, Any], within: float | None = None) -> list[Any]:
        """The entries of an answer, unparsed. Raises `ProviderError`."""
        return self._fetch_within(self._entries(path, query), path, within)

    def account(self) -> ApiAccount:
        envelope = run_in(self._runner, self._get("/status", {}))
        return parse_entry(ApiAccount, envelope.response, "/status")

    # -- requests -------------------------------------------------------------------------

    def _fetch_within(
        self, request: Coroutine[Any, Any, Fetched], path: str, within: float | None
    ) -> Fetched:
        async def fetch() -> Fetched:
            try:
                async with asyncio.timeout(within):
                    return await request
            except TimeoutError:
                reason = f"API-Football: no answer to {path} within {within:g} s"
                raise ProviderUnavailable(reason) from None

        return run_in(self._runner, fetch())

    def _by_ids_in_batches(self, ids: Sequence[int], ends: float | None) -> Answer:
        batches = [ids[n : n + IDS_PER_REQUEST] for n in range(0, len(ids), IDS_PER_REQUEST)]
        # After a refusal one request is enough to see whether the plan was upgraded.
        first = 1 if self._plan.ids_refused_at is not None else len(batches)
        answer = Answer()
        for part in (batches[:first], batches[first:]):
            if not part or answer.warnings:
                continue
            for found in run_in(self._runner, self._batches(part, _left(ends))):
                answer.merge(found)
        return answer

    async def _by_ids_sparingly(self, ids: Sequence[int], within: float | None) -> Answer:
        now = self._clock.now()
        poll = SparingPoll(self._plan, now, self._fixtures, lambda: self.quota)
        try:
            async with asyncio.timeout(within):
                await poll.run(ids)
        except TimeoutError:
            unseen = [id_ for id_ in ids if id_ not in poll.answer.sightings]
            wanted = tuple(self._plan.may_be_in_play(unseen, now))
            reason = f"no answer within {within:g} s"
            poll.answer.failures.append(Failure("the matches in play", reason, wanted))
            poll.answer.skipped -= {*poll.answer.sightings, *wanted}
        return poll.answer

    async def _batches(
        self, batches: Sequence[Sequence[int]], within: float | None
    ) -> list[Answer]:
        gate = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def request(batch: Sequence[int]) -> Answer:
            try:
                # Waiting for the gate counts: a poll must end in time, however many batches.
                async with asyncio.timeout(within), gate:
                    query = {"ids": "-".join(map(str, batch))}
                    return parse_fixtures(await self._fixtures(query))
            except TimeoutError:
                reason = f"no answer within {within:g} s"
            except ProviderPlanLimited as error:
                self._plan.refuse_ids(self._clock.now())
                return Answer(warnings=[f"{str(error).rstrip('.')}. {IDS_REFUSED}."])
            except ProviderError as error:
                reason = str(error)
            failure = Failure(f"fixtures {batch[0]}…{batch[-1]}", reason, tuple(batch))
            return Answer(failures=[failure])

        answers = await asyncio.gather(*(request(batch) for batch in batches))
        for batch, answer in zip(batches, answers, strict=True):
            unread = {piece.subject for piece in answer.unreadable}
            if answer.failures or answer.warnings:
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
                    if kept := self._kept_for_polls():
                        return kept
                    found = await self._entries("/teams", {"id": id_})
                if not found:
                    return "the provider has no such team"
                return team_profile(parse_entry(ApiTeamProfile, found[0], "/teams"))
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

    def _kept_for_polls(self) -> str | None:
        """Why a small plan's requests are not spent on profiles of teams; None if they are."""
        if self.quota is None or has_requests_to_spare(self.quota):
            return None
        left = self.quota.day_remaining
        return f"not requested: the {left} requests left today are for live matches"

    async def _fixtures(self, query: Mapping[str, Any]) -> list[bytes]:
        """Each still JSON, without what we do not use: most of them are as in the last answer, and
        are not decoded (F10)."""
        pages = await self._pages("/fixtures", query, ApiFixture)
        return [item for page in pages for item in page.items]

    async def _entries(self, path: str, query: Mapping[str, Any]) -> list[Any]:
        return [item for page in await self._pages(path, query) for item in page.response]

    async def _pages(
        self, path: str, query: Mapping[str, Any], item: type[BaseModel] | None = None
    ) -> list[Envelope]:
        first = await self._get(path, query, item)
        others = range(2, first.paging.total + 1)
        return [first, *[await self._get(path, {**query, "page": page}, item) for page in others]]

    async def _get(
        self, path: str, query: Mapping[str, Any], item: type[BaseModel] | None = None
    ) -> Envelope:
        return await self._retry.retrying_async(self._sleep)(self._get_once, path, query, item)

    async def _get_once(
        self, path: str, query: Mapping[str, Any], item: type[BaseModel] | None = None
    ) -> Envelope:
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
        return parse_response(response, path, item)

    def _read_quota(self, headers: httpx.Headers, readings_before: int) -> None:
        """Of parallel requests, the one counted last has the lowest figure."""
        if (quota := read_quota(headers)) is not None:
            alone = self.quota_readings == readings_before
            self.quota = quota if alone else lowest(self.quota, quota)
            self.quota_readings += 1


def _left(ends: float | None) -> float | None:
    """Seconds until a time of `time.monotonic`, for messages rounded."""
    return None if ends is None else max(0.0, round(ends - time.monotonic(), 2))
