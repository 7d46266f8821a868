"""Recovers providers that fail, also one that is alone (L6): notices the need, acts, and records
the outcome."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

import structlog

from footy_assets.errors import FootyError
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.health import ALL_PROVIDERS, Grade
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
from footy_assets.providers.store.refusals import ProviderRefusals

log = structlog.get_logger()


class Recovery:
    """Recovers the lead, and the providers whose adapters it has.

    An adapter finishes the request under way before it is recycled. The lead is opened anew by
    every poll, so recovering it means that a refusal is forgotten, if a person asks for that.
    """

    def __init__(
        self,
        monitor: HealthMonitor,
        lead: str,
        adapters: Mapping[str, Adapter],
        refusals: ProviderRefusals,
        limits: BrowserLimits | None = None,
    ) -> None:
        self._monitor, self._lead, self._adapters = monitor, lead, adapters
        self._state = monitor.state
        self._refusals = refusals
        self._limits = limits or BrowserLimits()

    def step(self, now: datetime) -> None:
        """Starts the recoveries that are needed now."""
        for domain, adapter in self._adapters.items():
            figures = adapter.figures()
            need = browser_need(figures, self._limits) if figures is not None else None
            if need is not None:
                self._recover(need, now, domain)
        request = self._state.claim_request()
        if request is not None:
            need = Need(request.action, "manual", request.condition)
            self._recover(need, now, None, request.id)
        for domain in (self._lead, *self._adapters):
            grade = self._state.grade(domain)[0].grade
            need = watchdog_need(grade, self._state.last_restart(domain), now)
            if need is not None:
                self._recover(need, now, domain)

    def settle(self, now: datetime) -> None:
        """Sets the outcome of open recoveries, by the grade of their subject two minutes later."""
        for entry in self._state.open_recoveries():
            outcome = outcome_of(self._grade(entry.subject), now - entry.at)
            if outcome is None:
                continue
            seconds = (now - entry.at).total_seconds()
            self._state.record(
                replace(entry, outcome=outcome, seconds=seconds, after=self._figures())
            )
            if outcome is RecoveryOutcome.FAILED:
                log.error("recovery_did_not_help", action=str(entry.action))

    def browser(self) -> BrowserFigures:
        for adapter in self._adapters.values():
            figures = adapter.figures()
            if figures is not None:
                return figures
        return BrowserFigures()

    def _recover(
        self, need: Need, now: datetime, subject: str | None, entry_id: str | None = None
    ) -> None:
        domains = [self._lead, *self._adapters] if subject is None else [subject]
        entry = RecoveryEntry(
            id=entry_id or uuid4().hex,
            at=now,
            action=need.action,
            condition=need.condition,
            before=self._figures(),
            subject=subject,
        )
        self._state.record(entry)
        self._monitor.recovery_started(domains, now)
        for domain in domains:
            if need.action is Action.MANUAL:
                self._refusals.forget(domain)
            if adapter := self._adapters.get(domain):
                self._restart(adapter, domain, need.action)
        self._state.increment(**{f"recycles:{need.reason}": 1})
        log.info("recovery", action=str(need.action), condition=need.condition)

    def _restart(self, adapter: Adapter, domain: str, action: Action) -> None:
        try:
            if action is Action.CONTEXT_POOL_RESET:
                adapter.reset()
            else:
                adapter.recycle()
        except FootyError as error:
            log.warning("recovery_failed", domain=domain, reason=str(error))

    def _grade(self, subject: str | None) -> Grade:
        """The grade of a provider; of all together if it is None or switched off meanwhile."""
        health, seen = self._state.grade(subject or ALL_PROVIDERS)
        return health.grade if seen else self._state.grade()[0].grade

    def _figures(self) -> dict[str, Any]:
        browser = self.browser()
        _, seen = self._state.grade()
        figures = {**asdict(browser), "uptime": browser.uptime.total_seconds()}
        return {**figures, "grade": seen.get("grade"), "freshness": seen.get("freshness")}
