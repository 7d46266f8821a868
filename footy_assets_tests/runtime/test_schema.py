"""What `footy up` and `footy doctor` do about the documents of an older version."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.runtime.doctor import documents_version
from footy_assets.runtime.supervisor import servers_env
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets.store.migrations import SCHEMA_VERSION
from footy_assets.store.schema import SchemaStore, require_current_schema
from footy_assets_tests.store.test_migrate import set_version, store_documents
from resources.embedded.ports import free_ports
from resources.embedded.weed import S3Server


@pytest.mark.slow
def test_footy_up_upgrades_the_documents_before_anything_else_opens_them(
    database: Database[Document], mongo_uri: str, s3: S3Server, tmp_path: Path
) -> None:
    store_documents(database, "of_0_1_0")
    settings = load_settings(
        home=tmp_path,
        mongo_uri=mongo_uri,
        mongo_database=database.name,
        s3_endpoint_url=s3.endpoint_url,
        s3_access_key_id=s3.access_key_id,
        s3_secret_access_key=s3.secret_access_key,
        s3_bucket="upgraded",
    )
    said: list[str] = []
    with ExitStack() as stack:
        servers_env(settings, stack, {}, said.append)
    assert said[0] == f"Upgrading the database {database.name}: complete_clips, closed_by"
    require_current_schema(database)
    assert SchemaStore(database).version() == SCHEMA_VERSION


def test_doctor_says_which_version_the_documents_have_and_what_to_do(
    database: Database[Document], mongo_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings(mongo_uri=mongo_uri, mongo_database=database.name)
    (current,) = documents_version(settings)
    assert (current.ok, current.detail) == (True, f"schema version {SCHEMA_VERSION}")
    monkeypatch.setattr("resources.mongo.connection._checked", set())
    set_version(database, 0)
    (old,) = documents_version(settings)
    set_version(database, SCHEMA_VERSION)
    assert not old.ok
    assert "footy migrate" in old.fix


def test_doctor_says_nothing_of_documents_without_mongodb() -> None:
    nobody = f"mongodb://127.0.0.1:{free_ports(1)[0]}/?serverSelectionTimeoutMS=1"
    assert list(documents_version(load_settings(mongo_uri=nobody))) == []
