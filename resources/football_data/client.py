"""The HTTP client of football-data.org v4: one request for all matches of a week."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import httpx
from pydantic import ValidationError

from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.providers.rules.adapter import FetchResult
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import BrowserFigures
from resources.answers import send_bounded_async
from resources.football_data.models import FdAnswer
from resources.football_data.translate import parse_matches
from resources.tls import verify_for

NAME = "football-data.org"
# It refuses more than ten days at once; `dateTo` is exclusive.
MAX_DAYS = 10
# A kickoff near midnight may fall on another day there.
MARGIN = timedelta(days=1)


class FootballData:
    """An `Adapter`. Requests goals and cards, which some plans include.

    It discovers the matches of these competitions, by their codes; without codes all of the plan.
    """

    def __init__(
        self, url: str, token: str | None = None, competitions: Collection[str] = ()
    ) -> None:
        self._url = url.rstrip("/")
        self._competitions = frozenset(competitions)
        self._headers = {"X-Unfold-Goals": "true", "X-Unfold-Bookings": "true"}
        token = (token or "").strip()
        self._token_is_valid = token.isascii() and token.isprintable()
        if token and self._token_is_valid:
            self._headers["X-Auth-Token"] = token

    def discover(self, day: date, within: float) -> FetchResult:
        found = self._fetch_days({day}, within).on(day)
        covered = (
            one
            for one in found.matches
            if not self._competitions or one.listed.competition_id in self._competitions
        )
        return replace(found, matches=tuple(covered))

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        return self._fetch_days({one.start.date() for one in wanted}, within)

    def _fetch_days(self, days: Iterable[date], within: float) -> FetchResult:
        answers = [_parse_response(one) for one in self._request(spans(days), within)]
        return FetchResult(
            tuple(match for answer in answers for match in answer.matches),
            tuple(piece for answer in answers for piece in answer.unreadable),
            requests=len(answers),
        )

    def _request(
        self, wanted: Sequence[tuple[date, date]], within: float
    ) -> Sequence[httpx.Response]:
        if not self._token_is_valid:
            raise ProviderRefused(f"{NAME}: the token is not valid in a header", "Copy it again")
        try:
            return asyncio.run(self._get(wanted, within))
        except TimeoutError:
            why = f"no complete answer within {within:g} s"
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}") from None
        except httpx.LocalProtocolError:
            # The error text contains the invalid header, which may be the token.
            raise ProviderUnavailable(f"{NAME} at {self._url}: invalid request") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}") from error

    async def _get(
        self, wanted: Sequence[tuple[date, date]], within: float
    ) -> Sequence[httpx.Response]:
        """Limits all requests together: httpx's own timeout is per read only."""
        async with (
            asyncio.timeout(within),
            httpx.AsyncClient(timeout=within, verify=verify_for(self._url)) as client,
        ):
            return [
                await send_bounded_async(
                    client,
                    "GET",
                    f"{self._url}/v4/matches",
                    params={"dateFrom": first.isoformat(), "dateTo": end.isoformat()},
                    headers=self._headers,
                )
                for first, end in wanted
            ]

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None:
        """Nothing to restart: each request opens its own connection."""

    def reset(self) -> None:
        """Nothing is left open."""

    def close(self) -> None:
        """Nothing to close."""


def spans(days: Iterable[date]) -> list[tuple[date, date]]:
    """Groups days, with a margin, into spans short enough for one request."""
    found: list[tuple[date, date]] = []
    for day in sorted(days):
        first, end = day - MARGIN, day + 2 * MARGIN
        if found and (end - found[-1][0]).days <= MAX_DAYS:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found


def _parse_response(response: httpx.Response) -> FetchResult:
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        left = response.headers.get("x-requestcounter-reset", "60")
        raise ProviderRateLimited(f"{NAME}: too many requests; free again in {left} s")
    if status >= 500:
        raise ProviderUnavailable(f"{NAME} answered {status}")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, httpx.codes.BAD_REQUEST):
        raise ProviderRefused(f"{NAME} refused the request ({status})", "Check its token and plan")
    if status != httpx.codes.OK:
        raise ProviderAnswerInvalid(f"{NAME} answered {status}")
    try:
        return parse_matches(FdAnswer.model_validate_json(response.content).matches)
    except ValidationError as error:
        raise ProviderUnavailable(f"{NAME}'s answer is not valid JSON") from error
