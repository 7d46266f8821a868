"""The version of the documents, one number for the database, and who may work with it."""

from collections.abc import Mapping

from pymongo.database import Database

from footy_assets.errors import RestoreUnfinished, SchemaTooNew, SchemaTooOld
from footy_assets.store.collections import META, Document
from footy_assets.store.migrations import SCHEMA_VERSION, STEPS
from footy_assets.store.migrations.step import MigrationStep
from footy_assets.store.retrying import retry_on_disconnect

SCHEMA = "schema"
# A database of before there were versions.
UNVERSIONED = 0


@retry_on_disconnect
class SchemaStore:
    """The document `schema`: the version, and which steps ran when. A step is recorded after its
    last write, by an update that only the version before it matches."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._meta = database[META]

    def version(self) -> int:
        """Raises `RestoreUnfinished` if the database has only a part of a backup."""
        found = self._load()
        if "restoring" in found:
            raise RestoreUnfinished(f"the database {self._database.name} is being restored")
        return int(found.get("version", UNVERSIONED))

    def steps_run(self) -> list[Document]:
        return list(self._load().get("steps", ()))

    def _load(self) -> Document:
        return self._meta.find_one({"_id": SCHEMA}) or {}

    def mark_new(self) -> None:
        """A database without a document that a step could change begins with our version."""
        collections = {change.collection for step in STEPS for change in step.changes}
        if any(self._database[one].find_one({}, {"_id": 1}) for one in collections):
            return
        new: Document = {"version": SCHEMA_VERSION, "steps": []}
        self._meta.update_one({"_id": SCHEMA}, {"$setOnInsert": new}, upsert=True)

    def record(self, step: MigrationStep, changed: Mapping[str, int]) -> None:
        """Changes nothing if another process has recorded the step."""
        unversioned: Document = {"version": UNVERSIONED, "steps": []}
        self._meta.update_one({"_id": SCHEMA}, {"$setOnInsert": unversioned}, upsert=True)
        entry = {
            "version": step.version,
            "name": step.name,
            "at": "$$NOW",
            "changed": dict(changed),
        }
        self._meta.update_one(
            {"_id": SCHEMA, "version": step.version - 1},
            [{"$set": {"version": step.version, "steps": {"$concatArrays": ["$steps", [entry]]}}}],
        )

    # -- restoring ------------------------------------------------------------------------

    def begin_restore(self, backup: str) -> None:
        """Nothing but a restore opens the database until `end_restore`."""
        self._meta.replace_one({"_id": SCHEMA}, {"restoring": backup, "version": 0}, upsert=True)

    def is_restoring(self) -> bool:
        return "restoring" in self._load()

    def end_restore(self, schema: Document | None) -> None:
        """The backup's own document takes the place of the mark; it may have none."""
        if schema is None:
            self._meta.delete_one({"_id": SCHEMA})
        else:
            self._meta.replace_one({"_id": SCHEMA}, schema, upsert=True)


def require_not_newer(database: Database[Document]) -> int:
    """The version of the database; raises `SchemaTooNew`."""
    version = SchemaStore(database).version()
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"the database {database.name} has schema version {version}, and this version of footy "
            f"knows {SCHEMA_VERSION} at most"
        )
    return version


def require_current_schema(database: Database[Document]) -> None:
    """For every process but those that upgrade: raises `SchemaTooOld` or `SchemaTooNew`."""
    version = require_not_newer(database)
    if version == UNVERSIONED:
        schema = SchemaStore(database)
        schema.mark_new()
        version = schema.version()
    if version < SCHEMA_VERSION:
        raise SchemaTooOld(
            f"the database {database.name} has schema version {version}, and this version of footy "
            f"needs {SCHEMA_VERSION}"
        )
