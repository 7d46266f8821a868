"""T18: the teams, players and matches that can be followed."""

from collections.abc import Iterable, Iterator

from pymongo.database import Database

from footy_assets.store.collections import EVENTS, FIXTURES, LINE_UPS, SQUADS, Document
from footy_assets.triggers.rules.follow import FollowKind
from footy_assets.triggers.rules.follow_targets import FollowTarget, find_target

MAX_ID_DIGITS = 18


def resolve_target(database: Database[Document], kind: FollowKind, given: str) -> FollowTarget:
    """An id, or a name. A player's id is accepted before any roster has it."""
    read = {"team": known_teams, "player": known_players, "match": known_matches}[kind]
    known = read(database)
    id = given.strip()
    unlisted = kind == "player" and id.isascii() and id.isdigit() and len(id) <= MAX_ID_DIGITS
    if unlisted and not any(one.id == id for one in known):
        return FollowTarget(id, f"player {id}")
    return find_target(kind, given, known)


def known_teams(database: Database[Document]) -> list[FollowTarget]:
    """Of the stored matches, which reach back for weeks."""
    teams: dict[str, FollowTarget] = {}
    for match in database[FIXTURES].find({}, {"home": 1, "away": 1}):
        for side in (match["home"], match["away"]):
            teams.setdefault(str(side["id"]), FollowTarget(str(side["id"]), side["name"]))
    return list(teams.values())


def known_matches(database: Database[Document]) -> list[FollowTarget]:
    fields = {"home.name": 1, "away.name": 1, "matchday": 1}
    found = database[FIXTURES].find({}, fields).sort([("kickoff", -1), ("_id", 1)])
    return [
        FollowTarget(
            str(one["_id"]), f"{one['home']['name']} – {one['away']['name']}", one["matchday"]
        )
        for one in found
    ]


def known_players(database: Database[Document]) -> list[FollowTarget]:
    """Of squads, line-ups and goals."""
    teams = {one.id: one.name for one in known_teams(database)}
    players: dict[str, FollowTarget] = {}
    for team_id, player in _players(database):
        id, name = player.get("id"), player.get("name")
        if id and name:
            beside = teams.get(str(team_id), "")
            players.setdefault(str(id), FollowTarget(str(id), name, beside))
    return list(players.values())


def _players(database: Database[Document]) -> Iterator[tuple[int, Document]]:
    for squad in database[SQUADS].find({}, {"players.player": 1}):
        yield from _listed(squad["_id"], squad.get("players", ()))
    for match in database[LINE_UPS].find({}, {"line_ups.team_id": 1, "line_ups.players.player": 1}):
        for line_up in match.get("line_ups", ()):
            yield from _listed(line_up["team_id"], line_up.get("players", ()))
    for goal in database[EVENTS].find({"live": True}, {"team_id": 1, "player": 1}):
        yield goal["team_id"], goal.get("player") or {}


def _listed(team_id: int, players: Iterable[Document]) -> Iterator[tuple[int, Document]]:
    return ((team_id, one.get("player") or {}) for one in players)
