"""Y10: requests stay within the provider's limits and leave the live pipeline its share."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from footy_assets.errors import ProviderRefused
from footy_assets.history.progress import require_season
from footy_assets.history.sourcing import Ended
from footy_assets.sim import Quota
from footy_assets_tests.history.conftest import FIRST_TWO, KEY, Sourcing
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow


def test_y10_the_live_pipeline_keeps_its_half_of_every_minute(sourcing: Sourcing) -> None:
    sourcing.sim.quota = Quota(per_day=10_000, per_minute=40)
    sourcing.source()
    assert sourcing.status()["complete"]
    minutes: dict[str, int] = {}
    for one in sourcing.requests:
        minutes[f"{one.at:%H:%M}"] = minutes.get(f"{one.at:%H:%M}", 0) + 1
    assert len(minutes) >= 4
    assert max(minutes.values()) <= 20


def test_y10_the_days_share_is_not_exceeded_and_the_rest_is_loaded_later(
    sourcing: Sourcing,
) -> None:
    # Half of so small a plan, and the reserve, is kept for the live pipeline until late in the day.
    sourcing.sim.quota = Quota(per_day=80, per_minute=1_000)
    report = sourcing.source(patience=600)
    assert report.ended is Ended.WAITING
    assert 34 <= len(sourcing.requests) <= 38
    resume = require_season(sourcing.store, KEY).resume_at
    assert resume is not None
    assert resume > sourcing.clock.now() + timedelta(minutes=10)
    assert sourcing.source().ended is Ended.COMPLETED
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def test_y10_a_rate_limit_response_costs_no_try(sourcing: Sourcing) -> None:
    sourcing.sim.faults.fail(429, times=3, path="/venues")
    assert sourcing.source().ended is Ended.COMPLETED
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def most_in_a_minute(sourcing: Sourcing) -> int:
    return max(Counter(f"{one.at:%H:%M}" for one in sourcing.requests).values())


class Silent(ApiFootball):
    """A provider, or a proxy, that sends no limit headers."""

    def _read_quota(self, headers: httpx.Headers, readings_before: int) -> None:
        pass


def test_y10_a_rate_limit_without_figures_pauses_requests_until_the_next_minute(
    sourcing: Sourcing,
) -> None:
    sourcing.sim.faults.fail(429, times=None)
    turns = iter(range(1_000))
    with Silent(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        sourcing.source(stopped=lambda: next(turns) >= 50)
    assert len(sourcing.requests) > 2
    assert most_in_a_minute(sourcing) == 1
    assert not any(d.failures for d in sourcing.store.documents(KEY))


def test_y10_a_provider_without_limit_headers_gets_requests_slowly(sourcing: Sourcing) -> None:
    with Silent(sourcing.sim.url, None) as feed:
        sourcing.work = replace(sourcing.work, feed=feed)
        assert sourcing.source(tiers=FIRST_TWO).ended is Ended.NOTHING_DUE
    assert len(sourcing.requests) == 23
    assert most_in_a_minute(sourcing) <= 5


def test_y10_a_wrong_key_stops_the_work_and_parks_nothing(sourcing: Sourcing) -> None:
    sourcing.sim.faults.errors({"token": "wrong key"}, times=None)
    with pytest.raises(ProviderRefused):
        sourcing.source()
    assert not any(d.failures for d in sourcing.store.documents(KEY))
    sourcing.sim.faults.clear()
    assert sourcing.source().ended is Ended.COMPLETED
