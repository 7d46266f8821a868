"""MongoDB as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field, PrivateAttr
from pymongo.database import Database

from footy_assets.errors import BadInput
from footy_assets.settings import Settings
from resources.from_settings import as_field
from resources.health import Health
from resources.mongo.connection import Document, health, open_database


class MongoResource(ConfigurableResource["MongoResource"]):
    """The database of a run.

    Pass a `uri` with a password as `EnvVar`: Dagster shows a resource's fields in its UI.
    """

    uri: str | None = Field(
        default=None, description="A MongoDB replica set. Unset: the embedded server of `home`."
    )
    database_name: str = Field(default="footy", description="The database's name.")
    home: str | None = Field(default=None, description="The data folder of the embedded server.")

    _database: Database[Document] | None = PrivateAttr(default=None)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            uri=as_field(settings, "mongo_uri"),
            database_name=settings.mongo_database,
            home=str(settings.home),
        )

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["MongoResource"]:
        if self.uri is None and self.home is None:
            raise BadInput(
                "the mongo resource has neither a uri nor a home",
                "Set FOOTY_MONGO_URI, or FOOTY_HOME for the embedded server",
            )
        with open_database(self.uri, self.database_name, Path(self.home or ".")) as database:
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
