"""What `footy doctor` says of the servers that several machines share."""

from collections.abc import Iterator

from footy_assets.errors import FootyError
from footy_assets.runtime.check_result import CheckResult
from footy_assets.runtime.instance_config import require_distributed_settings
from footy_assets.runtime.shared_servers import broker_health, postgres_health
from footy_assets.settings import Settings


def examine_shared_servers(settings: Settings) -> Iterator[CheckResult]:
    """Nothing, where runs start on this machine and Dagster keeps them in SQLite."""
    if settings.dagster_postgres_url is None and settings.broker_url is None:
        return
    try:
        require_distributed_settings(settings)
    except FootyError as error:
        yield CheckResult("several machines", False, str(error), error.fix)
        return
    if settings.dagster_postgres_url is not None:
        health = postgres_health(settings.dagster_postgres_url)
        fix = "Check FOOTY_DAGSTER_POSTGRES_URL; PostgreSQL 12 or newer is needed"
        yield CheckResult("PostgreSQL", health.ok, health.detail, fix)
    if settings.broker_url is not None:
        health = broker_health(settings.broker_url)
        fix = "Check FOOTY_BROKER_URL; it must be RabbitMQ"
        yield CheckResult("broker", health.ok, health.detail, fix)
