"""The HTTP client of Wikidata's action API: retries, and errors that come as HTTP 200."""

import time
from collections.abc import Callable, Collection
from threading import Lock
from typing import Any

import httpx
from pydantic import ValidationError

from footy_assets import __version__
from footy_assets.errors import (
    WikidataAnswerInvalid,
    WikidataError,
    WikidataRefused,
    WikidataUnavailable,
)
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.search.rules.team_facts import Hits, Items, WikiItem
from resources.answers import send_bounded
from resources.tls import verify_for
from resources.wikidata.models import Envelope, WikiError
from resources.wikidata.translate import LANGUAGES, parse_hits, parse_items

HITS = 20
IDS_PER_REQUEST = 50
# Error codes of the API that pass with time.
TRANSIENT = ("maxlag", "ratelimited", "readonly", "internal_api_error")


def user_agent(contact: str | None) -> str:
    """Wikimedia's policy: the client, a contact and the library."""
    return f"footy-assets/{__version__} ({contact or 'no contact set'}) httpx/{httpx.__version__}"


class Wikidata:
    """An `Encyclopedia`. Use as a context manager; threads may share it."""

    def __init__(
        self,
        url: str,
        contact: str | None = None,
        *,
        retry: RetryPolicy = RETRIES["wikidata"],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.calls = 0
        self._retry, self._sleep = retry, sleep
        self._lock = Lock()
        self._countries: dict[str, WikiItem] = {}
        self._client = httpx.Client(
            headers={"user-agent": user_agent(contact)},
            timeout=retry.timeout,
            verify=verify_for(url),
        )

    def __enter__(self) -> "Wikidata":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    # -- the Encyclopedia -----------------------------------------------------------------

    def search(self, phrase: str) -> Hits:
        """Items whose label or alias starts with the phrase, ignoring case and accents."""
        answer = self._get(
            action="wbsearchentities",
            search=phrase,
            language="en",
            uselang="en",
            type="item",
            limit=HITS,
        )
        if answer.search is None:
            raise WikidataAnswerInvalid("Wikidata's answer to a search holds no results")
        return parse_hits(answer.search)

    def items(self, ids: Collection[str]) -> Items:
        return self._items(ids, "labels|descriptions|aliases|claims")

    def names(self, ids: Collection[str]) -> Items:
        return self._items(ids, "labels|aliases")

    def country(self, id: str) -> WikiItem | None:
        """Cached: there are few countries and many teams."""
        with self._lock:
            known = self._countries.get(id)
        if known is None:
            known = self.items([id]).items.get(id)
            if known is not None:
                with self._lock:
                    self._countries[id] = known
        return known

    # -- requests -------------------------------------------------------------------------

    def _items(self, ids: Collection[str], props: str) -> Items:
        wanted = list(dict.fromkeys(ids))
        items: dict[str, WikiItem] = {}
        unreadable: list[str] = []
        for first in range(0, len(wanted), IDS_PER_REQUEST):
            answer = self._get(
                action="wbgetentities",
                ids="|".join(wanted[first : first + IDS_PER_REQUEST]),
                props=props,
                languages="|".join(LANGUAGES),
            )
            if answer.entities is None:
                raise WikidataAnswerInvalid("Wikidata's answer holds no entities")
            parsed = parse_items(answer.entities)
            items |= parsed.items
            unreadable += parsed.unreadable
        return Items(items, tuple(unreadable))

    def _get(self, **query: str | int) -> Envelope:
        return self._retry.retrying(self._sleep)(self._get_once, query | {"format": "json"})

    def _get_once(self, query: dict[str, Any]) -> Envelope:
        with self._lock:
            self.calls += 1
        try:
            response = send_bounded(self._client, "GET", self.url, params=query)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise WikidataUnavailable(f"Wikidata at {self.url}: {why}") from error
        return _parse(response)


def _parse(response: httpx.Response) -> Envelope:
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= 500:
        raise WikidataUnavailable(f"Wikidata answered {status}")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise WikidataRefused(f"Wikidata refused the request ({status})")
    if status != httpx.codes.OK:
        raise WikidataAnswerInvalid(f"Wikidata answered {status}")
    try:
        envelope = Envelope.model_validate_json(response.content)
    except ValidationError as error:
        raise WikidataUnavailable("Wikidata's answer is not its JSON") from error
    if envelope.error is not None:
        raise _api_error(envelope.error)
    return envelope


def _api_error(error: WikiError) -> WikidataError:
    message = f"Wikidata: {error.info or error.code}"
    if error.code.startswith(TRANSIENT):
        return WikidataUnavailable(message)
    return WikidataAnswerInvalid(message)
