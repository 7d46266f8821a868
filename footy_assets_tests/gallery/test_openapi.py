"""Schemathesis tries what the OpenAPI allows, and what it does not: nothing breaks the server."""

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
from footy_assets_tests.gallery.conftest import Shown, showing
from footy_assets_tests.gallery.site import TOKEN
from resources.embedded.weed import S3Server

CONFORMANCE = (status_code_conformance, response_schema_conformance)
# Of each operation, good ones and bad ones.
EXAMPLES = 10
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def tried(
    mongo_uri: str, s3: S3Server, shared_sim: SimServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shown]:
    """A site of its own: it is changed, too."""
    told = {"api_football_url": shared_sim.url, "tracked_teams": "*", "api_token": TOKEN}
    configured = load_settings(api_port=0, dagster_port=0, **told)
    with showing(mongo_uri, s3, tmp_path_factory.mktemp("work"), configured) as found:
        yield found


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_nothing_that_is_asked_breaks_the_server(tried: Shown, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{tried.site.url}/api/v1/openapi.json")
    statuses: Counter[int] = Counter()
    for found in schema.get_all_operations():
        statuses += tried_out(found.ok(), mode)
    assert statuses.total() > 200, statuses
    refused = sum(count for status, count in statuses.items() if status >= 400)
    assert refused < statuses.total() or mode is GenerationMode.NEGATIVE


def tried_out(operation: Any, mode: GenerationMode) -> Counter[int]:
    statuses: Counter[int] = Counter()

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Case) -> None:
        answer = case.call(headers=BEARER)
        statuses[answer.status_code] += 1
        assert answer.status_code < 500, f"{operation.label}: {answer.text}"
        if answer.status_code >= 400:
            assert answer.headers["content-type"][0].startswith("application/problem+json")
        case.validate_response(answer, checks=[not_a_server_error, *CONFORMANCE])

    try:
        ask()
    except Unsatisfiable:
        # There is nothing wrong that could be asked of an operation without parameters.
        assert mode is GenerationMode.NEGATIVE
    return statuses


def test_the_schema_names_every_part(tried: Shown) -> None:
    paths = tried.http.get("/api/v1/openapi.json").json()["paths"]
    wanted = {
        *("dates", "fixtures", "events", "clips", "search", "status", "ingest", "audit"),
        *("triggers", "snapshots", "subscriptions", "notifications", "entities"),
    }
    assert wanted <= {path.split("/")[3] for path in paths}
    assert "/api/v1/events/{event}/explain" in paths
    assert "/api/sourcing/historical/seasons/{key}/advance" in paths
