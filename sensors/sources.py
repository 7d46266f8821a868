"""The pulse of the sources, every 15 s."""

import dagster as dg

from footy_assets.assets.source_health import ASSET, evaluations_of
from footy_assets.operations.sources_health import Pulse
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.football_sources import SourcesOnDisk
from resources.mongo import MongoResource

LOOK_EVERY_SECONDS = 15


def source_health_sensor(settings: Settings) -> dg.SensorDefinition:
    on_disk = SourcesOnDisk(settings)

    @dg.sensor(
        name="source_health",
        asset_selection=dg.AssetSelection.assets(ASSET),
        minimum_interval_seconds=LOOK_EVERY_SECONDS if settings.speed == 1 else 1,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Grades how fresh our knowledge of the matches in play is, and tells a check of "
            "`live_events` when the grade has changed."
        ),
    )
    def source_health(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        pulse = Pulse(mongo.database, on_disk)
        graded = pulse.look_if_due(clock.clock().now())
        grade = str(graded.all if graded is not None else pulse.state.grade()[0].grade)
        if grade == context.cursor:
            return dg.SensorResult(skip_reason=f"still {grade}")
        return dg.SensorResult(
            skip_reason=f"now {grade}",
            cursor=grade,
            asset_events=evaluations_of(pulse, clock.clock().now()),
        )

    return source_health
