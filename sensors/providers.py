"""The sensor that grades the providers every 15 s."""

import dagster as dg

from footy_assets.providers.checks import ASSET, evaluate_checks
from footy_assets.providers.health import HealthMonitor
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource
from resources.provider.connection import ProvidersFileLoader

INTERVAL_SECONDS = 15


def provider_health_sensor(settings: Settings) -> dg.SensorDefinition:
    load_file = ProvidersFileLoader(settings)

    @dg.sensor(
        name="provider_health",
        asset_selection=dg.AssetSelection.assets(ASSET),
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Grades data freshness every 15 s, and reports the checks of `live_events` when the "
            "grade changes."
        ),
    )
    def provider_health(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        monitor = HealthMonitor(mongo.database, load_file)
        evaluation = monitor.evaluate_if_due(clock.clock().now())
        grade = str(evaluation.all if evaluation is not None else monitor.state.grade()[0].grade)
        if grade == context.cursor:
            return dg.SensorResult(skip_reason=f"still {grade}")
        return dg.SensorResult(
            skip_reason=f"now {grade}",
            cursor=grade,
            asset_events=evaluate_checks(monitor, clock.clock().now()),
        )

    return provider_health
