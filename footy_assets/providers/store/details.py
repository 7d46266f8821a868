"""The details of matches, kept so that they are requested only when something has changed."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from pymongo import ReplaceOne
from pymongo.database import Database

from footy_assets.providers.rules.details_due import KnownDetails
from footy_assets.store.collections import PROVIDER_DETAILS, Document
from footy_assets.store.documents import DocumentConverter
from footy_assets.store.raw_documents import contents_of, decoded
from footy_assets.store.retrying import retry_on_disconnect

CONVERTER = DocumentConverter()
# Former versions stored them here.
WITHOUT_LINE_UPS = {"details.line_ups": 0}
# A few kB each.
CACHED_DETAILS = 512


@retry_on_disconnect
class DetailsStore:
    def __init__(self, database: Database[Document], domain: str) -> None:
        self._details = database[PROVIDER_DETAILS]
        self._domain = domain

    def of(self, match_ids: Iterable[int]) -> dict[int, KnownDetails]:
        keys = [self._key(id_) for id_ in match_ids]
        query = {"_id": {"$in": keys}}
        batches = self._details.find_raw_batches(query, WITHOUT_LINE_UPS, batch_size=len(keys) + 1)
        return dict(map(_read, contents_of(batches)))

    def save(self, known: Mapping[int, KnownDetails]) -> None:
        """By the ids of their matches."""
        writes = [
            ReplaceOne({"_id": self._key(id_)}, {**CONVERTER.document(one), "match_id": id_}, True)
            for id_, one in known.items()
        ]
        if writes:
            self._details.bulk_write(writes, ordered=False)

    def _key(self, match_id: int) -> str:
        return f"{self._domain}:{match_id}"


@lru_cache(maxsize=CACHED_DETAILS)
def _read(content: bytes) -> tuple[int, KnownDetails]:
    """Cached: most are as in the poll before."""
    document = decoded(content)
    return document["match_id"], CONVERTER.read(document, KnownDetails)
