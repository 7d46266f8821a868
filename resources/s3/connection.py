"""Opens the S3 bucket of clips: the configured server, else the embedded one of this home."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore import UNSIGNED
from botocore.config import Config
from pydantic import SecretStr

from footy_assets.errors import BadInput, FootyError
from footy_assets.retries import RETRIES
from footy_assets.settings import Settings
from resources.embedded.weed import embedded_s3
from resources.health import Health
from resources.s3.clip_store import ClipStore

HEALTH_PREFIX = ".footy-health/"
CONNECT_SECONDS, ATTEMPTS = 5, 3
READ_SECONDS = RETRIES["upload"].timeout


@dataclass(frozen=True)
class S3Address:
    """S3's address and keys; without keys, AWS's credential chain is used."""

    endpoint_url: str
    region: str
    access_key_id: SecretStr | None = None
    secret_access_key: SecretStr | None = None


@contextmanager
def open_s3(settings: Settings) -> Iterator[ClipStore]:
    """The clip store of these settings."""
    address = None
    if settings.s3_endpoint_url is not None:
        address = S3Address(
            settings.s3_endpoint_url,
            settings.s3_region,
            settings.s3_access_key_id,
            settings.s3_secret_access_key,
        )
    with open_clip_store(address, settings.s3_bucket, settings.home, settings.s3_region) as store:
        yield store


@contextmanager
def open_clip_store(
    address: S3Address | None, bucket: str, home: Path, region: str, **options: Any
) -> Iterator[ClipStore]:
    """The bucket at this address, else on the embedded server of `home`. It is created on first
    use."""
    with ExitStack() as stack:
        if address is None:
            server = stack.enter_context(embedded_s3(home))
            keys = SecretStr(server.access_key_id), SecretStr(server.secret_access_key)
            address = S3Address(server.endpoint_url, region, *keys)
        client = connect(address, **options)
        stack.callback(client.close)
        yield ClipStore(client, bucket)


def connect(
    address: S3Address,
    attempts: int = ATTEMPTS,
    profile_name: str | None = None,
    unsigned: bool = False,
    **options: Any,
) -> Any:
    """The only place that makes a boto3 client; path-style, which servers other than AWS need."""
    signing = {"signature_version": UNSIGNED} if unsigned else {}
    try:
        return boto3.session.Session(profile_name=profile_name).client(
            "s3",
            **options,
            endpoint_url=address.endpoint_url,
            region_name=address.region,
            aws_access_key_id=reveal(address.access_key_id),
            aws_secret_access_key=reveal(address.secret_access_key),
            config=Config(
                s3={"addressing_style": "path"},
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"mode": "standard", "total_max_attempts": attempts},
                **signing,
            ),
        )
    except ValueError as error:
        raise BadInput(
            "FOOTY_S3_ENDPOINT_URL is not an address", "Write it as http://host:port"
        ) from error


def reveal(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def health(store: ClipStore) -> Health:
    """Write, read and delete a small object."""
    key, body = HEALTH_PREFIX + secrets.token_hex(8), secrets.token_bytes(32)
    try:
        store.put(key, body)
        same = store.get(key) == body
        store.delete(key)
    except FootyError as error:
        return Health(ok=False, detail=str(error))
    outcome = "round trip ok" if same else "read back other bytes than were written"
    return Health(
        ok=same,
        detail=f"S3 at {store.endpoint}, bucket {store.bucket}: {outcome}",
    )
