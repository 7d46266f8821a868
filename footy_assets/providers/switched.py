"""A lead that an operator has switched off gets no request from any process."""

from collections.abc import Collection, Sequence
from datetime import date

from pymongo.database import Database

from footy_assets.errors import ProviderSwitchedOff
from footy_assets.matchday.rules.feed import Answer, Failure, Feed, SeasonSpan
from footy_assets.providers.rules.descriptors import ProvidersFile, switched_off
from footy_assets.providers.rules.rosters import FoundLineUps, FoundSquad, RosterFeed
from footy_assets.providers.store.provider_state import ProviderState
from footy_assets.search.rules.team_facts import TeamAnswer, TeamDirectory
from footy_assets.store.collections import Document


class LeadSwitch:
    """Is the lead on? Read before each request: an operator may switch it meanwhile (A1)."""

    def __init__(self, content: ProvidersFile, database: Database[Document]) -> None:
        self.name, self._content = content.lead, content
        self._state = ProviderState(database)

    @property
    def is_on(self) -> bool:
        return self.name in self._content.enabled(self._state.switches())

    @property
    def reason(self) -> str:
        return switched_off(self.name)

    def require_on(self) -> None:
        if not self.is_on:
            raise ProviderSwitchedOff(self.reason)


class SwitchableFeed:
    """A `Feed` that asks nothing while the lead is off."""

    def __init__(self, feed: Feed, switch: LeadSwitch) -> None:
        self._feed, self._switch = feed, switch

    @property
    def lists_only_tracked(self) -> bool:
        return self._feed.lists_only_tracked

    def by_ids(self, ids: Sequence[int], within: float | None = None) -> Answer:
        if not self._switch.is_on:
            return Answer(failures=[Failure(self._switch.name, self._switch.reason, tuple(ids))])
        return self._feed.by_ids(ids, within)

    def by_date(self, day: date) -> Answer:
        self._switch.require_on()
        return self._feed.by_date(day)

    def days_with_matches(self, first: date, last: date) -> Collection[date] | None:
        self._switch.require_on()
        return self._feed.days_with_matches(first, last)

    def team_ids(self, league_id: int, season: int) -> list[int]:
        self._switch.require_on()
        return self._feed.team_ids(league_id, season)

    def seasons(self, league_id: int) -> list[SeasonSpan]:
        self._switch.require_on()
        return self._feed.seasons(league_id)


class SwitchableRosters:
    """A `RosterFeed` that asks nothing while the lead is off."""

    def __init__(self, rosters: RosterFeed, switch: LeadSwitch) -> None:
        self._rosters, self._switch = rosters, switch

    def line_ups(self, match_id: int, within: float) -> FoundLineUps:
        self._switch.require_on()
        return self._rosters.line_ups(match_id, within)

    def squad(self, team_id: int, within: float) -> FoundSquad:
        self._switch.require_on()
        return self._rosters.squad(team_id, within)


class SwitchableTeams:
    """A `TeamDirectory` that asks nothing while the lead is off."""

    def __init__(self, teams: TeamDirectory, switch: LeadSwitch) -> None:
        self._teams, self._switch = teams, switch

    def teams(self, ids: Sequence[int], within: float | None = None) -> TeamAnswer:
        if not self._switch.is_on:
            return TeamAnswer(failures=dict.fromkeys(ids, self._switch.reason))
        return self._teams.teams(ids, within)
