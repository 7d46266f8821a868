"""How many goals of a match and of a day have a clip: as a check, and as figures for plots."""

from collections.abc import Collection, Iterable
from datetime import date

from footy_assets.clips.rules.coverage import Coverage, CoverageTarget
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.findings import Finding


def goals_have_clips(store: CoverageStore, days: Iterable[date], target: CoverageTarget) -> Finding:
    """Enough goals of each matchday have a clip, of those whose search is over."""
    found = {day: store.of_day(day).searched for day in sorted(days)}
    return Finding(
        all(target.is_met(coverage) for coverage in found.values()),
        "; ".join(f"{day}: {coverage.sentence}" for day, coverage in found.items()) or "no goals",
        {
            "target": target.share,
            "judged_from": target.goals,
            **{day.isoformat(): coverage_figures(coverage) for day, coverage in found.items()},
        },
    )


def coverage_figures(coverage: Coverage, prefix: str = "") -> dict[str, float]:
    """As numbers, which Dagster plots; shares only where there are goals."""
    counts: dict[str, float | None] = {
        "goals": coverage.goals,
        "with_clip": coverage.with_clip,
        "with_verified_clip": coverage.verified,
        "coverage": coverage.share,
        "verified_coverage": coverage.verified_share,
    }
    return {f"{prefix}{name}": value for name, value in counts.items() if value is not None}


def day_figures(store: CoverageStore, day: date) -> dict[str, float]:
    return coverage_figures(store.of_day(day).stable, "stable_")


def match_figures(store: CoverageStore, fixture_id: int) -> dict[str, float]:
    found = store.of_matches([fixture_id])
    stable = found[fixture_id].stable if fixture_id in found else Coverage()
    return coverage_figures(stable, "match_")


def days_of_goals(store: CoverageStore, event_ids: Collection[str] | None) -> list[date]:
    """The matchdays of these goals; without any, the latest with goals."""
    if event_ids is None:
        latest = store.latest_day()
        return [latest] if latest else []
    return sorted({day for name in event_ids if (day := store.day_of_goal(name))})
