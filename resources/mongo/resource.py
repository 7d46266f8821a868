"""MongoDB as a Dagster resource."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from dagster import ConfigurableResource
from pydantic import Field
from pymongo.database import Database

from footy_assets.errors import BadInput
from footy_assets.settings import Settings
from resources.from_settings import as_field
from resources.health import ServerHealth
from resources.mongo.connection import Document, health, open_database
from resources.run_scoped import RunScoped


class MongoResource(RunScoped[Database[Document]], ConfigurableResource["MongoResource"]):
    """The database of a run.

    Pass a `uri` with a password as `EnvVar`: Dagster shows a resource's fields in its UI.
    """

    uri: str | None = Field(
        default=None, description="A MongoDB replica set. Unset: the embedded server of `home`."
    )
    database_name: str = Field(default="footy", description="The database's name.")
    home: str | None = Field(default=None, description="The data folder of the embedded server.")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            uri=as_field(settings, "mongo_uri"),
            database_name=settings.mongo_database,
            home=str(settings.home),
        )

    def open(self) -> AbstractContextManager[Database[Document]]:
        if self.uri is None and self.home is None:
            raise BadInput(
                "the mongo resource has neither a uri nor a home",
                "Set FOOTY_MONGO_URI, or FOOTY_HOME for the embedded server",
            )
        return open_database(self.uri, self.database_name, Path(self.home or "."))

    @property
    def database(self) -> Database[Document]:
        return self.value

    def health(self) -> ServerHealth:
        return health(self.database)
