"""After ESPN has refused a request, none is sent for a while."""

from datetime import datetime, timedelta

import httpx

from footy_assets.clock import Clock
from footy_assets.errors import ProviderError, ProviderRateLimited, ProviderRefused

REFUSED = frozenset({httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN, 451})
PAUSE_AFTER_REFUSAL = timedelta(minutes=30)
PAUSE_AFTER_RATE_LIMIT = timedelta(minutes=5)
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
FIX = (
    "Set `contact` of its settings, so that ESPN sees who asks; if it still refuses, switch it off "
    "with `footy sources disable` and use another provider"
)


class Refusals:
    """The last refusal, and how long it counts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: tuple[datetime, datetime, ProviderError] | None = None

    def check(self) -> None:
        """Raises the last refusal while it counts. A clock that was set back ends it."""
        if self._last is None:
            return
        since, until, error = self._last
        if since <= self._clock.now() < until:
            raise type(error)(str(error), error.fix)

    def check_response(self, response: httpx.Response) -> None:
        """Records and raises a refusal."""
        status = response.status_code
        if status in REFUSED:
            pause = PAUSE_AFTER_REFUSAL
        elif status == httpx.codes.TOO_MANY_REQUESTS:
            pause = _retry_after(response.headers.get("retry-after", ""))
        else:
            return
        now = self._clock.now()
        until = now + pause
        message = f"no request is sent until {until:%H:%M:%S} UTC"
        error: ProviderError
        if status in REFUSED:
            error = ProviderRefused(f"ESPN refused the request ({status}); {message}", FIX)
        else:
            error = ProviderRateLimited(
                f"ESPN: too many requests (429); {message}", "Wait, or track fewer competitions"
            )
        self._last = (now, until, error)
        raise error


def _retry_after(text: str) -> timedelta:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return PAUSE_AFTER_RATE_LIMIT
    return min(max(timedelta(seconds=int(text)), SHORTEST_PAUSE), LONGEST_PAUSE)
