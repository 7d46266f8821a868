"""Y10: the share is kept in any order of requests, responses and processes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from footy_assets.history.rules.ledger import (
    FRESH_FOR,
    Ledger,
    Reservation,
    available,
    reserve_requests,
    settle,
    shrink,
    without_expired,
)
from footy_assets.history.rules.quota import left_today
from footy_assets.matchday.rules.pace import Quota

MORNING = datetime(2025, 5, 10, 6, 0, tzinfo=UTC)
PLENTY = Quota(day_limit=7_500, day_remaining=7_500, minute_limit=300, minute_remaining=300)

LASTS = timedelta(seconds=60)


def reserve(ledger: Ledger, requests: int, now: datetime = MORNING) -> tuple[Ledger, Reservation]:
    after = reserve_requests(
        ledger, f"{ledger.settled}-{len(ledger.reservations)}", requests, now, LASTS
    )
    assert len(after.reservations) == len(ledger.reservations) + 1
    return after, after.reservations[-1]


def day_of(ledger: Ledger, now: datetime = MORNING) -> int | None:
    quota = available(ledger, now)
    assert quota is not None
    return quota.day_remaining


def test_y10_reserved_requests_are_not_granted_twice() -> None:
    # The live pipeline keeps 2,963 of the 7,500 at this hour.
    few = Ledger(replace(PLENTY, day_remaining=2_973), MORNING)
    first, one = reserve(few, 8)
    second, other = reserve(first, 8)
    assert (one.requests, other.requests) == (8, 2)
    assert reserve_requests(second, "third", 8, MORNING, LASTS) == second


def test_y10_the_same_reservation_is_made_once() -> None:
    once = reserve_requests(Ledger(PLENTY, MORNING), "one", 8, MORNING, LASTS)
    assert reserve_requests(once, "one", 8, MORNING, LASTS) == once


def test_y10_unsent_requests_are_released() -> None:
    ledger, one = reserve(Ledger(PLENTY, MORNING), 8)
    assert day_of(shrink(ledger, one.id, 3)) == 7_497
    assert shrink(ledger, one.id, 0).reservations == ()


def test_y10_a_response_corrects_the_known_figures() -> None:
    ledger, one = reserve(Ledger(PLENTY, MORNING), 8)
    used_by_the_live_pipeline = replace(PLENTY, day_remaining=7_400)
    assert day_of(settle(ledger, one, used_by_the_live_pipeline, 0, MORNING)) == 7_400


def test_y10_an_overtaken_response_never_raises_the_figures() -> None:
    ledger, slow = reserve(Ledger(PLENTY, MORNING), 8)
    ledger, quick = reserve(ledger, 8)
    ledger = settle(ledger, quick, replace(PLENTY, day_remaining=7_484), 0, MORNING)
    ledger = settle(ledger, slow, replace(PLENTY, day_remaining=7_492), 0, MORNING)
    assert day_of(ledger) == 7_484


def test_y10_requests_without_a_figure_count_as_used_until_one_comes() -> None:
    ledger, one = reserve(Ledger(PLENTY, MORNING), 8)
    ledger = settle(ledger, one, None, 8, MORNING)
    assert day_of(ledger) == 7_492
    ledger, one = reserve(ledger, 1)
    assert day_of(settle(ledger, one, replace(PLENTY, day_remaining=7_499), 0, MORNING)) == 7_499


def test_y10_a_request_without_a_figure_may_be_counted_after_the_figure_of_another() -> None:
    """Two workers: the provider counts the first one's eight last, all but one without a figure."""
    ledger, first = reserve(Ledger(PLENTY, MORNING), 8)
    ledger, second = reserve(ledger, 8)
    ledger = settle(ledger, first, replace(PLENTY, day_remaining=7_499), 7, MORNING)
    ledger = settle(ledger, second, replace(PLENTY, day_remaining=7_491), 0, MORNING)
    assert day_of(ledger) == 7_484


def test_y10_reservations_of_a_dead_process_count_as_used() -> None:
    ledger, one = reserve(Ledger(PLENTY, MORNING), 8)
    assert without_expired(ledger, one.expires_at - timedelta(seconds=1)) == ledger
    later = without_expired(ledger, one.expires_at)
    assert later.reservations == ()
    assert day_of(later) == 7_492


def test_y10_an_old_figure_allows_one_request() -> None:
    later = MORNING + FRESH_FOR + timedelta(seconds=1)
    _, one = reserve(Ledger(PLENTY, MORNING), 8, later)
    assert one.requests == 1


def test_y10_requests_across_midnight_count_for_the_new_day() -> None:
    evening = MORNING.replace(hour=23, minute=59, second=59)
    ledger, one = reserve(Ledger(replace(PLENTY, day_remaining=5_000), evening), 8, evening)
    midnight = evening + timedelta(seconds=1)
    ledger = settle(ledger, one, replace(PLENTY, day_remaining=4_995), 0, midnight)
    assert day_of(ledger, midnight) == 7_492


def test_y10_a_clock_set_back_does_not_block_requests() -> None:
    ledger = Ledger(replace(PLENTY, day_remaining=0), MORNING)
    assert without_expired(ledger, MORNING - timedelta(days=1)) == Ledger()


@given(st.data())
def test_y10_no_order_of_requests_and_responses_exceeds_the_share(data: st.DataObject) -> None:
    """Three workers; the provider counts and answers requests in flight in any order."""
    counted, limit = 0, 80
    share = left_today(Quota(limit, limit), MORNING)
    ledger = Ledger(Quota(limit, limit), MORNING)
    sent: dict[str, tuple[Reservation, list[Quota | None]]] = {}
    for step in range(data.draw(st.integers(1, 60))):
        can_answer = [id_ for id_, (one, seen) in sent.items() if len(seen) == one.requests]
        can_count = [id_ for id_ in sent if id_ not in can_answer]
        doable = ["reserve"] * (len(sent) < 3) + ["count"] * bool(can_count)
        match data.draw(st.sampled_from(doable + ["answer"] * bool(can_answer))):
            case "reserve":
                before, ledger = ledger, reserve_requests(ledger, str(step), 8, MORNING, LASTS)
                if ledger != before:
                    sent[str(step)] = (ledger.reservations[-1], [])
            case "count":
                counted += 1
                figure = Quota(limit, limit - counted) if data.draw(st.booleans()) else None
                sent[data.draw(st.sampled_from(can_count))][1].append(figure)
            case "answer":
                one, seen = sent.pop(data.draw(st.sampled_from(can_answer)))
                figures = [quota for quota in seen if quota is not None]
                lowest = min(figures, key=lambda quota: quota.day_remaining or 0, default=None)
                ledger = settle(ledger, one, lowest, seen.count(None), MORNING)
        assert counted + sum(one.requests - len(seen) for one, seen in sent.values()) <= share
