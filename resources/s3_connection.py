"""An S3 server to keep clips on: the configured one, else this home's private server."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from pydantic import SecretStr

from footy_assets.errors import BadInput, FootyError
from footy_assets.retries import RETRIES
from footy_assets.settings import Settings
from resources.clip_store import ClipStore
from resources.embedded.weed import embedded_s3
from resources.health import Health

HEALTH_PREFIX = ".footy-health/"
CONNECT_SECONDS, ATTEMPTS = 5, 3
READ_SECONDS = RETRIES["upload"].timeout


@dataclass(frozen=True)
class S3Address:
    """Where S3 is and how to sign; no keys means the usual AWS credential chain."""

    endpoint_url: str
    region: str
    access_key_id: SecretStr | None = None
    secret_access_key: SecretStr | None = None


@contextmanager
def s3_address(settings: Settings) -> Iterator[S3Address]:
    """The configured server's address, or that of the private one, which runs meanwhile."""
    if settings.s3_endpoint_url is not None:
        yield S3Address(
            settings.s3_endpoint_url,
            settings.s3_region,
            settings.s3_access_key_id,
            settings.s3_secret_access_key,
        )
        return
    with embedded_s3(settings.home) as server:
        yield S3Address(
            server.endpoint_url,
            settings.s3_region,
            SecretStr(server.access_key_id),
            SecretStr(server.secret_access_key),
        )


@contextmanager
def open_s3(settings: Settings) -> Iterator[ClipStore]:
    """The clip store of these settings; its bucket is made when it is first used."""
    with s3_address(settings) as address:
        client = connect(address)
        try:
            yield ClipStore(client, settings.s3_bucket)
        finally:
            client.close()


def connect(address: S3Address) -> Any:
    """A boto3 client; path-style, as servers other than AWS need it."""
    try:
        return boto3.session.Session().client(
            "s3",
            endpoint_url=address.endpoint_url,
            region_name=address.region,
            aws_access_key_id=revealed(address.access_key_id),
            aws_secret_access_key=revealed(address.secret_access_key),
            config=Config(
                s3={"addressing_style": "path"},
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            ),
        )
    except ValueError as error:
        raise BadInput(
            "FOOTY_S3_ENDPOINT_URL is not an address", "Write it as http://host:port"
        ) from error


def revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def health(store: ClipStore) -> Health:
    """Write, read and delete a small object, and say how long that takes."""
    key, body = HEALTH_PREFIX + secrets.token_hex(8), secrets.token_bytes(32)
    started = time.perf_counter()
    try:
        store.put(key, body)
        same = store.get(key) == body
        store.delete(key)
    except FootyError as error:
        return Health(ok=False, detail=str(error))
    latency_ms = (time.perf_counter() - started) * 1000
    outcome = "round trip ok" if same else "read back other bytes than were written"
    return Health(
        ok=same,
        detail=f"S3 at {store.endpoint}, bucket {store.bucket}: {outcome}",
        latency_ms=round(latency_ms, 2),
    )
