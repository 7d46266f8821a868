"""Y9: checks of a season's content. Each returns the problems it finds."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from footy_assets.history.rules.documents import Evidence, Row

SMALLEST_SQUAD, LARGEST_SQUAD = 16, 60
# A team cannot play a season with fewer.
FEWEST_ON_THE_PITCH = 11
YOUNGEST, OLDEST = 15, 46
MINUTES_A_MATCH = 990
# Red cards take minutes away, abandoned matches too; nothing adds any.
LEAST_MINUTES, MOST_MINUTES = 0.9, 1.02
# Own goals count for no player of the team.
LEAST_GOALS = 0.8
MOST_ALIKE = 0.5
BEFORE_A_SEASON = timedelta(days=120)


@dataclass(frozen=True, slots=True)
class SeasonContent:
    """The rows of a season's documents."""

    seasons: Sequence[Row] = ()
    fixtures: Sequence[Row] = ()
    teams: Sequence[Row] = ()
    team_seasons: Sequence[Row] = ()
    player_seasons: Sequence[Row] = ()
    transfers: Sequence[Row] = ()
    # Player seasons of the same league in other years.
    other_seasons: Sequence[Row] = ()

    def squads(self) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {row["team_id"]: [] for row in self.teams}
        for row in self.player_seasons:
            found.setdefault(row["team_id"], []).append(row)
        return found


def squads_in_bounds(content: SeasonContent) -> list[str]:
    """Every club has a squad of a plausible size, and enough players who played."""
    problems = []
    for team_id, squad in content.squads().items():
        if not SMALLEST_SQUAD <= len(squad) <= LARGEST_SQUAD:
            problems.append(f"team {team_id}: {len(squad)} players")
        played = sum(row["evidence"] == Evidence.APPEARANCE for row in squad)
        if played < FEWEST_ON_THE_PITCH:
            problems.append(f"team {team_id}: {played} with evidence that they played")
    return problems


def clubs_are_the_leagues(content: SeasonContent) -> list[str]:
    """The listed clubs are those that played the season's matches."""
    listed = {row["team_id"] for row in content.teams}
    played = {row[side] for row in content.fixtures for side in ("home_id", "away_id")} - {None}
    problems = [f"team {id_} is listed and played no match" for id_ in sorted(listed - played)]
    problems += [f"team {id_} played and is not listed" for id_ in sorted(played - listed)]
    with_season = {row["team_id"] for row in content.team_seasons}
    problems += [f"team {id_} has no season" for id_ in sorted(listed - with_season)]
    return problems


def one_team_at_a_time(content: SeasonContent) -> list[str]:
    """A player who played for two teams of the league was transferred between them."""
    if not content.seasons:
        return []
    first = date.fromisoformat(content.seasons[0]["start"]) - BEFORE_A_SEASON
    last = date.fromisoformat(content.seasons[0]["end"])
    moves = defaultdict(set)
    undated = Counter(row["player_id"] for row in content.transfers if row["date"] is None)
    for row in content.transfers:
        if row["date"] and first <= date.fromisoformat(row["date"]) <= last:
            moves[row["player_id"]].add(frozenset((row["from_id"], row["to_id"])))
    return [
        f"player {player_id} played for {', '.join(map(str, sorted(ids)))} without a transfer"
        + (f" (undated: {undated[player_id]})" if undated[player_id] else "")
        for player_id, ids in sorted(players_of_two_teams(content.player_seasons).items())
        if not _connected(ids, moves[player_id])
    ]


def players_of_two_teams(player_seasons: Sequence[Row]) -> dict[int, set[int]]:
    """Players who appeared for more than one team, with their teams: each needs a transfer as
    evidence."""
    teams: dict[int, set[int]] = defaultdict(set)
    for row in player_seasons:
        if row["evidence"] == Evidence.APPEARANCE:
            teams[row["player_id"]].add(row["team_id"])
    return {player_id: ids for player_id, ids in teams.items() if len(ids) > 1}


def _connected(teams: set[int], moves: set[frozenset[int | None]]) -> bool:
    """Whether transfers connect the teams, also through a team outside the league."""
    reached = {min(teams)}
    while more := {id_ for move in moves if move & reached for id_ in move if id_} - reached:
        reached |= more
    return teams <= reached


def births_plausible(content: SeasonContent) -> list[str]:
    """Every player's age in that season is plausible."""
    problems = []
    for row in content.player_seasons:
        if row["birth_date"] is None or not content.seasons:
            continue
        born = date.fromisoformat(row["birth_date"])
        end = date.fromisoformat(content.seasons[0]["end"])
        age = end.year - born.year - ((end.month, end.day) < (born.month, born.day))
        if not YOUNGEST <= age <= OLDEST:
            problems.append(f"player {row['player_id']} of team {row['team_id']}: {age} years old")
    return problems


def nobody_listed_twice(content: SeasonContent) -> list[str]:
    """No team lists a player twice."""
    seen = Counter((row["team_id"], row["player_id"]) for row in content.player_seasons)
    return [f"player {player} twice in team {team}" for (team, player), n in seen.items() if n > 1]


def figures_agree(content: SeasonContent) -> list[str]:
    """Players' minutes and goals add up to those of their team: the figures are of this season."""
    squads, problems = content.squads(), []
    for team in content.team_seasons:
        squad = squads.get(team["team_id"], [])
        minutes, goals = (sum(row[name] for row in squad) for name in ("minutes", "goals"))
        possible = team["played"] * MINUTES_A_MATCH
        if not LEAST_MINUTES * possible <= minutes <= MOST_MINUTES * possible:
            problems.append(f"team {team['team_id']}: {minutes} of {possible} minutes")
        if not LEAST_GOALS * team["goals_for"] <= goals <= team["goals_for"]:
            problems.append(f"team {team['team_id']}: {goals} of {team['goals_for']} goals")
    return problems


def unlike_other_seasons(content: SeasonContent) -> list[str]:
    """No team has the figures of another season: an endpoint may ignore the season parameter and
    return the same squad for every year."""
    elsewhere = {_figures(row) for row in content.other_seasons}
    problems = []
    for team_id, squad in content.squads().items():
        played = [row for row in squad if row["minutes"]]
        same = sum(_figures(row) in elsewhere for row in played)
        if played and same >= MOST_ALIKE * len(played):
            problems.append(f"team {team_id}: {same} of {len(played)} as in another season")
    return problems


def _figures(row: Row) -> tuple[int, ...]:
    names = ("team_id", "player_id", "minutes", "lineups", "appearances", "goals", "assists")
    return tuple(row[name] for name in names)


ContentCheck = Callable[[SeasonContent], list[str]]
CONTENT_CHECKS: tuple[ContentCheck, ...] = (
    squads_in_bounds,
    clubs_are_the_leagues,
    one_team_at_a_time,
    births_plausible,
    nobody_listed_twice,
    figures_agree,
    unlike_other_seasons,
)
