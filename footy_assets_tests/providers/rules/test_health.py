"""Health: each rule of the grade with its thresholds."""

from datetime import timedelta

import pytest

from footy_assets.providers.rules.health import (
    Freshness,
    Grade,
    ProviderHealth,
    evaluate,
    freshness,
    start_recovery,
)
from footy_assets.providers.rules.recovery import (
    Action,
    BrowserFigures,
    BrowserLimits,
    RecoveryOutcome,
    browser_need,
    outcome_of,
    watchdog_need,
)
from footy_assets_tests.providers.reports import NOON, after

FRESH = Freshness(10, 20, 40, 50)
OLD = Freshness(10, 65, 80, 100)
DEAD = Freshness(10, 130, 130, 130)


def test_quantiles_are_ages_that_a_match_has() -> None:
    assert freshness([10, 20, 30, 40]) == Freshness(4, 20, 40, 40, p99=40, sum=100)
    assert freshness(list(range(1, 101))) == Freshness(100, 50, 95, 100, p99=99, sum=5050)
    assert freshness([]) == Freshness()


@pytest.mark.parametrize(
    ("figures", "grade"),
    [
        (FRESH, Grade.HEALTHY),
        (Freshness(10, 59, 59, 119), Grade.HEALTHY),
        (Freshness(10, 60, 60, 60), Grade.DEGRADED),
        (Freshness(10, 20, 60, 60), Grade.DEGRADED),
        (Freshness(10, 20, 50, 120), Grade.FAILING),
        (DEAD, Grade.FAILING),
    ],
)
def test_healthy_changes_by_the_freshness(figures: Freshness, grade: Grade) -> None:
    assert evaluate(ProviderHealth(), figures, NOON, NOON).grade is grade


def test_healthy_steps_through_degraded_to_failing_in_one_evaluation() -> None:
    found = evaluate(ProviderHealth(), DEAD, NOON, NOON)
    assert found.steps == (Grade.DEGRADED, Grade.FAILING)


def test_degraded_is_failing_after_90_s_without_success() -> None:
    degraded = ProviderHealth(Grade.DEGRADED)
    assert evaluate(degraded, OLD, NOON, after(89)).grade is Grade.DEGRADED
    assert evaluate(degraded, OLD, NOON, after(90)).grade is Grade.FAILING
    assert evaluate(degraded, OLD, None, NOON).grade is Grade.FAILING


def test_degraded_needs_two_good_evaluations_in_a_row() -> None:
    once = evaluate(ProviderHealth(Grade.DEGRADED), FRESH, NOON, NOON)
    assert once.grade is Grade.DEGRADED
    relapse = evaluate(once, OLD, NOON, NOON)
    assert evaluate(relapse, FRESH, NOON, NOON).grade is Grade.DEGRADED
    assert evaluate(once, FRESH, NOON, NOON).grade is Grade.HEALTHY


def test_failing_is_degraded_when_the_oldest_is_under_120_s() -> None:
    assert evaluate(ProviderHealth(Grade.FAILING), OLD, NOON, NOON).grade is Grade.DEGRADED
    assert evaluate(ProviderHealth(Grade.FAILING), DEAD, NOON, NOON).grade is Grade.FAILING


def test_recovering_is_healthy_on_the_first_success_after_it() -> None:
    recovering = start_recovery(ProviderHealth(Grade.FAILING), NOON)
    assert recovering.grade is Grade.RECOVERING
    assert evaluate(recovering, DEAD, NOON, after(15)).grade is Grade.RECOVERING
    assert evaluate(recovering, DEAD, after(20), after(30)).grade is Grade.HEALTHY


@pytest.mark.parametrize("figures", [DEAD, OLD, FRESH])
def test_recovering_for_120_s_without_a_success_is_failing_again(figures: Freshness) -> None:
    """Also if the matches have only just begun: there was no success since."""
    recovering = ProviderHealth(Grade.RECOVERING, recovering_since=NOON)
    assert evaluate(recovering, figures, NOON, after(119)).grade is Grade.RECOVERING
    assert evaluate(recovering, figures, NOON, after(120)).grade is Grade.FAILING


def test_with_no_match_live_the_grade_is_healthy() -> None:
    for grade in Grade:
        assert evaluate(ProviderHealth(grade), Freshness(), None, NOON).grade is Grade.HEALTHY


def test_recycling_a_healthy_provider_does_not_change_the_grade() -> None:
    for grade in (Grade.HEALTHY, Grade.DEGRADED):
        assert start_recovery(ProviderHealth(grade), NOON).grade is grade


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        (BrowserFigures(uptime=timedelta(hours=6)), "uptime"),
        (BrowserFigures(tasks=2_000), "tasks"),
        (BrowserFigures(processes=40), "processes"),
        (BrowserFigures(megabytes=1_500), "memory"),
        (BrowserFigures(pages=8), "pages"),
    ],
)
def test_recovery_a_browser_past_a_limit_is_recycled(figures: BrowserFigures, reason: str) -> None:
    need = browser_need(figures, BrowserLimits())
    assert need is not None
    assert need.reason == reason
    reset = need.action is Action.CONTEXT_POOL_RESET
    assert reset == (reason == "pages")


def test_recovery_a_browser_within_its_limits_is_not_recycled() -> None:
    just = BrowserFigures(timedelta(hours=5.9), 1_999, 39, 1_499, 3, 7)
    assert browser_need(just, BrowserLimits()) is None


def test_recovery_the_watchdog_restarts_a_failing_provider_and_waits_for_the_result() -> None:
    assert watchdog_need(Grade.DEGRADED, None, NOON) is None
    assert watchdog_need(Grade.FAILING, None, NOON) is not None
    assert watchdog_need(Grade.FAILING, NOON, after(119)) is None
    assert watchdog_need(Grade.FAILING, NOON, after(120)) is not None


def test_recovery_outcome_by_the_grade_within_120_s() -> None:
    two_minutes = timedelta(seconds=120)
    assert outcome_of(Grade.HEALTHY, timedelta(seconds=30)) is RecoveryOutcome.SUCCESS
    assert outcome_of(Grade.DEGRADED, timedelta(seconds=30)) is None
    assert outcome_of(Grade.DEGRADED, two_minutes) is RecoveryOutcome.PARTIAL
    assert outcome_of(Grade.FAILING, two_minutes) is RecoveryOutcome.FAILED
    assert outcome_of(Grade.HEALTHY, timedelta(seconds=121)) is RecoveryOutcome.PARTIAL
