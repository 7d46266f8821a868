"""Requests that Schemathesis makes from an OpenAPI schema: valid ones, or invalid ones.

Importing Schemathesis takes a second, so only the tests that need it import this module.
"""

from collections import Counter
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from footy_assets_tests.gallery.site import TOKEN

CONFORMANCE = (status_code_conformance, response_schema_conformance)
# Requests per operation and mode; HYPOTHESIS_PROFILE=explore tries more, and others each time.
IS_SAME = settings.get_current_profile_name() == "same"
EXAMPLES = 6 if IS_SAME else 50
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def statuses_of_all(schema_url: str, mode: GenerationMode) -> Counter[int]:
    statuses: Counter[int] = Counter()
    for found in schemathesis.openapi.from_url(schema_url).get_all_operations():
        statuses += statuses_of_requests(found.ok(), mode)
    return statuses


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
