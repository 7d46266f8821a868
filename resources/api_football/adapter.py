"""API-Football as any other provider: for when it does not lead."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from threading import Lock

import structlog

from footy_assets.errors import ProviderUnavailable
from footy_assets.matchday.rules.feed import Answer, Unreadable
from footy_assets.providers.rules.adapter import FetchResult, LineUpPlayer, MatchDetails
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.recovery import BrowserFigures
from resources.api_football.claims import claim_line_ups, claim_players, to_provider_match
from resources.api_football.client import ApiFootball
from resources.api_football.rosters import LINE_UPS, ApiFootballRosters

log = structlog.get_logger()


class ApiFootballAdapter:
    """An `Adapter`, a `DetailsAdapter` and a `SquadAdapter`. Threads may share it.

    `leagues` are those it covers; None: all of them. It closes the client.
    """

    def __init__(self, feed: ApiFootball, leagues: Collection[int] | None = None) -> None:
        self._feed = feed
        self._leagues = None if leagues is None else frozenset(leagues)
        # The client runs one call at a time.
        self._lock = Lock()
        self._home_ids: dict[str, int] = {}

    def discover(self, day: date, within: float) -> FetchResult:
        with self._lock:
            return self._to_result(self._feed.by_date(day, within)).on(day)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        """Those with an id of API-Football by it; of the others all matches of their days."""
        ids = [int(one.id) for one in wanted if one.id.isdecimal()]
        days = sorted({one.start.date() for one in wanted if not one.id.isdecimal()})
        answer = Answer()
        with self._lock:
            if ids:
                answer.merge(self._feed.by_ids(ids, within))
            for day in days:
                answer.merge(self._feed.by_date(day, within))
            return self._to_result(answer)

    def details(self, match: ListedMatch, within: float) -> MatchDetails:
        """The line-ups: about an hour before kickoff, empty until then."""
        with self._lock:
            items = self._feed.items(LINE_UPS, {"fixture": match.id}, within)
        line_ups, unreadable = claim_line_ups(items, match, self._home_ids.get(match.id))
        return MatchDetails(line_ups=line_ups, unreadable=unreadable)

    def squad(
        self, team_id: str, within: float, competition_id: str | None = None
    ) -> tuple[LineUpPlayer, ...]:
        with self._lock:
            found = ApiFootballRosters(self._feed).squad(int(team_id), within)
        for piece in found.unreadable:
            log.warning("unreadable", subject=piece.subject, reason=piece.reason)
        return claim_players(found.players)

    def figures(self) -> BrowserFigures | None:
        return None

    def recycle(self) -> None:
        """Nothing to restart: the client opens a connection again when it needs one."""

    def reset(self) -> None:
        """Nothing is left open."""

    def close(self) -> None:
        with self._lock:
            self._feed.close()

    def _to_result(self, answer: Answer) -> FetchResult:
        for warning in answer.warnings:
            log.warning("provider_warns", domain="api_football", reason=warning)
        failed = [failure for failure in answer.failures if failure.fixture_ids]
        if failed and not answer.sightings:
            raise ProviderUnavailable(f"API-Football: {failed[0].reason}")
        kept = [
            one
            for one in answer.sightings.values()
            if self._leagues is None or one.league.id in self._leagues
        ]
        self._home_ids |= {str(one.fixture_id): one.home.id for one in kept}
        return FetchResult(
            tuple(map(to_provider_match, kept)),
            (*answer.unreadable, *_as_unreadable(answer)),
        )


def _as_unreadable(answer: Answer) -> Iterable[Unreadable]:
    return (Unreadable(failure.subject, failure.reason) for failure in answer.failures)
