"""Assertions on stored documents, to the byte: names, types and order of fields."""

from bson import decode, encode
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo.collection import Collection

from footy_assets.store.collections import Document


def assert_same_bytes(document: Document, expected: Document) -> None:
    assert document == expected
    assert list(document) == list(expected)
    assert encode(document) == encode(expected)


def assert_stored(collection: Collection[Document], expected: Document) -> None:
    """Compares the only document of a collection. An upsert sorts fields by name."""
    raw = collection.with_options(CodecOptions(document_class=RawBSONDocument))
    (found,) = raw.find()
    assert decode(found.raw) == decode(encode(expected))
    assert found.raw == encode(expected)
