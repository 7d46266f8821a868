"""L4: after a provider has refused a request, none is sent for a while."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx

from footy_assets.clock import Clock
from footy_assets.errors import ProviderError, ProviderRateLimited, ProviderRefused

REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, 451})
PAUSE_AFTER_RATE_LIMIT = timedelta(minutes=5)
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RefusalPolicy:
    """How long a provider is left alone after a refusal, and what to do about it.

    After too many requests it is left alone for as long as it says.
    """

    provider: str
    pause: timedelta
    fix_refusal: str
    fix_rate_limit: str


class Refusals:
    """The last refusal, and how long it counts."""

    def __init__(self, clock: Clock, policy: RefusalPolicy) -> None:
        self._clock, self._policy = clock, policy
        self._last: tuple[datetime, datetime, ProviderError] | None = None

    def check(self) -> None:
        """Raises the last refusal while it counts. A clock that was set back ends it."""
        if self._last is None:
            return
        since, until, error = self._last
        if since <= self._clock.now() < until:
            raise _copy(error)

    def check_response(self, response: httpx.Response) -> None:
        """Records and raises a refusal."""
        status, policy = response.status_code, self._policy
        now = self._clock.now()
        error: ProviderError
        if status in REFUSED:
            until = now + policy.pause
            reason = f"{policy.provider} refused the request ({status}); {_until(until)}"
            error = ProviderRefused(reason, policy.fix_refusal)
        elif status == httpx.codes.TOO_MANY_REQUESTS:
            until = now + _retry_after(response.headers.get("retry-after", ""))
            reason = f"{policy.provider}: too many requests ({status}); {_until(until)}"
            error = ProviderRateLimited(reason, policy.fix_rate_limit)
        else:
            return
        error.ask_again_at = until
        self._last = (now, until, error)
        raise error


def _copy(error: ProviderError) -> ProviderError:
    """To be raised again: an exception that is raised twice keeps both tracebacks."""
    copied = type(error)(str(error), error.fix)
    copied.ask_again_at = error.ask_again_at
    return copied


def _until(until: datetime) -> str:
    return f"no request is sent until {until:%H:%M:%S} UTC"


def _retry_after(text: str) -> timedelta:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return PAUSE_AFTER_RATE_LIMIT
    return min(max(timedelta(seconds=int(text)), SHORTEST_PAUSE), LONGEST_PAUSE)
