"""The sensor of searches: requests a sweep when attempts are due."""

import dagster as dg

from footy_assets.matchday.partitions import goals
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.policies import search_plan
from footy_assets.run_labels import LABEL_TAG, PRIORITY_TAG, sweep_label
from footy_assets.runs import has_active_run
from footy_assets.search.agenda import update_agenda
from footy_assets.search.jobs import search_job
from footy_assets.search.store.searches import SearchStore
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

INTERVAL_SECONDS = 5


def search_due_sensor(settings: Settings) -> dg.SensorDefinition:
    plan = search_plan(settings)

    @dg.sensor(
        name="search_due",
        job=search_job,
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Opens searches for stable goals, closes those past their deadline, and requests a "
            "sweep when an attempt is due and no sweep is active (SE1, SE2)."
        ),
    )
    def search_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        searches = SearchStore(mongo.database)
        agenda = update_agenda(searches, clock.clock().now(), plan)
        partitions = partition_changes(context, GoalStore(mongo.database))
        if not agenda.due:
            reason = (
                f"{agenda.closed} closed by the deadline" if agenda.closed else "nothing is due"
            )
            return dg.SensorResult(skip_reason=reason, dynamic_partitions_requests=partitions)
        if has_active_run(context.instance, search_job.name):
            return dg.SensorResult(
                skip_reason=f"{agenda.due} due, a sweep is active",
                dynamic_partitions_requests=partitions,
            )
        # Searches run before clips: a late search finds less.
        tags = {LABEL_TAG: sweep_label(agenda.due), PRIORITY_TAG: "10"}
        request = dg.RunRequest(tags=tags)
        return dg.SensorResult(run_requests=[request], dynamic_partitions_requests=partitions)

    return search_due


def partition_changes(
    context: dg.SensorEvaluationContext, store: GoalStore
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    """A goal gets its partition when its search opens. A removed or renamed goal keeps it until its
    match is deleted (F9): runs may still use it, and its history is there."""
    partitions = set(context.instance.get_dynamic_partitions("goals"))
    changes: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if added := sorted(store.searched_event_ids() - partitions):
        changes.append(goals.build_add_request(added))
    if partitions and (gone := sorted(partitions - store.all_event_ids())):
        changes.append(goals.build_delete_request(gone))
    return changes
