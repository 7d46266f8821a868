"""The sensor that grades the providers every 15 s."""

import dagster as dg

from footy_assets.providers.checks import ASSET, evaluate_checks
from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.recovery import Recovery
from footy_assets.providers.store.refusals import ProviderRefusals
from footy_assets.settings import Settings
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

INTERVAL_SECONDS = 15


def provider_health_sensor(settings: Settings) -> dg.SensorDefinition:
    load_file = ProvidersFileLoader(settings)

    @dg.sensor(
        name="provider_health",
        asset_selection=dg.AssetSelection.assets(ASSET),
        minimum_interval_seconds=settings.sensor_interval(INTERVAL_SECONDS),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Grades data freshness every 15 s, recovers a provider that is alone and fails, and "
            "reports the checks of `live_events` when the grade or the number of unsure mappings "
            "changes."
        ),
    )
    def provider_health(
        context: dg.SensorEvaluationContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.SensorResult:
        now, monitor = clock.clock().now(), HealthMonitor(mongo.database, load_file)
        monitor.evaluate_if_due(now)
        state = monitor.state_of_checks()
        evaluations = [] if state == context.cursor else evaluate_checks(monitor, now)
        content = load_file()
        if content.only_lead:
            # With others, the watcher does this.
            recovery = Recovery(monitor, content.lead, {}, ProviderRefusals(mongo.database))
            recovery.step(now)
            recovery.settle(now)
        if state == context.cursor:
            return dg.SensorResult(skip_reason=f"still {state}")
        return dg.SensorResult(skip_reason=f"now {state}", cursor=state, asset_events=evaluations)

    return provider_health
