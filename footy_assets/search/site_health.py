"""SE7: whether a site can be searched, for the asset checks and `footy doctor`."""

from footy_assets.findings import Finding
from footy_assets.search.store.site_health import SiteHealth


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
