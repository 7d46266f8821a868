"""Documents as bytes: a reader of the same ones again and again decodes the new ones only.

The same bytes are the same document in every database, so what was made of them may be kept.
"""

from collections.abc import Iterator
from typing import Any

from bson import CodecOptions, decode
from pymongo.cursor import RawBatchCursor

from footy_assets.store.collections import Document

OPTIONS: CodecOptions[Document] = CodecOptions(tz_aware=True)
# Every document begins with its own length.
LENGTH = 4


def contents_of(batches: RawBatchCursor[Document]) -> Iterator[bytes]:
    """Each document. No object is made of it but its bytes."""
    # Typed as if it had documents.
    found: Iterator[Any] = iter(batches)
    for batch in found:
        begin = 0
        while begin < len(batch):
            end = begin + int.from_bytes(batch[begin : begin + LENGTH], "little")
            yield batch[begin:end]
            begin = end


def decoded(content: bytes) -> Document:
    return decode(content, OPTIONS)
