"""Clips on S3 as a Dagster resource."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

from dagster_aws.s3 import S3Resource
from pydantic import Field, SecretStr

from footy_assets.errors import BadInput
from footy_assets.settings import Settings
from resources.from_settings import as_field
from resources.health import ServerHealth
from resources.run_scoped import RunScoped
from resources.s3.client import ATTEMPTS, S3Address
from resources.s3.clip_store import ClipStore
from resources.s3.connection import health, open_clip_store

REGION = "us-east-1"


class S3ClipsResource(RunScoped[ClipStore], S3Resource):
    """dagster-aws's S3 resource with our bucket, and the embedded server if none is configured.

    Pass the keys as `EnvVar`: Dagster shows a resource's fields in its UI.
    """

    max_attempts: int = Field(default=ATTEMPTS, description="How often a request is tried.")
    bucket: str = Field(default="footy-videos", description="The bucket for clips.")
    home: str | None = Field(default=None, description="The data folder of the embedded server.")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            endpoint_url=settings.s3_endpoint_url,
            region_name=settings.s3_region,
            aws_access_key_id=as_field(settings, "s3_access_key_id"),
            aws_secret_access_key=as_field(settings, "s3_secret_access_key"),
            bucket=settings.s3_bucket,
            home=str(settings.home),
        )

    def open(self) -> AbstractContextManager[ClipStore]:
        if self.endpoint_url is None and self.home is None:
            raise BadInput(
                "the s3 resource has neither an endpoint_url nor a home",
                "Set FOOTY_S3_ENDPOINT_URL, or FOOTY_HOME for the embedded server",
            )
        region, home = self.region_name or REGION, Path(self.home or ".")
        return open_clip_store(self._address(region), self.bucket, home, region, **self._options())

    @property
    def store(self) -> ClipStore:
        return self.value

    def get_client(self) -> Any:
        return self.store.client

    def get_object_to_set_on_execution_context(self) -> Any:
        return self

    def health(self) -> ServerHealth:
        return health(self.store)

    def _address(self, region: str) -> S3Address | None:
        if self.endpoint_url is None:
            return None
        key, secret = self.aws_access_key_id, self.aws_secret_access_key
        return S3Address(
            self.endpoint_url,
            region,
            SecretStr(key) if key else None,
            SecretStr(secret) if secret else None,
        )

    def _options(self) -> dict[str, Any]:
        """The other options of dagster-aws's resource."""
        given = {
            "attempts": self.max_attempts,
            "unsigned": self.use_unsigned_session or None,
            "profile_name": self.profile_name,
            "verify": self.verify,
            "aws_session_token": self.aws_session_token,
        }
        found = {name: value for name, value in given.items() if value is not None}
        return found if self.use_ssl else {**found, "use_ssl": False}
