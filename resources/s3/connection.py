"""Opens the S3 bucket of clips: the configured server, else the embedded one of this home."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from footy_assets.errors import FootyError
from footy_assets.settings import Settings
from resources.embedded.weed import embedded_s3
from resources.health import ServerHealth
from resources.s3.client import S3Address, connect
from resources.s3.clip_store import ClipStore

HEALTH_PREFIX = ".footy-health/"


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


def health(store: ClipStore) -> ServerHealth:
    """Write, read and delete a small object."""
    key, body = HEALTH_PREFIX + secrets.token_hex(8), secrets.token_bytes(32)
    try:
        store.put(key, body)
        same = store.get(key) == body
        store.delete(key)
        server = store.server()
    except FootyError as error:
        return ServerHealth(ok=False, detail=str(error))
    outcome = "round trip ok" if same else "read back other bytes than were written"
    return ServerHealth(
        ok=same,
        detail=f"S3 at {store.endpoint} ({server}), bucket {store.bucket}: {outcome}",
    )
