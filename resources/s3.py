"""Clips on S3 as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dagster import InitResourceContext
from dagster_aws.s3 import S3Resource
from pydantic import Field, PrivateAttr

from footy_assets.settings import Settings, load_settings
from resources.clip_store import ClipStore
from resources.health import Health
from resources.s3_connection import health, revealed, s3_address


class S3ClipsResource(S3Resource):
    """dagster-aws's S3 resource with our bucket, and a private server where none is configured.

    What is left out comes from the settings (`FOOTY_*`, `.env`). Leave the keys out: Dagster
    shows a resource's fields in its UI.
    """

    bucket: str | None = Field(default=None, description="The bucket for clips.")
    home: str | None = Field(default=None, description="Where the embedded server keeps its data.")

    _store: ClipStore | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["S3ClipsResource"]:
        settings = self._settings()
        with s3_address(settings) as address:
            located = S3Resource(
                use_unsigned_session=self.use_unsigned_session,
                max_attempts=self.max_attempts,
                profile_name=self.profile_name,
                use_ssl=self.use_ssl,
                verify=self.verify,
                aws_session_token=self.aws_session_token,
                endpoint_url=address.endpoint_url,
                region_name=address.region,
                aws_access_key_id=revealed(address.access_key_id),
                aws_secret_access_key=revealed(address.secret_access_key),
            )
            client = located.get_client()
            self._store = ClipStore(client, settings.s3_bucket)
            try:
                yield self
            finally:
                self._store = None
                client.close()

    @property
    def store(self) -> ClipStore:
        if self._store is None:
            raise RuntimeError("S3ClipsResource has a store only while Dagster executes with it")
        return self._store

    def get_client(self) -> Any:
        return self.store.client

    def get_object_to_set_on_execution_context(self) -> Any:
        return self

    def health(self) -> Health:
        return health(self.store)

    def _settings(self) -> Settings:
        given = {
            "s3_endpoint_url": self.endpoint_url,
            "s3_region": self.region_name,
            "s3_access_key_id": self.aws_access_key_id,
            "s3_secret_access_key": self.aws_secret_access_key,
            "s3_bucket": self.bucket,
            "home": self.home,
        }
        return load_settings(**{name: value for name, value in given.items() if value is not None})
