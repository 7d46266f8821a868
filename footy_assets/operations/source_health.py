"""S7: can every source be searched? The question behind the asset checks and `footy doctor`."""

from footy_assets.operations.audit import Finding
from footy_assets.store.source_health import SourceHealth


def source_works(health: SourceHealth, source: str) -> Finding:
    """The last search of this source got an answer."""
    state = health.state(source)
    if state.outage is None:
        worked = f"worked at {state.worked_at:%H:%M:%S} UTC" if state.worked_at else "not asked yet"
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
