"""Runs the providers besides the main one, and recovers those that fail; one process does this."""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import FootyError
from footy_assets.providers.collect import Collector, Round
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.health import ALL_PROVIDERS, EVALUATION_INTERVAL, Grade
from footy_assets.providers.rules.recovery import (
    Action,
    BrowserFigures,
    BrowserLimits,
    Need,
    RecoveryEntry,
    RecoveryOutcome,
    browser_need,
    outcome_of,
    watchdog_need,
)

STEP_SECONDS = 1.0
log = structlog.get_logger()


class Watcher:
    """Runs in steps. An adapter finishes the request under way before it is recycled."""

    def __init__(
        self,
        collector: Collector,
        monitor: HealthMonitor,
        clock: Clock,
        limits: BrowserLimits | None = None,
    ) -> None:
        self._collector, self._pulse, self._clock = collector, monitor, clock
        self._limits = limits or BrowserLimits()
        self._last_restart: dict[str, datetime] = {}
        self._gauges_set_at: datetime | None = None

    def run(self, until: Callable[[], bool]) -> None:
        while not until():
            self.step()
            self._clock.sleep(STEP_SECONDS)

    def step(self) -> Round:
        done = self._collector.round()
        now = self._clock.now()
        self._pulse.evaluate_if_due(now)
        self._recover_unhealthy(now)
        self._settle_recoveries(self._clock.now())
        if self._gauges_set_at is None or now - self._gauges_set_at >= EVALUATION_INTERVAL:
            self._gauges_set_at = now
            self._set_gauges()
        return done

    # -- recovery -------------------------------------------------------------------------

    def _recover_unhealthy(self, now: datetime) -> None:
        for domain, adapter in self._collector.adapters.items():
            figures = adapter.figures()
            need = browser_need(figures, self._limits) if figures is not None else None
            if need is not None:
                self._recover(need, now, domain)
        request = self._collector.state.claim_request()
        if request is not None:
            need = Need(request.action, "manual", request.condition)
            self._recover(need, now, None, request.id)
        for domain in self._collector.adapters:
            grade = self._collector.state.grade(domain)[0].grade
            need = watchdog_need(grade, self._last_restart.get(domain), now)
            if need is not None:
                self._last_restart[domain] = now
                self._recover(need, now, domain)

    def _recover(
        self, need: Need, now: datetime, subject: str | None, entry_id: str | None = None
    ) -> None:
        domains = list(self._collector.adapters) if subject is None else [subject]
        entry = RecoveryEntry(
            id=entry_id or uuid4().hex,
            at=now,
            action=need.action,
            condition=need.condition,
            before=self._figures(),
            subject=subject,
        )
        self._collector.state.record(entry)
        self._pulse.recovery_started(domains, now)
        for domain in domains:
            adapter = self._collector.adapters[domain]
            try:
                if need.action is Action.CONTEXT_POOL_RESET:
                    adapter.reset()
                else:
                    adapter.recycle()
            except FootyError as error:
                log.warning("recovery_failed", domain=domain, reason=str(error))
        self._collector.state.increment(**{f"recycles:{need.reason}": 1})
        log.info("recovery", action=str(need.action), condition=need.condition)

    def _settle_recoveries(self, now: datetime) -> None:
        """Sets the outcome of open recoveries, by the grade of their subject two minutes later."""
        for entry in self._collector.state.open_recoveries():
            outcome = outcome_of(self._grade(entry.subject), now - entry.at)
            if outcome is None:
                continue
            seconds = (now - entry.at).total_seconds()
            self._collector.state.record(
                replace(entry, outcome=outcome, seconds=seconds, after=self._figures())
            )
            if outcome is RecoveryOutcome.FAILED:
                log.error("recovery_did_not_help", action=str(entry.action))

    def _grade(self, subject: str | None) -> Grade:
        """The grade of a provider; of all together if it is None or switched off meanwhile."""
        health, seen = self._collector.state.grade(subject or ALL_PROVIDERS)
        return health.grade if seen else self._collector.state.grade()[0].grade

    # -- figures --------------------------------------------------------------------------

    def _figures(self) -> dict[str, Any]:
        browser = self._browser()
        _, seen = self._collector.state.grade()
        figures = {**asdict(browser), "uptime": browser.uptime.total_seconds()}
        return {**figures, "grade": seen.get("grade"), "freshness": seen.get("freshness")}

    def _browser(self) -> BrowserFigures:
        for adapter in self._collector.adapters.values():
            figures = adapter.figures()
            if figures is not None:
                return figures
        return BrowserFigures()

    def _set_gauges(self) -> None:
        browser = self._browser()
        self._collector.state.set_gauges(
            processes=float(browser.processes),
            contexts=float(browser.contexts),
            pages=float(browser.pages),
            megabytes=browser.megabytes,
            browser_uptime=browser.uptime.total_seconds(),
        )
