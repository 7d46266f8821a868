"""L6: when a match is paused and archived follows the settings."""

from datetime import timedelta

from footy_assets.policies import browser_limits, lifecycle_limits
from footy_assets.providers.rules.lifecycle import (
    DEFAULT_LIFECYCLE,
    Life,
    LifecycleLimits,
    MatchLife,
    after_failure,
    as_time_passes,
)
from footy_assets.providers.rules.recovery import BrowserLimits
from footy_assets.settings import settings_of
from footy_assets_tests.providers.reports import NOON, after


def test_l6_a_match_is_paused_after_as_many_failures_as_configured() -> None:
    limits = LifecycleLimits(paused_after=2)
    once = after_failure(MatchLife(Life.ACTIVE), NOON, limits)
    assert once.state is Life.ACTIVE
    assert after_failure(once, NOON, limits).state is Life.PAUSED


def test_l6_a_match_is_archived_when_configured() -> None:
    over = MatchLife(Life.COMPLETED, completed_at=NOON)
    limits = LifecycleLimits(archived_after=timedelta(hours=1))
    assert as_time_passes(over, after(3599), limits).state is Life.COMPLETED
    assert as_time_passes(over, after(3600), limits).state is Life.ARCHIVED


def test_l6_the_limits_of_the_settings_are_those_of_the_rules() -> None:
    assert lifecycle_limits(settings_of()) == DEFAULT_LIFECYCLE
    assert browser_limits(settings_of()) == BrowserLimits()
    settings = settings_of(
        provider_pause_after=2,
        provider_archive_hours=0.5,
        browser_uptime_hours=1,
        browser_tasks=3,
        browser_processes=4,
        browser_megabytes=500,
        browser_pages=6,
    )
    assert lifecycle_limits(settings) == LifecycleLimits(2, timedelta(minutes=30))
    assert browser_limits(settings) == BrowserLimits(timedelta(hours=1), 3, 4, 500, 6)
