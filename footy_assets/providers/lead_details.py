"""The details of the lead's matches: assists, substitutions and VAR decisions, one request each."""

import time
from collections.abc import Callable, Mapping, Sequence

import structlog
from pymongo.database import Database

from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Answer
from footy_assets.providers.rules.adapter import (
    Adapter,
    DetailsAdapter,
    EventsAdapter,
    MatchDetails,
    ProviderMatch,
)
from footy_assets.providers.rules.details_due import KnownDetails, after_look, most_urgent
from footy_assets.providers.rules.sightings import with_details
from footy_assets.providers.store.details import DetailsStore
from footy_assets.store.collections import Document

REQUEST_SECONDS = 5.0
# For all of a poll: with the poll itself, a sensor tick must stay far below 60 s.
ALL_SECONDS = 8.0
MOST_PER_POLL = 12
log = structlog.get_logger()


class LeadDetails:
    def __init__(
        self,
        name: str,
        adapter: Adapter,
        database: Database[Document],
        record_refusal: Callable[[ProviderError], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._adapter = name, adapter
        self._record_refusal, self._monotonic = record_refusal, monotonic
        self._store = DetailsStore(database, name)

    def add(
        self, matches: Mapping[int, ProviderMatch], answer: Answer
    ) -> Mapping[int, ProviderMatch]:
        """The matches with their details, which are fetched for those whose list has changed."""
        if not isinstance(self._adapter, DetailsAdapter):
            return matches
        stored = self._store.of(matches)
        known = {one.listed.id: stored.get(id_, KnownDetails()) for id_, one in matches.items()}
        due = most_urgent(list(matches.values()), known, MOST_PER_POLL)
        answer.calls += len(due)
        numbers = {one.listed.id: id_ for id_, one in matches.items()}
        looked: dict[int, KnownDetails] = {}
        for match, found in zip(due, self._fetch(self._adapter, due), strict=True):
            own = match.listed.id
            if isinstance(found, ProviderError):
                # What is known stays, and the next poll asks again.
                log.warning("details_failed", provider=self._name, match=own, reason=str(found))
                if isinstance(found, (ProviderRefused, ProviderRateLimited)):
                    self._record_refusal(found)
                continue
            answer.unreadable += found.unreadable
            known[own] = after_look(match, known[own], found)
            looked[numbers[own]] = known[own]
        self._store.save(looked)
        return {
            id_: with_details(one, known[one.listed.id].details) for id_, one in matches.items()
        }

    def _fetch(
        self, adapter: DetailsAdapter, matches: Sequence[ProviderMatch]
    ) -> Sequence[MatchDetails | ProviderError]:
        if isinstance(adapter, EventsAdapter):
            return self._fetch_at_once(adapter, matches)
        ends = self._monotonic() + ALL_SECONDS

        def fetch(match: ProviderMatch) -> MatchDetails | ProviderError:
            left = ends - self._monotonic()
            if left <= 0:
                return ProviderUnavailable("no time left in this poll; the next one asks")
            try:
                return adapter.details(match.listed, min(REQUEST_SECONDS, left))
            except ProviderError as error:
                return error
            except Exception as error:
                return unexpected(self._name, error)

        return [fetch(match) for match in matches]

    def _fetch_at_once(
        self, adapter: EventsAdapter, matches: Sequence[ProviderMatch]
    ) -> Sequence[MatchDetails | ProviderError]:
        if not matches:
            return ()
        try:
            return adapter.events([match.listed for match in matches], REQUEST_SECONDS)
        except ProviderError as error:
            return [error] * len(matches)
        except Exception as error:
            return [unexpected(self._name, error)] * len(matches)


def unexpected(name: str, error: Exception) -> ProviderError:
    """For an exception that no adapter should raise: it ends no poll."""
    log.error("provider_raised", provider=name, exc_info=error)
    reason = f"{name}: its adapter raised {type(error).__name__}: {error}"
    return ProviderAnswerInvalid(reason, "Report it, or fix your adapter")
