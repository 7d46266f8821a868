"""A step of a migration: conditional updates, after which no document is outdated."""

from dataclasses import dataclass

from footy_assets.store.collections import Document


@dataclass(frozen=True, slots=True)
class BulkChange:
    """`update` is applied to the documents that match `outdated`, which do not match it afterwards.

    So a killed migration goes on with the rest, and two at a time change each document once.
    """

    collection: str
    outdated: Document
    update: list[Document]


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """Takes the database to `version`. A released step is never changed: databases have run it."""

    version: int
    name: str
    changes: tuple[BulkChange, ...]
