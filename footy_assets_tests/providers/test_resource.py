"""The provider that leads, as Dagster opens it."""

from datetime import date
from pathlib import Path

import dagster as dg
from pymongo.database import Database

from footy_assets.providers.resource import LeadResource
from footy_assets.settings import settings_of
from footy_assets.store.collections import Document
from footy_assets_tests.resources.espn_answers import FakeEspn
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource


def test_l4_a_lead_without_a_key_is_told_who_asks(
    mongo_uri: str, database: Database[Document], tmp_path: Path
) -> None:
    with FakeEspn() as espn:
        settings = settings_of(
            home=tmp_path, provider="espn", espn_url=espn.url, wikidata_contact="me@example.org"
        )
        mongo = MongoResource(uri=mongo_uri, database_name=database.name)
        resource = LeadResource.from_settings(settings, mongo=mongo, clock=ClockResource())
        with mongo.yield_for_execution(dg.build_init_resource_context()), resource.open() as lead:
            lead.feed.by_date(date(2026, 8, 15))
        assert {agent.partition("(")[2] for _, _, agent in espn.requests} == {"+me@example.org)"}
