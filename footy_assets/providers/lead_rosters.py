"""L5: the line-ups and squads of a provider that leads, in our numbers."""

from collections.abc import Iterable

from footy_assets.errors import ProviderKnowsNone
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.rules.adapter import DetailsAdapter, LineUpPlayer, SquadAdapter
from footy_assets.providers.rules.rosters import FoundLineUps, FoundSquad
from footy_assets.providers.store.our_ids import Kind


class LeadRosters:
    """A `RosterFeed`. What the provider does not have is empty, and costs no request."""

    def __init__(self, feed: LeadFeed) -> None:
        self._feed = feed

    def line_ups(self, match_id: int, within: float) -> FoundLineUps:
        adapter = self._feed.adapter
        if not isinstance(adapter, DetailsAdapter):
            return FoundLineUps()
        fixture, listed = self._feed.match_of(match_id)
        with self._feed.unless_refused():
            details = adapter.details(listed, within)
        teams = {"home": fixture.home.id, "away": fixture.away.id}
        players = self._players(one for side in details.line_ups for one in side.players)
        return FoundLineUps(
            tuple(
                LineUp(
                    teams[one.side],
                    tuple(players[member] for member in one.players),
                    one.formation,
                )
                for one in details.line_ups
            ),
            details.unreadable,
        )

    def squad(self, team_id: int, within: float) -> FoundSquad:
        adapter = self._feed.adapter
        if not isinstance(adapter, SquadAdapter):
            return FoundSquad()
        theirs = self._feed.ids.theirs(Kind.TEAM, [team_id])
        if team_id not in theirs:
            raise ProviderKnowsNone(f"{self._feed.name} has never named team {team_id}")
        league = self._feed.league_of(team_id)
        with self._feed.unless_refused():
            found = adapter.squad(theirs[team_id], within, league)
        players = self._players(found)
        return FoundSquad(tuple(players[one] for one in found))

    def _players(self, members: Iterable[LineUpPlayer]) -> dict[LineUpPlayer, RosterPlayer]:
        listed = list(dict.fromkeys(members))
        named = [one.person.id for one in listed if one.person.id]
        ours = self._feed.ids.of(Kind.PLAYER, named)
        return {
            one: RosterPlayer(
                Player(ours[one.person.id] if one.person.id else None, one.person.name),
                one.number,
                one.position,
                one.starts,
            )
            for one in listed
        }
