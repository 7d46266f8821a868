"""Parses a response of API-Football, or raises the error class that fits."""

from collections.abc import Mapping
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderPlanLimited,
    ProviderQuotaExhausted,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.pace import Quota
from resources.api_football.models import Envelope
from resources.json_parts import NOT_JSON, OTHER_TYPE, used_parts, used_parts_of_items

QUOTA_HEADERS = {
    "day_limit": "x-ratelimit-requests-limit",
    "day_remaining": "x-ratelimit-requests-remaining",
    "minute_limit": "x-ratelimit-limit",
    "minute_remaining": "x-ratelimit-remaining",
}

ApiEntry = TypeVar("ApiEntry", bound=BaseModel)


def parse_response(
    response: httpx.Response, path: str, item: type[BaseModel] | None = None
) -> Envelope:
    """With `item`, of each entry only the fields of that model are kept, as JSON."""
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        raise ProviderRateLimited("API-Football: too many requests this minute")
    if status >= 500:
        raise ProviderUnavailable(f"API-Football answered {status} to {path}")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise ProviderRefused(f"API-Football refused the key ({status})")
    if status != httpx.codes.OK:
        raise ProviderAnswerInvalid(f"API-Football answered {status} to {path}")
    try:
        envelope = Envelope.model_validate(_parts(response.content, item))
    except (ValidationError, *NOT_JSON) as error:
        raise ProviderUnavailable(f"API-Football's answer to {path} is not valid JSON") from error
    if envelope.complaints:
        raise _error_of(envelope.complaints)
    return envelope


def _parts(content: bytes, item: type[BaseModel] | None) -> dict[str, Any]:
    if item is not None:
        try:
            return used_parts_of_items(Envelope, "response", item, content)
        except OTHER_TYPE:
            # One entry may be wrong, and the others are not: each is parsed on its own.
            pass
    return used_parts(Envelope, content)


def _error_of(complaints: Mapping[str, str]) -> ProviderError:
    """F7: HTTP 200 with non-empty `errors` is a failure; its first field says which."""
    text = "; ".join(complaints.values())
    name = next(iter(complaints)).lower()
    if "ratelimit" in name:
        return ProviderRateLimited(f"API-Football: {text}")
    if name == "requests":
        return ProviderQuotaExhausted(f"API-Football: {text}")
    if name == "plan":
        return ProviderPlanLimited(f"API-Football: {text}")
    if name in ("token", "access", "key", "account"):
        return ProviderRefused(f"API-Football: {text}")
    if name in ("bug", "report", "server", "time"):
        return ProviderUnavailable(f"API-Football: {text}")
    return ProviderAnswerInvalid(f"API-Football: {text}")


def parse_entry(model: type[ApiEntry], item: Any, path: str) -> ApiEntry:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        raise ProviderAnswerInvalid(f"API-Football's {path} has an unknown format") from error


def read_quota(headers: httpx.Headers) -> Quota | None:
    figures = {}
    for name, header in QUOTA_HEADERS.items():
        text = headers.get(header, "")
        if text.lstrip("-").isdigit():
            figures[name] = int(text)
    return Quota(**figures) if figures else None
