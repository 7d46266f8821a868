"""When a goal is due to be searched for, and when its videos wait to be fetched."""

import dagster as dg

from footy_assets.assets.clips import clips
from footy_assets.assets.discovered_videos import known_goals, search_job, searched_goals
from footy_assets.assets.labels import (
    EVENT_TAG,
    LABEL_TAG,
    PRIORITY_TAG,
    WORK_TAG,
    clips_label,
    sweep_label,
)
from footy_assets.assets.partitions import goals
from footy_assets.assets.runs import under_way
from footy_assets.operations.rules import search_plan
from footy_assets.settings import Settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore
from resources.clock import ClockResource
from resources.mongo import MongoResource

LOOK_EVERY_SECONDS = 5
CLIPS_AT_A_TIME = 8

clips_job = dg.define_asset_job(
    "fetch_clips",
    selection=dg.AssetSelection.assets(clips),
    description="Fetch, judge, compare and store the videos that wait for one goal.",
)


def search_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="search_due",
        job=search_job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Opens the search for goals that became stable, closes what ran out of time, and asks "
            "for a sweep when an attempt is due and none is under way (S1, S2)."
        ),
    )
    def search_due(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        now, searches = clock.clock().now(), SearchStore(mongo.database)
        searches.open_searches()
        closed = searches.close_overdue(now, search_plan(settings).give_up_after)
        partitions = partition_changes(context, MatchdayStore(mongo.database))
        due = searches.due(now)
        if not due:
            told = f"{len(closed)} closed by the deadline" if closed else "nothing is due"
            return dg.SensorResult(skip_reason=told, dynamic_partitions_requests=partitions)
        if under_way(context.instance, search_job.name):
            return dg.SensorResult(
                skip_reason=f"{len(due)} due, a sweep is under way",
                dynamic_partitions_requests=partitions,
            )
        # Searches go before clips: one that waits finds less.
        tags = {LABEL_TAG: sweep_label(len(due)), PRIORITY_TAG: "10"}
        request = dg.RunRequest(tags=tags)
        return dg.SensorResult(run_requests=[request], dynamic_partitions_requests=partitions)

    return search_due


def partition_changes(
    context: dg.SensorEvaluationContext, store: MatchdayStore
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    """A goal that is searched for gets its partition. One that was removed or renamed keeps it, for
    runs may be at it and its history is there, until its match is forgotten (F9)."""
    partitions = set(context.instance.get_dynamic_partitions("goals"))
    changes: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if added := sorted(searched_goals(store) - partitions):
        changes.append(goals.build_add_request(added))
    if partitions and (gone := sorted(partitions - known_goals(store))):
        changes.append(goals.build_delete_request(gone))
    return changes


def clips_due_sensor(settings: Settings) -> dg.SensorDefinition:
    @dg.sensor(
        name="clips_due",
        job=clips_job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Asks for a run for every goal with videos that wait, one at a time each.",
    )
    def clips_due(context: dg.SensorEvaluationContext, mongo: MongoResource) -> dg.SensorResult:
        documents = ClipDocuments(mongo.database)
        known = set(context.instance.get_dynamic_partitions("goals"))
        requests = []
        for goal_key in documents.goals_with_work():
            goal = documents.goal(goal_key)
            if goal is None or not goal.live or goal.event_id not in known:
                continue
            if under_way(context.instance, clips_job.name, {EVENT_TAG: goal_key}):
                continue
            label = clips_label(documents.fixture_of(goal), goal, documents.waiting(goal_key))
            requests.append(
                dg.RunRequest(
                    partition_key=goal.event_id,
                    tags={EVENT_TAG: goal_key, WORK_TAG: "clips", LABEL_TAG: label},
                )
            )
            if len(requests) == CLIPS_AT_A_TIME:
                break
        skip = None if requests else "no videos wait"
        return dg.SensorResult(run_requests=requests, skip_reason=skip)

    return clips_due
