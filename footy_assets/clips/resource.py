"""The work on clips as a Dagster resource."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from dagster import ConfigurableResource

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.connection import open_clip_work, open_held_publisher
from footy_assets.clips.held_in_tick import publish_in_tick
from footy_assets.clips.work import ClipWork
from footy_assets.matchday.rules.goal import GoalEvent
from resources.clock import ClockResource
from resources.from_settings import FromSettings, setting
from resources.mongo.resource import MongoResource
from resources.run_scoped import RunScoped
from resources.s3.clip_store import ClipStore
from resources.s3.resource import S3ClipsResource


class ClipWorkResource(FromSettings, RunScoped[ClipWork], ConfigurableResource["ClipWorkResource"]):
    """Downloading, validating and publishing clips."""

    mongo: MongoResource
    s3: S3ClipsResource
    clock: ClockResource
    home: str = setting("home")
    clip_longer_than_seconds: float = setting("clip_longer_than_seconds")
    clip_up_to_seconds: float = setting("clip_up_to_seconds")
    clip_short_edge: int = setting("clip_short_edge")
    clip_portrait: bool = setting("clip_portrait")
    clip_height: int = setting("clip_height")
    x_url: str = setting("x_url")
    x_cookies_file: str | None = setting("x_cookies_file")
    download_megabytes: int = setting("download_megabytes")
    downloads_at_once: int = setting("downloads_at_once")
    clip_runs: int = setting("clip_runs")
    download_hosts: str = setting("download_hosts")
    clip_hosts: str = setting("clip_hosts")
    download_private_addresses: bool = setting("download_private_addresses")
    vision_url: str | None = setting("vision_url")
    vision_model: str = setting("vision_model")
    vision_key: str | None = setting("vision_key")
    vision_mode: str = setting("vision_mode")
    vision_at_once: int = setting("vision_at_once")
    vision_calls_per_day: int = setting("vision_calls_per_day")
    vision_usd_per_day: float = setting("vision_usd_per_day")
    vision_usd_per_mtoken_in: float = setting("vision_usd_per_mtoken_in")
    vision_usd_per_mtoken_out: float = setting("vision_usd_per_mtoken_out")

    def open(self) -> AbstractContextManager[ClipWork]:
        return open_clip_work(
            self.as_settings(), self.mongo.database, self.s3.store, self.clock.clock()
        )

    @property
    def work(self) -> ClipWork:
        return self.value

    @property
    def objects(self) -> ClipStore:
        return self.s3.store


class HeldClipsResource(FromSettings, ConfigurableResource["HeldClipsResource"]):
    """SE8: publishes, within a tick, what is held for goals that become stable."""

    mongo: MongoResource
    clock: ClockResource
    home: str = setting("home")
    s3_endpoint_url: str | None = setting("s3_endpoint_url")
    s3_region: str = setting("s3_region")
    s3_bucket: str = setting("s3_bucket")
    s3_access_key_id: str | None = setting("s3_access_key_id")
    s3_secret_access_key: str | None = setting("s3_secret_access_key")

    def publish(self, goals: Sequence[GoalEvent]) -> list[ClipBatch]:
        database, clock = self.mongo.database, self.clock.clock()
        settings = self.as_settings()
        return publish_in_tick(
            database, lambda: open_held_publisher(settings, database, clock), goals
        )
