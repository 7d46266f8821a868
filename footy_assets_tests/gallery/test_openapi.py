"""Schemathesis sends valid and invalid requests from the OpenAPI schema: none gives a 5xx."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from footy_assets.settings import load_settings
from footy_assets.sim import SimServer
from footy_assets_tests.gallery.conftest import Gallery, running_gallery
from footy_assets_tests.gallery.site import TOKEN
from resources.embedded.weed import S3Server

CONFORMANCE = (status_code_conformance, response_schema_conformance)
# Requests per operation and mode; HYPOTHESIS_PROFILE=explore tries more, and others each time.
IS_SAME = settings.get_current_profile_name() == "same"
EXAMPLES = 6 if IS_SAME else 50
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def writable_gallery(
    mongo_uri: str, s3: S3Server, shared_sim: SimServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gallery]:
    """A gallery of this module's own: the requests change it."""
    options = {"api_football_url": shared_sim.url, "tracked_teams": "*", "api_token": TOKEN}
    app_settings = load_settings(api_port=0, dagster_port=0, **options)
    with running_gallery(mongo_uri, s3, tmp_path_factory.mktemp("work"), app_settings) as found:
        yield found


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_causes_a_server_error(writable_gallery: Gallery, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{writable_gallery.site.url}/api/v1/openapi.json")
    statuses: Counter[int] = Counter()
    for found in schema.get_all_operations():
        statuses += statuses_of_requests(found.ok(), mode)
    assert statuses.total() > 200, statuses
    refused = sum(count for status, count in statuses.items() if status >= 400)
    assert refused < statuses.total() or mode is GenerationMode.NEGATIVE


def statuses_of_requests(operation: Any, mode: GenerationMode) -> Counter[int]:
    statuses: Counter[int] = Counter()

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=IS_SAME,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Case) -> None:
        answer = case.call(headers=BEARER)
        statuses[answer.status_code] += 1
        assert answer.status_code < 500, f"{operation.label}: {answer.text}"
        if answer.status_code >= 400:
            assert answer.headers["content-type"][0].startswith("application/problem+json")
        case.validate_response(answer, checks=[not_a_server_error, *CONFORMANCE])

    try:
        send()
    except Unsatisfiable:
        # An operation without parameters has no invalid request.
        assert mode is GenerationMode.NEGATIVE
    return statuses


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
