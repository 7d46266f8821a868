"""Y10: reserves requests before they are sent; responses correct the known figures.

Requests run concurrently and are answered in any order, so the newest response need not have the
newest figure. Within a day the provider only counts down. Therefore:

- A figure replaces the known one if no other reservation was settled since its requests were
  reserved; otherwise the lower of the two holds.
- A request that returned no figure may be counted after the known figure was made. It counts as
  used until a figure arrives whose requests were reserved later.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from footy_assets.history.rules.quota import allowed_now, as_of, next_day
from footy_assets.matchday.rules.pace import Quota, lowest

# The live pipeline uses the quota too: a figure older than this allows one request, which
# returns a new figure.
FRESH_FOR = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Reservation:
    """Requests that may be in flight: the provider may not have counted them yet."""

    id: str
    requests: int
    taken_at: datetime
    # If it is not settled by then, its process died.
    expires_at: datetime
    # The ledger's counters at that time.
    settled_before: int = 0
    silent_before: int = 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """The provider's quota figures and the reservations since. All processes share one."""

    quota: Quota | None = None
    # When the last responses arrived, with or without figures.
    asked_at: datetime | None = None
    # Requests without a figure that the known figure may not include.
    uncounted: int = 0
    # Totals: settled reservations, and requests that returned no figure.
    settled: int = 0
    silent: int = 0
    reservations: tuple[Reservation, ...] = ()


def available(ledger: Ledger, now: datetime) -> Quota | None:
    """The provider's figures minus all requests that they may not include."""
    ledger = _renewed(ledger, now)
    return _spend(ledger.quota, ledger.uncounted + sum(r.requests for r in ledger.reservations))


def reserve_requests(
    ledger: Ledger, id_: str, wanted: int, now: datetime, lasts: timedelta
) -> Ledger:
    """Reserves up to `wanted` requests; the same ledger if none may be sent now."""
    if any(one.id == id_ for one in ledger.reservations):
        return ledger
    quota = available(ledger, now)
    granted = min(wanted, allowed_now(quota, now))
    if quota is not None and ledger.asked_at is not None and now - ledger.asked_at > FRESH_FOR:
        granted = min(granted, 1)
    if granted <= 0:
        return ledger
    one = Reservation(id_, granted, now, now + lasts, ledger.settled, ledger.silent)
    return replace(ledger, reservations=(*ledger.reservations, one))


def shrink(ledger: Ledger, id_: str, requests: int) -> Ledger:
    """Releases requests that will not be sent."""
    kept = (
        replace(one, requests=requests) if one.id == id_ else one for one in ledger.reservations
    )
    return replace(ledger, reservations=tuple(one for one in kept if one.requests > 0))


def settle(
    ledger: Ledger, reservation: Reservation, figure: Quota | None, silent: int, now: datetime
) -> Ledger:
    """Ends a reservation: `figure` is the lowest returned, `silent` requests returned none."""
    ledger = _renewed(ledger, now)
    if now >= next_day(reservation.taken_at) and ledger.quota is not None:
        # The figure may be of either day: the requests count for the new one.
        figure, silent = None, reservation.requests
    quota, uncounted = ledger.quota, ledger.uncounted
    if figure is not None:
        if ledger.settled == reservation.settled_before:
            quota, uncounted = figure, 0
        else:
            if _is_lower(figure, quota):
                uncounted = ledger.silent - reservation.silent_before
            quota = lowest(quota, figure)
    return Ledger(
        quota=quota,
        asked_at=now,
        uncounted=uncounted + silent,
        settled=ledger.settled + 1,
        silent=ledger.silent + silent,
        reservations=tuple(one for one in ledger.reservations if one.id != reservation.id),
    )


def without_expired(ledger: Ledger, now: datetime) -> Ledger:
    """Reservations of a dead process count as used, until a later response corrects it."""
    if ledger.asked_at is not None and ledger.asked_at > now + FRESH_FOR:
        # The clock was set back.
        return Ledger(settled=ledger.settled, silent=ledger.silent)
    expired = sum(one.requests for one in ledger.reservations if not _is_held(one, now))
    if not expired:
        return ledger
    return replace(
        ledger,
        uncounted=ledger.uncounted + expired,
        silent=ledger.silent + expired,
        reservations=tuple(one for one in ledger.reservations if _is_held(one, now)),
    )


def _is_held(one: Reservation, now: datetime) -> bool:
    return one.taken_at - FRESH_FOR <= now < one.expires_at


def _renewed(ledger: Ledger, now: datetime) -> Ledger:
    """The ledger now: each minute and each day starts full."""
    if ledger.asked_at is None:
        return ledger
    uncounted = 0 if now >= next_day(ledger.asked_at) else ledger.uncounted
    return replace(ledger, quota=as_of(ledger.quota, ledger.asked_at, now), uncounted=uncounted)


def _is_lower(figure: Quota, known: Quota | None) -> bool:
    if known is None or known.day_remaining is None or figure.day_remaining is None:
        return True
    return figure.day_remaining < known.day_remaining


def _spend(quota: Quota | None, requests: int) -> Quota | None:
    if quota is None or not requests:
        return quota
    return replace(
        quota,
        day_remaining=_less(quota.day_remaining, requests),
        minute_remaining=_less(quota.minute_remaining, requests),
    )


def _less(figure: int | None, requests: int) -> int | None:
    return None if figure is None else max(0, figure - requests)
