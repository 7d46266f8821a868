"""MongoDB as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr
from pymongo.database import Database

from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import ensure_indexes
from resources.health import Health
from resources.mongo_connection import Document, health, open_mongo


class MongoResource(ConfigurableResource["MongoResource"]):
    """The database of a run. What is left out comes from the settings (`FOOTY_*`, `.env`).

    Leave `uri` out where it holds a password: Dagster shows a resource's fields in its UI.
    """

    uri: str | None = Field(default=None, description="A MongoDB replica set.")
    database_name: str | None = Field(default=None, description="The database's name.")
    home: str | None = Field(default=None, description="Where the embedded server keeps its data.")

    _database: Database[Document] | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["MongoResource"]:
        with open_mongo(self._settings()) as database:
            ensure_indexes(database)
            self._database = database
            try:
                yield self
            finally:
                self._database = None

    @property
    def database(self) -> Database[Document]:
        if self._database is None:
            raise RuntimeError("MongoResource has a database only while Dagster executes with it")
        return self._database

    def health(self) -> Health:
        return health(self.database)

    def _settings(self) -> Settings:
        given = {
            "mongo_uri": self.uri,
            "mongo_database": self.database_name,
            "home": self.home,
        }
        return load_settings(**{name: value for name, value in given.items() if value is not None})
