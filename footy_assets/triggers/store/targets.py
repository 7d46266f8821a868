"""T2: the teams and players of a match, as choices of a form."""

from pymongo.database import Database

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.scorers import scorer_team
from footy_assets.matchday.rules.sighting import Player, side_of
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import Document

MAX_DIGITS = 18
Targets = list[dict[str, str]]


def find_match(store: MatchdayStore, scope_id: str) -> Fixture | None:
    """The match of a scope; None for a scope that a client named itself (T1)."""
    ours = scope_id.isascii() and scope_id.isdigit() and len(scope_id) <= MAX_DIGITS
    return store.fixtures_by_id([int(scope_id)]).get(int(scope_id)) if ours else None


def match_targets(database: Database[Document], scope_id: str) -> tuple[Targets, Targets]:
    """Teams by side, and every player of its goals and incidents, line-ups and squads."""
    store = MatchdayStore(database)
    fixture = find_match(store, scope_id)
    if fixture is None:
        return [{"value": side, "label": side} for side in ("home", "away")], []
    people: dict[str, dict[str, str]] = {}

    def add(team_id: int, player: Player) -> None:
        if player.id and player.name:
            side = side_of(team_id, fixture.home.id)
            named = {"value": str(player.id), "label": player.name, "parent": side}
            people.setdefault(str(player.id), named)

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
    teams = [
        {"value": "home", "label": fixture.home.name},
        {"value": "away", "label": fixture.away.name},
    ]
    return teams, sorted(people.values(), key=lambda one: one["label"])
