"""Takes a database to the schema version of this code, step by step."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pymongo.database import Database

from footy_assets.errors import Busy, SchemaTooOld
from footy_assets.store.collections import Document
from footy_assets.store.leases import Lease, Leases
from footy_assets.store.migrations import STEPS
from footy_assets.store.migrations.step import BulkChange, MigrationStep
from footy_assets.store.retrying import retry_on_disconnect
from footy_assets.store.schema import SchemaStore, require_not_newer

LEASE, LEASE_SECONDS = "migration", 60.0
BATCH = 500


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a step is: documents that are changed, of those that were outdated."""

    step: MigrationStep
    done: int
    total: int


@dataclass(slots=True)
class MigrationResult:
    step: MigrationStep
    # The number of documents by collection.
    documents: dict[str, int] = field(default_factory=dict)


OnProgress = Callable[[Progress], None]


def no_progress(_: Progress) -> None: ...


class Migration:
    """Every write is conditional on the document being outdated, so that a kill anywhere, a second
    migration or a lost lease does no harm; the lease only keeps two from doing the same work."""

    def __init__(
        self,
        database: Database[Document],
        steps: tuple[MigrationStep, ...] = STEPS,
        batch: int = BATCH,
    ) -> None:
        self._database = database
        self._documents = OutdatedDocuments(database)
        self._schema = SchemaStore(database)
        self._steps = steps
        self._batch = batch

    def pending(self) -> list[MigrationStep]:
        """Raises `SchemaTooNew`."""
        version = require_not_newer(self._database)
        return [step for step in self._steps if step.version > version]

    def preview(self) -> list[MigrationResult]:
        """How many documents each step would change."""
        found = []
        for step in self.pending():
            result = MigrationResult(step)
            for change in step.changes:
                add(result.documents, change.collection, self._documents.count(change))
            found.append(result)
        return found

    def run(
        self, on_progress: OnProgress = no_progress, wait: float = 0.0
    ) -> list[MigrationResult]:
        """Raises `Busy` if another process migrates for longer than `wait` seconds."""
        if not self.pending():
            return []
        leases = Leases(self._database)
        with leases.hold(LEASE, seconds=LEASE_SECONDS, wait=wait) as lease:
            return [self._run(step, lease, on_progress) for step in self.pending()]

    def _run(self, step: MigrationStep, lease: Lease, on_progress: OnProgress) -> MigrationResult:
        result = MigrationResult(step)
        counts = [self._documents.count(change) for change in step.changes]
        total, done = sum(counts), 0
        for change in step.changes:
            on_progress(Progress(step, done, total))
            for batch in batches(self._documents.ids(change), self._batch):
                if not lease.renew():
                    raise Busy("another process has taken over the migration")
                changed = self._documents.change(change, batch)
                add(result.documents, change.collection, changed)
                done += changed
                on_progress(Progress(step, done, total))
        for change in step.changes:
            if self._documents.has(change):
                raise SchemaTooOld(
                    f"{change.collection} gets documents of an older version all the time",
                    "Stop every process of the older version, then run `footy migrate` again",
                )
        self._schema.record(step, result.documents)
        return result


@retry_on_disconnect
class OutdatedDocuments:
    """The documents that a change is about."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database

    def count(self, change: BulkChange) -> int:
        return self._database[change.collection].count_documents(change.outdated)

    def has(self, change: BulkChange) -> bool:
        return self._database[change.collection].find_one(change.outdated, {"_id": 1}) is not None

    def ids(self, change: BulkChange) -> Iterator[object]:
        found = self._database[change.collection].find(change.outdated, {"_id": 1})
        return (document["_id"] for document in found)

    def change(self, change: BulkChange, ids: list[object]) -> int:
        of_batch = {"$and": [{"_id": {"$in": ids}}, change.outdated]}
        return self._database[change.collection].update_many(of_batch, change.update).modified_count


def batches(ids: Iterable[object], size: int) -> Iterator[list[object]]:
    rest = iter(ids)
    while batch := list(islice(rest, size)):
        yield batch


def add(counts: dict[str, int], name: str, number: int) -> None:
    counts[name] = counts.get(name, 0) + number


def upgrade(database: Database[Document], say: Callable[[str], None], wait: float) -> None:
    """For `footy up`: brings the database to our version before anything else opens it."""
    migration = Migration(database)
    SchemaStore(database).mark_new()
    if not (pending := migration.pending()):
        return
    say(f"Upgrading the database {database.name}: {', '.join(step.name for step in pending)}")
    for result in migration.run(wait=wait):
        changed = sum(result.documents.values())
        say(f"Upgraded to schema version {result.step.version}: {changed} document(s) changed")
