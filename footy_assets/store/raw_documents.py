"""Documents as bytes: whoever reads the same ones again and again decodes the new ones only.

The same bytes are the same document in every database, so what was made of them may be kept.
"""

from bson import CodecOptions, decode
from bson.raw_bson import DEFAULT_RAW_BSON_OPTIONS, RawBSONDocument
from pymongo.collection import Collection

from footy_assets.store.collections import Document

OPTIONS: CodecOptions[Document] = CodecOptions(tz_aware=True)


def undecoded(collection: Collection[Document]) -> Collection[RawBSONDocument]:
    """The collection, whose documents have their bytes as `raw`."""
    raw: Collection[RawBSONDocument] = collection.with_options(DEFAULT_RAW_BSON_OPTIONS)
    return raw


def decoded(content: bytes) -> Document:
    return decode(content, OPTIONS)
