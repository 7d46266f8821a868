"""The alias model, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from resources.language_model.alias_picker import LEASE, AliasPickerClient


@contextmanager
def open_alias_picker(
    settings: Settings, database: Database[Document], clock: Clock
) -> Iterator[AliasPickerClient | None]:
    """The configured model, or None: the ranking needs no service (SE3)."""
    if settings.alias_llm_url is None:
        yield None
        return
    key = settings.alias_llm_key.get_secret_value() if settings.alias_llm_key else None
    with AliasPickerClient(
        settings.alias_llm_url,
        settings.alias_llm_model,
        clock=clock,
        leases=Leases(database),
        spending=Spending(database, LEASE),
        cap=Cap(settings.alias_llm_calls_per_day, 0),
        key=key,
    ) as client:
        yield client
