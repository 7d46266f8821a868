"""Schemathesis sends valid and invalid requests from the OpenAPI schema: none gives a 5xx."""

from collections.abc import Iterator

import pytest

from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets_tests.gallery.conftest import Gallery, running_gallery
from footy_assets_tests.gallery.site import TOKEN
from resources.embedded.weed import S3Server


@pytest.fixture(scope="module")
def writable_gallery(
    mongo_uri: str, s3: S3Server, shared_sim: SimServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gallery]:
    """A gallery of this module's own: the requests change it."""
    options = {"api_football_url": shared_sim.url, "tracked_teams": "*", "api_token": TOKEN}
    app_settings = load_settings(api_port=0, dagster_port=0, **options)
    with running_gallery(mongo_uri, s3, tmp_path_factory.mktemp("work"), app_settings) as found:
        yield found


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_no_request_causes_a_server_error(writable_gallery: Gallery, mode: str) -> None:
    from footy_assets_tests.gallery.schema_requests import GenerationMode, statuses_of_all

    schema_url = f"{writable_gallery.site.url}/api/v1/openapi.json"
    statuses = statuses_of_all(schema_url, GenerationMode(mode))
    assert statuses.total() > 200, statuses
    refused = sum(count for status, count in statuses.items() if status >= 400)
    assert refused < statuses.total() or mode == "negative"


def test_the_schema_has_every_endpoint(writable_gallery: Gallery) -> None:
    paths = writable_gallery.http.get("/api/v1/openapi.json").json()["paths"]
    wanted = {
        *("dates", "fixtures", "events", "clips", "search", "status", "ingest", "audit"),
        *("triggers", "snapshots", "subscriptions", "notifications", "entities"),
        *("follows", "channels", "activations"),
    }
    assert wanted <= {path.split("/")[3] for path in paths}
    assert "/api/v1/events/{event}/explain" in paths
    assert "/api/sourcing/historical/seasons/{key}/advance" in paths
