"""T2, T19, T23: the teams and players of a match, as targets of triggers."""

from pymongo.database import Database

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.scorers import scorer_team
from footy_assets.matchday.rules.sighting import Player, side_of
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.sports import FOOTBALL
from footy_assets.triggers.rules.targets import SIDES, MatchTargets
from footy_assets.triggers.rules.term import Choice

MAX_DIGITS = 18


def find_match(store: MatchdayStore, scope_id: str) -> Fixture | None:
    """The match of a scope; None for a scope that a client named itself (T1)."""
    ours = scope_id.isascii() and scope_id.isdigit() and len(scope_id) <= MAX_DIGITS
    return store.fixtures_by_id([int(scope_id)]).get(int(scope_id)) if ours else None


def match_targets(
    database: Database[Document], scope_id: str, sport: str = FOOTBALL
) -> MatchTargets:
    """Teams by side, and every player of its goals and incidents, line-ups and squads."""
    if sport != FOOTBALL:
        return MatchTargets()
    store = MatchdayStore(database)
    fixture = find_match(store, scope_id)
    if fixture is None:
        return MatchTargets(SIDES)
    people: dict[str, Choice] = {}
    names = {"home": fixture.home.name, "away": fixture.away.name}

    def add(team_id: int, player: Player) -> None:
        if player.id and player.name:
            side, id_ = side_of(team_id, fixture.home.id), str(player.id)
            people.setdefault(id_, Choice(id_, player.name, group=names[side], parent=side))

    for goal in store.goals_of([fixture.id])[fixture.id]:
        add(scorer_team(goal.team_id, goal.detail, fixture.home, fixture.away), goal.player)
        add(goal.team_id, goal.assist)
    for incident in fixture.incidents:
        add(incident.team_id, incident.player)
        add(incident.team_id, incident.other)
    sides = (fixture.home.id, fixture.away.id)
    rosters = RosterStore(database).rosters({fixture.id: sides})[fixture.id]
    for team_id in sides:
        for player in rosters.of(team_id):
            add(team_id, player)
    return MatchTargets(
        teams=[Choice(side, name) for side, name in names.items()],
        players=sorted(people.values(), key=lambda one: one.label),
        team_names={str(fixture.home.id): "home", str(fixture.away.id): "away"},
        is_ours=True,
        all_players=all(any(one.id for one in rosters.of(team_id)) for team_id in sides),
    )
