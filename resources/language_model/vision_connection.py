"""The vision model, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from resources.language_model.vision import LEASE, Prices, VisionClient


@contextmanager
def open_vision(
    settings: Settings, database: Database[Document], clock: Clock
) -> Iterator[VisionClient | None]:
    """The configured model, or None: the default needs no service (V4)."""
    if settings.vision_url is None:
        yield None
        return
    key = settings.vision_key.get_secret_value() if settings.vision_key else None
    with VisionClient(
        settings.vision_url,
        settings.vision_model,
        clock=clock,
        leases=Leases(database),
        spending=Spending(database, LEASE),
        cap=Cap(settings.vision_calls_per_day, round(settings.vision_usd_per_day * 1_000_000)),
        prices=Prices(settings.vision_usd_per_mtoken_in, settings.vision_usd_per_mtoken_out),
        key=key,
        at_once=settings.vision_at_once,
    ) as client:
        yield client
