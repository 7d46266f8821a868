"""Asset checks of `team_aliases` and `discovered_videos` (SE3, SE7): every team has aliases, and
every site can be searched and has results (SE5)."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import dagster as dg

from footy_assets.findings import Finding
from footy_assets.matchday.partitions import matchday_of
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.aliases import teams_of
from footy_assets.search.audit import aliases_found_out, aliases_known
from footy_assets.search.site_health import canary_works, site_works
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.settings import SITES
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

# By key: the module of the assets imports this one.
TEAM_ALIASES = dg.AssetKey("team_aliases")
DISCOVERED_VIDEOS = dg.AssetKey("discovered_videos")


def alias_check(
    evaluate: Callable[[TeamAliasStore, Sequence[Side]], Finding],
) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=TEAM_ALIASES, name=evaluate.__name__, description=evaluate.__doc__)
    def check(
        context: dg.AssetCheckExecutionContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.AssetCheckResult:
        now = clock.clock().now()
        store = MatchdayStore(mongo.database)
        run = context.op_execution_context
        has_days = run.has_partition_key or run.has_partition_key_range
        days = [matchday_of(key) for key in run.partition_keys] if has_days else [now.date()]
        teams = {team.id: team for day in days for team in teams_of(store, day, now)}
        finding = evaluate(TeamAliasStore(mongo.database), list(teams.values()))
        return dg.AssetCheckResult(
            passed=finding.passed,
            severity=dg.AssetCheckSeverity.WARN,
            description=finding.summary,
            metadata=finding.details,
        )

    return check


alias_checks = [alias_check(aliases_known), alias_check(aliases_found_out)]


def check_name(site: str) -> str:
    return f"{site}_works"


def evaluate_site(health: SiteHealth, site: str, searched: Collection[str]) -> dict[str, Any]:
    """The result of the last search. An outage that only an operator can end is an error."""
    if site not in searched:
        return {"passed": True, "description": "switched off"}
    found = site_works(health, site)
    error = bool(found.details.get("needs_person"))
    return {
        "passed": found.passed,
        "description": found.summary,
        "metadata": found.details,
        "severity": dg.AssetCheckSeverity.ERROR if error else dg.AssetCheckSeverity.WARN,
    }


def canary_check_name(site: str) -> str:
    return f"{site}_canary"


def evaluate_canary(health: SiteHealth, site: str, searched: Collection[str]) -> dict[str, Any]:
    if site not in searched:
        return {"passed": True, "description": "switched off"}
    found = canary_works(health, site)
    return {
        "passed": found.passed,
        "description": found.summary,
        "metadata": found.details,
        "severity": dg.AssetCheckSeverity.WARN,
    }


def site_evaluations(
    health: SiteHealth, searched: Collection[str]
) -> list[dg.AssetCheckEvaluation]:
    """For the sweep, which is not a run of the asset."""
    return [
        dg.AssetCheckEvaluation(
            asset_key=DISCOVERED_VIDEOS,
            check_name=name_of(site),
            **evaluate(health, site, searched),
        )
        for site in SITES
        for name_of, evaluate in SITE_CHECKS
    ]


def site_check(site: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=DISCOVERED_VIDEOS,
        name=check_name(site),
        description=f"The last search of {site} got an answer, and its login holds (SE7).",
    )
    def check(mongo: MongoResource, policy: PolicyResource) -> dg.AssetCheckResult:
        searched = policy.as_settings().sites
        return dg.AssetCheckResult(**evaluate_site(SiteHealth(mongo.database), site, searched))

    return check


def canary_check(site: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=DISCOVERED_VIDEOS,
        name=canary_check_name(site),
        description=f"The last canary of {site}, a search that always has results, had some (SE5).",
    )
    def check(mongo: MongoResource, policy: PolicyResource) -> dg.AssetCheckResult:
        searched = policy.as_settings().sites
        return dg.AssetCheckResult(**evaluate_canary(SiteHealth(mongo.database), site, searched))

    return check


SITE_CHECKS = ((check_name, evaluate_site), (canary_check_name, evaluate_canary))
site_checks = [check(site) for site in SITES for check in (site_check, canary_check)]
