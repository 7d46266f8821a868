"""Runs the providers besides the lead, and recovers those that fail; one process does this."""

from collections.abc import Callable
from datetime import datetime

from footy_assets.clock import Clock
from footy_assets.providers.collect import Collector, Round
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.recovery import Recovery
from footy_assets.providers.rules.health import EVALUATION_INTERVAL

STEP_SECONDS = 1.0


class Watcher:
    """Runs in steps."""

    def __init__(
        self, collector: Collector, monitor: HealthMonitor, recovery: Recovery, clock: Clock
    ) -> None:
        self._collector, self._pulse, self._clock = collector, monitor, clock
        self._recovery = recovery
        self._gauges_set_at: datetime | None = None

    def run(self, until: Callable[[], bool]) -> None:
        while not until():
            self.step()
            self._clock.sleep(STEP_SECONDS)

    def step(self) -> Round:
        done = self._collector.round()
        now = self._clock.now()
        self._pulse.evaluate_if_due(now)
        self._recovery.step(now)
        self._recovery.settle(self._clock.now())
        if self._gauges_set_at is None or now - self._gauges_set_at >= EVALUATION_INTERVAL:
            self._gauges_set_at = now
            self._set_gauges()
        return done

    def _set_gauges(self) -> None:
        browser = self._recovery.browser()
        self._collector.state.set_gauges(
            processes=float(browser.processes),
            contexts=float(browser.contexts),
            pages=float(browser.pages),
            megabytes=browser.megabytes,
            browser_uptime=browser.uptime.total_seconds(),
        )
