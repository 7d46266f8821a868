"""The sensor of searches: requests a sweep when attempts are due."""

import dagster as dg

from footy_assets.matchday.partitions import goals
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.policies import canary_rules, is_searched_ahead, search_plan
from footy_assets.run_labels import LABEL_TAG, PRIORITY_TAG, canary_label, sweep_label
from footy_assets.runs import count_active_runs, ended_runs
from footy_assets.search.agenda import sweeps_wanted, update_agenda
from footy_assets.search.jobs import search_job
from footy_assets.search.partitions import partition_changes
from footy_assets.search.site_health import sites_with_due_canary
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.claims import SearchClaims
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource

INTERVAL_SECONDS = 5


def search_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="search_due",
        job=search_job,
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Opens searches for stable goals and ahead of stable, closes those past their "
            "deadline, and requests a sweep when an attempt or a canary is due and no sweep is "
            "active, more than one only where FOOTY_SWEEPS allows it (SE1, SE2, SE5, SE8)."
        ),
    )
    def search_due(
        context: dg.SensorEvaluationContext,
        mongo: MongoResource,
        clock: ClockResource,
        policy: PolicyResource,
    ) -> dg.SensorResult:
        own, now = policy.as_settings(), clock.clock().now()
        searches, health = SearchStore(mongo.database), SiteHealth(mongo.database)
        ahead = AheadStore(mongo.database) if is_searched_ahead(own) else None
        release_claims_of_ended_runs(context.instance, SearchClaims(mongo.database))
        agenda = update_agenda(searches, now, search_plan(own), ahead)
        canaries = sites_with_due_canary(health, own.sites, now, canary_rules(own))
        partitions = partition_requests(context, searches, GoalStore(mongo.database))
        if not agenda.due and not canaries:
            reason = (
                f"{agenda.closed} closed by the deadline" if agenda.closed else "nothing is due"
            )
            return dg.SensorResult(skip_reason=reason, dynamic_partitions_requests=partitions)
        active = count_active_runs(context.instance, search_job.name)
        if active >= max(1, sweeps_wanted(agenda.due, settings.sweeps)):
            sweeps = "a sweep is" if active == 1 else f"{active} sweeps are"
            return dg.SensorResult(
                skip_reason=f"{agenda.due} and {len(canaries)} canaries due, {sweeps} active",
                dynamic_partitions_requests=partitions,
            )
        # Searches run before clips: a late search finds less. A canary may wait.
        tags = (
            {LABEL_TAG: sweep_label(agenda.due), PRIORITY_TAG: "10"}
            if agenda.due
            else {LABEL_TAG: canary_label(len(canaries))}
        )
        request = dg.RunRequest(tags=tags)
        return dg.SensorResult(run_requests=[request], dynamic_partitions_requests=partitions)

    return search_due


def release_claims_of_ended_runs(instance: dg.DagsterInstance, claims: SearchClaims) -> None:
    """SE1: a run that was killed cannot give back what it has claimed."""
    if ended := ended_runs(instance, claims.holders()):
        claims.release(ended)


def partition_requests(
    context: dg.SensorEvaluationContext, searches: SearchStore, store: GoalStore
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    partitions = set(context.instance.get_dynamic_partitions("goals"))
    changes = partition_changes(partitions, searches.searched_event_ids(), store.all_event_ids())
    requests: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if changes.added:
        requests.append(goals.build_add_request(list(changes.added)))
    if changes.deleted:
        requests.append(goals.build_delete_request(list(changes.deleted)))
    return requests
