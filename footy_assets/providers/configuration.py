"""L6: the configuration of the providers as `/status` shows it, without secrets."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.rules.descriptors import ProvidersFile
from footy_assets.providers.rules.health import (
    EVALUATION_INTERVAL,
    RECOVERY_TIMEOUT,
    SILENT_SECONDS,
    STALE_SECONDS,
    VERY_STALE_SECONDS,
)
from footy_assets.providers.rules.lifecycle import COOLDOWN, LifecycleLimits
from footy_assets.providers.rules.recovery import BrowserLimits


def status_summary(
    monitor: HealthMonitor,
    content: ProvidersFile,
    lifecycle: LifecycleLimits,
    browser: BrowserLimits,
    now: datetime,
) -> dict[str, Any]:
    """The health of the providers with their configuration: what `/status` and `footy health`
    show."""
    switches = monitor.state.switches()
    configuration = configuration_snapshot(content, switches, lifecycle, browser)
    return {**monitor.summary(now), "configuration": configuration}


def configuration_snapshot(
    content: ProvidersFile,
    switches: Mapping[str, bool],
    lifecycle: LifecycleLimits,
    browser: BrowserLimits,
) -> dict[str, Any]:
    """An adapter's own `settings` are left out: they may hold a key or an address with one."""
    enabled = content.enabled(switches)
    return {
        "lead": content.lead,
        "providers": {
            name: {
                "lead": name == content.lead,
                "enabled": name in enabled,
                "adapter": descriptor.adapter,
                "precedence": descriptor.precedence,
                "confidence": descriptor.confidence,
                "limits": descriptor.limits.model_dump(),
            }
            for name, descriptor in content.providers.items()
        },
        "thresholds": {
            "stale_seconds": STALE_SECONDS,
            "very_stale_seconds": VERY_STALE_SECONDS,
            "silent_seconds": SILENT_SECONDS,
            "evaluation_seconds": EVALUATION_INTERVAL.total_seconds(),
            "recovery_seconds": RECOVERY_TIMEOUT.total_seconds(),
            "pause_after_failures": lifecycle.paused_after,
            "pause_seconds": COOLDOWN.total_seconds(),
            "archive_hours": lifecycle.archived_after.total_seconds() / 3600,
        },
        "browser": {
            "uptime_hours": browser.uptime.total_seconds() / 3600,
            "tasks": browser.tasks,
            "processes": browser.processes,
            "megabytes": browser.megabytes,
            "pages": browser.pages,
        },
    }
