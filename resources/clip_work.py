"""The work on clips as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import PrivateAttr

from footy_assets.operations.clips import ClipWork
from footy_assets.settings import load_settings
from resources.clip_store import ClipStore
from resources.clip_work_connection import open_clip_work
from resources.mongo import MongoResource
from resources.s3 import S3ClipsResource


class ClipWorkResource(ConfigurableResource["ClipWorkResource"]):
    """Fetching, judging and storing clips, as the settings say."""

    mongo: MongoResource
    s3: S3ClipsResource

    _work: ClipWork | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["ClipWorkResource"]:
        with open_clip_work(load_settings(), self.mongo.database, self.s3.store) as work:
            self._work = work
            try:
                yield self
            finally:
                self._work = None

    @property
    def work(self) -> ClipWork:
        if self._work is None:
            raise RuntimeError("ClipWorkResource has work only while Dagster executes with it")
        return self._work

    @property
    def objects(self) -> ClipStore:
        return self.s3.store
