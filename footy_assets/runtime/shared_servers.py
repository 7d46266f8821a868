"""Whether the servers that several machines share answer: Postgres of Dagster, and the broker."""

from urllib.parse import urlsplit

from pydantic import SecretStr

from footy_assets.errors import Unavailable
from footy_assets.runtime.instance_config import with_driver
from footy_assets.settings import Settings
from resources.health import ServerHealth

CONNECT_SECONDS = 5
OLDEST_POSTGRES = 12


def postgres_health(url: SecretStr) -> ServerHealth:
    """Connects and reads the version."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(
        with_driver(url), connect_args={"connect_timeout": CONNECT_SECONDS}
    )
    try:
        with engine.connect() as connection:
            version = str(connection.exec_driver_sql("SHOW server_version").scalar_one())
    except sqlalchemy.exc.SQLAlchemyError as error:
        return ServerHealth(ok=False, detail=f"{_address(url)}: {_first_line(error)}")
    finally:
        engine.dispose()
    recent = int(version.split(".")[0].split()[0]) >= OLDEST_POSTGRES
    return ServerHealth(ok=recent, detail=f"PostgreSQL {version} at {_address(url)}")


def broker_health(url: SecretStr) -> ServerHealth:
    """Connects and reads what the broker is."""
    from kombu import Connection
    from kombu.exceptions import KombuError

    address = _address(url)
    try:
        with Connection(url.get_secret_value(), connect_timeout=CONNECT_SECONDS) as connection:
            connection.connect()
            about = dict(getattr(connection.connection, "server_properties", {}))
    except (OSError, KombuError, *Connection(url.get_secret_value()).connection_errors) as error:
        return ServerHealth(ok=False, detail=f"{address}: {_first_line(error)}")
    product, version = about.get("product", "a broker"), about.get("version", "")
    return ServerHealth(ok=product == "RabbitMQ", detail=f"{product} {version} at {address}")


def require_shared_answers(settings: Settings) -> None:
    """Raises `Unavailable` if Postgres or the broker is configured and does not answer."""
    if settings.dagster_postgres_url is not None:
        health = postgres_health(settings.dagster_postgres_url)
        if not health.ok:
            raise Unavailable(health.detail, "Check FOOTY_DAGSTER_POSTGRES_URL")
    if settings.broker_url is not None:
        health = broker_health(settings.broker_url)
        if not health.ok:
            raise Unavailable(health.detail, "Check FOOTY_BROKER_URL")


def _address(url: SecretStr) -> str:
    """Host and port, without name and password."""
    parts = urlsplit(url.get_secret_value())
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def _first_line(error: BaseException) -> str:
    text = str(getattr(error, "orig", None) or error).strip()
    return text.splitlines()[0] if text else type(error).__name__
