"""The provider that leads, while it is open."""

from dataclasses import dataclass

from footy_assets.matchday.rules.feed import Feed
from footy_assets.search.rules.team_facts import TeamDirectory
from resources.api_football.client import ApiFootball


@dataclass(frozen=True, slots=True)
class OpenProvider:
    """The provider that leads: its matches, and its teams. Past seasons are API-Football's."""

    feed: Feed
    teams: TeamDirectory
    api_football: ApiFootball
