"""L1: any provider as the lead: its matches by day and by our ids, in our numbers."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta

import structlog

from footy_assets.clock import Clock
from footy_assets.errors import (
    FootyError,
    ProviderError,
    ProviderKnowsNone,
    ProviderRateLimited,
    ProviderRefused,
)
from footy_assets.matchday.rules.feed import Answer, Failure, SeasonSpan, Unreadable
from footy_assets.matchday.rules.fixture import Fixture, FixtureHeading
from footy_assets.matchday.rules.sighting import FixtureSighting, HomeOrAway
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.providers.lead_details import LeadDetails, unexpected
from footy_assets.providers.rules.adapter import (
    Adapter,
    CalendarAdapter,
    FetchResult,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.competitions import competition_number
from footy_assets.providers.rules.identify import (
    Aliases,
    ListedMatch,
    Mapped,
    UnsureMapping,
    identify_all,
)
from footy_assets.providers.rules.listed_match import to_listed
from footy_assets.providers.rules.sightings import (
    IdsOfMatch,
    persons_of,
    to_sighting,
)
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind, OurIds
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.providers.store.records import ProviderRecords
from footy_assets.providers.store.refusals import ProviderRefusals

REQUEST_SECONDS = 15.0
AFTER_RATE_LIMIT = timedelta(seconds=60)
AFTER_REFUSAL = timedelta(minutes=30)
SIDES: tuple[HomeOrAway, ...] = ("home", "away")
log = structlog.get_logger()


class LeadFeed:
    """A `Feed` over an adapter. Its list of a day is what the adapter is set to cover."""

    lists_only_tracked = True

    def __init__(
        self, name: str, adapter: Adapter, store: MatchdayStore, clock: Clock, aliases: Aliases
    ) -> None:
        self.name, self.adapter = name, adapter
        self._store, self._clock, self._aliases = store, clock, aliases
        self.ids = OurIds(store.database, name)
        self._records = ProviderRecords(store.database)
        self._details = LeadDetails(name, adapter, store.database, self._record_refusal)
        self._refusals = ProviderRefusals(store.database)

    # -- the Feed -------------------------------------------------------------------------

    def by_date(self, day: date) -> Answer:
        with self.unless_refused():
            found = self.adapter.discover(day, REQUEST_SECONDS)
        self._note_refusal(found)
        ProviderState(self._store.database).record_discovery(self.name, self._clock.now())
        answer = _answer(found)
        numbers = self._match_numbers(day, found.matches, answer)
        read = {numbers[one.listed.id]: one for one in found.matches if one.listed.id in numbers}
        answer.sightings = self._sightings(read, self._store.headings_by_id(list(read)))
        return answer

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        theirs = self._their_ids(ids)
        fixtures = self._store.headings_by_id(list(theirs))
        wanted = self._wanted(theirs, fixtures)
        try:
            with self.unless_refused():
                found = self.adapter.fetch(wanted, min(within or REQUEST_SECONDS, REQUEST_SECONDS))
        except ProviderError as error:
            return Answer(failures=[Failure(self.name, error.sentence(), tuple(ids))], calls=1)
        self._note_refusal(found)
        answer = _answer(found)
        ours = {own: id_ for id_, own in theirs.items()}
        read = {ours[one.listed.id]: one for one in found.matches if one.listed.id in ours}
        answer.sightings = self._sightings(self._details.add(read, answer), fixtures)
        for id_ in ids:
            if id_ not in read:
                # F5: without an answer of its competition, this was no poll of the match.
                unanswered = (id_,) if found.failures else ()
                why = _why_missing(self.name, id_ in theirs)
                answer.failures.append(Failure(f"fixture {id_}", why, unanswered))
        return answer

    def days_with_matches(self, first: date, last: date) -> Collection[date] | None:
        if not isinstance(self.adapter, CalendarAdapter):
            return None
        with self.unless_refused():
            return self.adapter.days_with_matches(first, last, REQUEST_SECONDS)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        return []

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        return []

    @contextmanager
    def unless_refused(self) -> Iterator[None]:
        """L4: a provider that refused us gets no request for a while, from any process."""
        now = self._clock.now()
        if refusal := self._refusals.of(self.name, now):
            raise ProviderRefused(
                f"{refusal.reason}; not asked again before {refusal.until:%H:%M:%S} UTC",
                "Wait, or POST /admin/recycle once the reason is gone",
            )
        try:
            yield
        except (ProviderRateLimited, ProviderRefused) as error:
            self._record_refusal(error)
            raise
        except FootyError:
            raise
        except Exception as error:
            raise unexpected(self.name, error) from error

    def _note_refusal(self, found: FetchResult) -> None:
        """Of a part of the requests; what the others found counts."""
        if found.refusal is not None:
            self._record_refusal(found.refusal)

    def _record_refusal(self, error: ProviderError) -> None:
        pause = AFTER_RATE_LIMIT
        if isinstance(error, ProviderRefused):
            log.error("provider_refused", provider=self.name, reason=str(error))
            pause = AFTER_REFUSAL
        until = error.ask_again_at or self._clock.now() + pause
        self._refusals.add(self.name, until, str(error))

    # -- matches --------------------------------------------------------------------------

    def _match_numbers(
        self, day: date, matches: Iterable[ProviderMatch], answer: Answer
    ) -> dict[str, int]:
        """Our number of each match: as mapped before, that of a match which another provider
        found, or a new one. A match that only resembles a known one is reported, not added."""
        known = self._records.mappings(self.name)
        new = {one.listed.id: one for one in matches if one.listed.id not in known}
        if not new:
            return known
        days = (day - timedelta(days=1), day, day + timedelta(days=1))
        taken = set(known.values())
        others = {f.id: f for d in days for f in self._store.fixtures_of(d) if f.id not in taken}
        ours = [to_listed(fixture) for fixture in others.values()]
        now, fresh = self._clock.now(), []
        found = identify_all([one.listed for one in new.values()], ours, self._aliases)
        for (id_, one), mapping in zip(new.items(), found, strict=True):
            match mapping:
                case Mapped(number):
                    known[id_] = int(number)
                    self._keep_numbers(one, others[int(number)])
                case UnsureMapping() as unsure:
                    self._records.save_unsure_mapping(self.name, unsure, now)
                    names = f"{one.listed.home} – {one.listed.away}"
                    reason = f"may be match {', '.join(unsure.candidates)}: {unsure.reason}"
                    answer.unreadable.append(Unreadable(f"{self.name} {id_} ({names})", reason))
                case None if one.listed.home and one.listed.away:
                    fresh.append(id_)
        known |= self.ids.of(Kind.MATCH, fresh)
        for id_ in new:
            if id_ in known:
                self._records.save_mapping(self.name, id_, known[id_], now)
        return known

    def _keep_numbers(self, match: ProviderMatch, fixture: Fixture) -> None:
        """The teams of a match that another provider found keep their numbers."""
        if match.home is not None and match.away is not None:
            sides = {match.home.id: fixture.home.id, match.away.id: fixture.away.id}
            self.ids.set(Kind.TEAM, sides)
        if match.league is not None:
            self.ids.set(Kind.LEAGUE, {match.league.id: fixture.league.id})

    def _their_ids(self, ids: Sequence[int]) -> dict[int, str]:
        """A match that it found first has a number of ours, which is remembered. Another one is
        mapped."""
        own = self.ids.theirs(Kind.MATCH, [id_ for id_ in ids if id_ >= FIRST_OF_OURS])
        if others := [id_ for id_ in ids if id_ not in own]:
            own |= self._records.mapped_ids(self.name, others)
        return own

    def _wanted(
        self, theirs: Mapping[int, str], fixtures: Mapping[int, Fixture | FixtureHeading]
    ) -> list[ListedMatch]:
        leagues = self.ids.theirs(Kind.LEAGUE, {f.league.id for f in fixtures.values()})
        return [
            to_listed(fixture, theirs[id_], leagues.get(fixture.league.id))
            for id_, fixture in fixtures.items()
        ]

    def match_of(self, match_id: int) -> tuple[Fixture, ListedMatch]:
        """A match of ours, and as the provider knows it."""
        theirs = self._their_ids([match_id])
        fixtures = self._store.fixtures_by_id([match_id])
        if match_id not in fixtures or match_id not in theirs:
            raise ProviderKnowsNone(f"fixture {match_id}: {_why_missing(self.name, False)}")
        return fixtures[match_id], self._wanted(theirs, fixtures)[0]

    def league_of(self, team_id: int) -> str | None:
        """The provider's id of a league that a team plays in."""
        leagues = [
            fixture.league.id
            for fixture in self._store.unfinished()
            if team_id in (fixture.home.id, fixture.away.id)
        ]
        return next(iter(self.ids.theirs(Kind.LEAGUE, leagues).values()), None)

    # -- our ids --------------------------------------------------------------------------

    def _sightings(
        self, matches: Mapping[int, ProviderMatch], fixtures: Mapping[int, FixtureHeading]
    ) -> dict[int, FixtureSighting]:
        teams = self.ids.of(Kind.TEAM, {_team(one, s) for one in matches.values() for s in SIDES})
        leagues = self._league_numbers(matches.values())
        persons = frozenset().union(*map(persons_of, matches.values()))
        players = self.ids.known(Kind.PLAYER, persons)
        found = {}
        for id_, one in matches.items():
            if (fixture := fixtures.get(id_)) is not None:
                # A match keeps the numbers it has, whichever provider found it.
                numbers = fixture.league.id, fixture.home.id, fixture.away.id
            else:
                numbers = (
                    leagues[_league(one)],
                    teams[_team(one, "home")],
                    teams[_team(one, "away")],
                )
            found[id_] = to_sighting(one, IdsOfMatch(id_, *numbers, players))
        return found

    def _league_numbers(self, matches: Iterable[ProviderMatch]) -> dict[str, int]:
        """A competition that API-Football has, too, has its number there."""
        by_league = {_league(one): one for one in matches}
        numbers = {id_: _league_number(one) for id_, one in by_league.items()}
        same = {id_: number for id_, number in numbers.items() if number is not None}
        return self.ids.of(Kind.LEAGUE, numbers, same)


def _answer(found: FetchResult) -> Answer:
    return Answer(
        unreadable=list(found.unreadable), failures=list(found.failures), calls=found.requests
    )


def _why_missing(name: str, mapped: bool) -> str:
    if mapped:
        return f"requested, but not in the answer of {name}"
    return f"{name} has not listed it: ingest its day, or let another provider lead"


def _team(match: ProviderMatch, side: HomeOrAway) -> str:
    """The provider's id of a side; its name, if the provider gives teams no ids."""
    claim: TeamClaim | None = getattr(match, side)
    name: str = getattr(match.listed, side)
    return claim.id if claim is not None else name


def _league(match: ProviderMatch) -> str:
    return match.league.id if match.league is not None else match.listed.competition or ""


def _league_number(match: ProviderMatch) -> int | None:
    claim, listed = match.league, match.listed
    if claim is not None:
        return competition_number(claim.name, claim.id, claim.country)
    return competition_number(listed.competition, listed.competition_id, listed.country)
