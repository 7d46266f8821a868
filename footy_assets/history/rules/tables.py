"""Y12: the tables of a season, with type and meaning of each column."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from footy_assets.history.rules.content import SeasonContent
from footy_assets.history.rules.documents import Row
from footy_assets.history.rules.key import LeagueSeason

Kind = Literal["int", "float", "text", "date"]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One row for each `key`, sorted by it."""

    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    meaning: str


LEAGUE = Column("league_id", "int", "API-Football's id of the league")
SEASON = Column("season", "int", "the year in which the season begins")
TEAM = Column("team_id", "int", "API-Football's id of the team")

SEASONS = Table(
    "seasons",
    ("league_id", "season"),
    (
        LEAGUE,
        SEASON,
        Column("name", "text", "the league's name"),
        Column("kind", "text", "League or Cup", nullable=True),
        Column("country", "text", "the league's country", nullable=True),
        Column("start", "date", "first day"),
        Column("end", "date", "last day"),
        Column("teams", "int", "clubs listed"),
        Column("matches", "int", "matches listed"),
        Column("matchdays", "int", "days on which there are matches, by UTC"),
    ),
    "a league's season",
)
VENUES = Table(
    "venues",
    ("league_id", "season", "venue_id"),
    (
        LEAGUE,
        SEASON,
        Column("venue_id", "int", "API-Football's id of the ground"),
        Column("name", "text", "its name", nullable=True),
        Column("address", "text", "street and number", nullable=True),
        Column("city", "text", "city", nullable=True),
        Column("country", "text", "country", nullable=True),
        Column("capacity", "int", "spectators", nullable=True),
        Column("surface", "text", "grass or artificial turf", nullable=True),
    ),
    "a ground that a club of the season plays at",
)
TEAM_SEASONS = Table(
    "team_seasons",
    ("league_id", "season", "team_id"),
    (
        LEAGUE,
        SEASON,
        TEAM,
        Column("name", "text", "the club's name"),
        Column("code", "text", "three letters", nullable=True),
        Column("country", "text", "country", nullable=True),
        Column("founded", "int", "year", nullable=True),
        Column("venue_id", "int", "its ground, as in `venues`", nullable=True),
        Column("played", "int", "matches in this league and season"),
        Column("wins", "int", "won"),
        Column("draws", "int", "drawn"),
        Column("losses", "int", "lost"),
        Column("goals_for", "int", "goals scored, own goals of opponents included"),
        Column("goals_against", "int", "goals conceded"),
        Column("clean_sheets", "int", "matches without a goal conceded"),
        Column("failed_to_score", "int", "matches without a goal scored"),
    ),
    "a club in a season of the league",
)
PLAYER_SEASONS = Table(
    "player_seasons",
    ("league_id", "season", "team_id", "player_id"),
    (
        LEAGUE,
        SEASON,
        TEAM,
        Column("player_id", "int", "API-Football's id of the player"),
        Column("name", "text", "as shown"),
        Column("firstname", "text", "first names", nullable=True),
        Column("lastname", "text", "last names", nullable=True),
        Column("birth_date", "date", "day of birth", nullable=True),
        Column("nationality", "text", "country", nullable=True),
        Column("height_cm", "int", "height", nullable=True),
        Column("weight_kg", "int", "weight", nullable=True),
        Column("position", "text", "Goalkeeper, Defender, Midfielder, Attacker", nullable=True),
        Column("number", "int", "on the shirt", nullable=True),
        Column("appearances", "int", "matches in this league, season and team"),
        Column("lineups", "int", "of them from the start"),
        Column("minutes", "int", "minutes on the pitch"),
        Column("goals", "int", "goals, own goals not counted"),
        Column("assists", "int", "assists"),
        Column("yellow_cards", "int", "yellow cards"),
        Column("red_cards", "int", "red cards, those for a second yellow one included"),
        Column("rating", "float", "the provider's average rating", nullable=True),
        Column("minutes_all_competitions", "int", "for this team in every competition"),
        Column(
            "evidence",
            "text",
            "`appearance` (minutes, line-ups or events say that he played for this team) or "
            "`listed`",
        ),
    ),
    "a player in a team in a season; who changed teams has a row for each",
)
TABLES = (SEASONS, VENUES, TEAM_SEASONS, PLAYER_SEASONS)


def rows_of(
    table: Table, key: LeagueSeason, content: SeasonContent, venues: Sequence[Row]
) -> list[Row]:
    """A table's rows, sorted by key, with every column and no other."""
    bound = {"league_id": key.league, "season": key.season}
    if table is SEASONS:
        counted = {
            "teams": len(content.teams),
            "matches": len(content.fixtures),
            "matchdays": len({row["matchday"] for row in content.fixtures}),
        }
        found = [{**row, **counted} for row in content.seasons]
    elif table is VENUES:
        found = list(venues)
    elif table is TEAM_SEASONS:
        clubs = {row["team_id"]: row for row in content.teams}
        # A club may have left the listing since the last recomputation.
        listed = [row for row in content.team_seasons if row["team_id"] in clubs]
        found = [{**clubs[row["team_id"]], **row} for row in listed]
    else:
        found = list(content.player_seasons)
    rows = [
        {column.name: _value(column, {**row, **bound}.get(column.name)) for column in table.columns}
        for row in found
    ]
    return sorted(rows, key=lambda row: tuple(row[name] for name in table.key))


def _value(column: Column, value: Any) -> Any:
    if column.kind == "date" and isinstance(value, str):
        return date.fromisoformat(value)
    return value
