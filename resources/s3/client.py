"""The boto3 client of S3."""

import hashlib
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import boto3
import botocore.session
from botocore import UNSIGNED
from botocore.config import Config
from botocore.loaders import Loader
from pydantic import SecretStr

from footy_assets.errors import BadInput
from footy_assets.retries import RETRIES

CONNECT_SECONDS, ATTEMPTS = 5, 3
READ_SECONDS = RETRIES["upload"].timeout


class SharedLoader(Loader):  # type: ignore[misc]
    """The descriptions of AWS's services, parsed once for all clients: each session would parse
    them again, which takes a tenth of a second of a core. The rest of a session stays its own."""

    @property
    def search_paths(self) -> list[str]:
        """A copy: boto3 adds its own folder with each session."""
        return list(self._search_paths)


_LOADER = SharedLoader()


@dataclass(frozen=True)
class S3Address:
    """S3's address and keys; without keys, AWS's credential chain is used."""

    endpoint_url: str
    region: str
    access_key_id: SecretStr | None = None
    secret_access_key: SecretStr | None = None


def connect(
    address: S3Address,
    attempts: int = ATTEMPTS,
    connect_seconds: float = CONNECT_SECONDS,
    read_seconds: float | None = READ_SECONDS,
    profile_name: str | None = None,
    unsigned: bool = False,
    **options: Any,
) -> Any:
    """The only place that makes a boto3 client; path-style, which servers other than AWS need."""
    signing = {"signature_version": UNSIGNED} if unsigned else {}
    session = botocore.session.Session(profile=profile_name)
    session.register_component("data_loader", _LOADER)
    try:
        client = boto3.session.Session(botocore_session=session).client(
            "s3",
            **options,
            endpoint_url=address.endpoint_url,
            region_name=address.region,
            aws_access_key_id=reveal(address.access_key_id),
            aws_secret_access_key=reveal(address.secret_access_key),
            config=Config(
                s3={"addressing_style": "path"},
                connect_timeout=connect_seconds,
                read_timeout=read_seconds,
                retries={"mode": "standard", "total_max_attempts": attempts},
                **signing,
            ),
        )
    except ValueError as error:
        raise BadInput(
            "FOOTY_S3_ENDPOINT_URL is not an address", "Write it as http://host:port"
        ) from error
    client.meta.events.register("before-call.s3.DeleteObjects", add_content_md5)
    return client


def add_content_md5(params: dict[str, Any], **_: object) -> None:
    """The digest that S3's API demands for DeleteObjects. boto3 sends a CRC instead, with which
    AWS is content, and other servers, such as OpenStack Swift, are not."""
    digest = hashlib.md5(params["body"], usedforsecurity=False).digest()
    params["headers"]["Content-MD5"] = b64encode(digest).decode()


def reveal(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
