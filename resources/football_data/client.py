"""The HTTP client of football-data.org v4: one request for all matches of a week."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import httpx
from pydantic import ValidationError

from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.sources.adapter import Fetched
from footy_assets.sources.identify import Listed
from footy_assets.sources.recovery import BrowserFigures
from resources.football_data.models import FdAnswer
from resources.football_data.translate import read_matches

NAME = "football-data.org"
# It refuses more than ten days at once, and `dateTo` is the first day that is not meant.
MOST_DAYS = 10
# A kickoff near midnight may be on another day for them.
MARGIN = timedelta(days=1)


class FootballData:
    """An `Adapter`. Goals and cards are unfolded where the plan has them."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        self._headers = {"X-Unfold-Goals": "true", "X-Unfold-Bookings": "true"}
        token = (token or "").strip()
        self._token_fits = token.isascii() and token.isprintable()
        if token and self._token_fits:
            self._headers["X-Auth-Token"] = token

    def fetch(self, wanted: Sequence[Listed], within: float) -> Fetched:
        answers = [self._ask(*span, within) for span in spans({one.start.date() for one in wanted})]
        return Fetched(
            tuple(sheet for answer in answers for sheet in answer.sheets),
            tuple(piece for answer in answers for piece in answer.unreadable),
        )

    def _ask(self, first: date, end: date, within: float) -> Fetched:
        if not self._token_fits:
            raise ProviderRefused(f"{NAME}: its token is no text for a header", "Copy it again")
        query = {"dateFrom": first.isoformat(), "dateTo": end.isoformat()}
        try:
            response = asyncio.run(self._get(query, within))
        except TimeoutError:
            why = f"no whole answer within {within:g} s"
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}") from None
        except httpx.LocalProtocolError:
            # Its text holds the header that is wrong: it may be the token.
            raise ProviderUnavailable(f"{NAME} at {self._url}: no valid request") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise ProviderUnavailable(f"{NAME} at {self._url}: {why}") from error
        return _read(response)

    async def _get(self, query: dict[str, str], within: float) -> httpx.Response:
        """All of it within so long: httpx's own limit is for each read, and ends no trickle."""
        async with asyncio.timeout(within), httpx.AsyncClient(timeout=within) as client:
            url = f"{self._url}/v4/matches"
            return await client.get(url, params=query, headers=self._headers)

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None:
        """Every question has its own connection: there is nothing to begin anew."""

    def reset(self) -> None:
        """There is nothing that it could leave open."""

    def close(self) -> None:
        """There is nothing that it keeps."""


def spans(days: Iterable[date]) -> list[tuple[date, date]]:
    """The days with a margin, each span short enough for one request."""
    found: list[tuple[date, date]] = []
    for day in sorted(days):
        first, end = day - MARGIN, day + 2 * MARGIN
        if found and (end - found[-1][0]).days <= MOST_DAYS:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found


def _read(response: httpx.Response) -> Fetched:
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
        return read_matches(FdAnswer.model_validate_json(response.content).matches)
    except ValidationError as error:
        raise ProviderUnavailable(f"{NAME}'s answer is not its JSON") from error
