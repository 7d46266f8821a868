"""SE5, SE7: whether a site can be searched, for the asset checks and `footy doctor`."""

from collections.abc import Sequence
from datetime import datetime

from footy_assets.findings import Finding
from footy_assets.logs import StageLog
from footy_assets.search.rules.canary import CanaryRules
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.sweep import SearchOutcome


def record_outcome(
    health: SiteHealth, outcome: SearchOutcome, now: datetime, log: StageLog
) -> tuple[str, ...]:
    """SE7: what an operator must do, once in an outage."""
    alerts = []
    for site in outcome.found:
        health.record_success(site, now)
    for failure in outcome.failures:
        log.warning("site_failed", site=failure.site, reason=failure.reason)
        if health.record_failure(
            failure.site, failure.kind, failure.reason, bool(failure.operator_fix), now
        ):
            log.error("operator_needed", site=failure.site, fix=failure.operator_fix)
            alerts.append(failure.operator_fix)
    return tuple(alerts)


def sites_with_due_canary(
    health: SiteHealth, sites: Sequence[str], now: datetime, rules: CanaryRules
) -> list[str]:
    return [site for site in sites if health.is_canary_due(site, now, rules.every)]


def canary_works(health: SiteHealth, site: str) -> Finding:
    """The last canary search of this site found posts with videos."""
    found = health.canary(site)
    if found is None:
        return Finding(True, "no canary yet")
    at = f"{found.at:%Y-%m-%d %H:%M:%S} UTC"
    if found.problem is None:
        return Finding(True, f"{found.posts} posts at {at}", {"posts": found.posts})
    since = f"{found.failing_since:%Y-%m-%d %H:%M:%S} UTC"
    return Finding(
        False,
        f"{found.problem}; since {since}",
        {"posts": found.posts, "since": found.failing_since.isoformat()},
    )


def site_works(health: SiteHealth, site: str) -> Finding:
    """The last search of this site got an answer."""
    state = health.state(site)
    if state.outage is None:
        worked = (
            f"worked at {state.worked_at:%H:%M:%S} UTC" if state.worked_at else "not searched yet"
        )
        return Finding(True, worked)
    outage = state.outage
    return Finding(
        False,
        f"{outage.reason}; since {outage.since:%Y-%m-%d %H:%M:%S} UTC, "
        f"{outage.failures} searches failed",
        {
            "kind": outage.kind,
            "needs_person": outage.needs_person,
            "since": outage.since.isoformat(),
            "failures": outage.failures,
        },
    )
