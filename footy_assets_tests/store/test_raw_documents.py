from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.store.raw_documents import contents_of, decoded


def test_every_document_of_every_batch_is_read_whole(database: Database[Document]) -> None:
    documents = [{"_id": number, "text": "é" * number} for number in range(7)]
    database["some"].insert_many(documents)
    batches = database["some"].find_raw_batches(sort=[("_id", 1)], batch_size=3)
    assert [decoded(content) for content in contents_of(batches)] == documents


def test_no_document_is_no_content(database: Database[Document]) -> None:
    assert list(contents_of(database["none"].find_raw_batches())) == []
