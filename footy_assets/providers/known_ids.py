"""L1: people name a match by our number or by a provider's id, such as `espn:760415`."""

from collections.abc import Iterable

from pymongo.database import Database

from footy_assets.errors import NotFound
from footy_assets.providers.store.provider_ids import ProviderIds
from footy_assets.store.collections import Document


def our_match_ids(database: Database[Document], given: Iterable[int | str]) -> list[int]:
    """Our numbers; a text is a provider and its id. Raises `NotFound` for a match that the
    provider has never reported."""
    ids = ProviderIds(database)
    return [one if isinstance(one, int) else _our_match_id(ids, one) for one in given]


def _our_match_id(ids: ProviderIds, text: str) -> int:
    provider, _, theirs = text.partition(":")
    ours = ids.match(provider, theirs)
    if ours is None:
        raise NotFound(
            f"no match is known as {text}",
            f"Ingest its day first (footy ingest --date D): {provider} must have listed it",
        )
    return ours
