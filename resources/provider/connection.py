"""The provider that leads, while it is open."""

from dataclasses import dataclass

from footy_assets.matchday.rules.feed import Feed
from footy_assets.providers.rules.rosters import RosterFeed
from footy_assets.search.rules.team_facts import TeamDirectory
from resources.api_football.client import ApiFootball


@dataclass(frozen=True, slots=True)
class OpenProvider:
    """The provider that leads: its matches, teams and players. Past seasons are API-Football's."""

    feed: Feed
    teams: TeamDirectory
    rosters: RosterFeed
    api_football: ApiFootball
