"""The provider's endpoints about seasons: venues, statistics, players by page, transfers."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from footy_assets.sim.careers import Footballer, Transfer, transfers_in
from footy_assets.sim.clubs import LEAGUES, TOP_LEAGUES, Club, all_clubs, clubs_of
from footy_assets.sim.feed import Json
from footy_assets.sim.line_ups import squad_of
from footy_assets.sim.past_season import Figures, PastSeason, Record, past_season
from footy_assets.sim.script import MatchScript

PLAYERS_A_PAGE = 20
# By the letters of line-ups.
POSITION_NAMES = {"G": "Goalkeeper", "D": "Defender", "M": "Midfielder", "F": "Attacker"}


def league_of(club_id: int) -> int | None:
    return next(
        (league for league in TOP_LEAGUES if any(c.id == club_id for c in clubs_of(league))), None
    )


def venues(venue_id: int) -> list[Json]:
    return [venue_json(club) for club in all_clubs().values() if club.venue_id == venue_id]


def venue_json(club: Club) -> Json:
    return {
        "id": club.venue_id,
        "name": club.venue,
        "address": f"1 {club.city} Road",
        "city": club.city,
        "country": club.country,
        "capacity": 20_000 + club.id % 400 * 100,
        "surface": "grass",
        "image": f"https://media.api-sports.io/football/venues/{club.venue_id}.png",
    }


def statistics(league_id: int, season: int, team_id: int) -> Json | list[Json]:
    """One object, and an empty list where there is nothing to say, as in the real one."""
    if league_id not in TOP_LEAGUES or league_of(team_id) != league_id:
        return []
    club, record = all_clubs()[team_id], past_season(league_id, season).records[team_id]
    return {
        "league": _league(league_id, season),
        "team": {"id": club.id, "name": club.name, "logo": club.logo},
        "form": "",
        "fixtures": {
            "played": _split(record.played),
            "wins": _split(record.wins),
            "draws": _split(record.draws),
            "loses": _split(record.losses),
        },
        "goals": {"for": _scored(record, "scored"), "against": _scored(record, "conceded")},
        "clean_sheet": _split(record.clean),
        "failed_to_score": _split(record.blank),
    }


def players(team_id: int, season: int, page: int) -> tuple[list[Json], int]:
    """A page of a team's players, and how many pages there are."""
    league_id = league_of(team_id)
    if league_id is None:
        return [], 1
    past = past_season(league_id, season)
    all_players = past.players_of(team_id)
    pages = max(1, -(-len(all_players) // PLAYERS_A_PAGE))
    shown = all_players[(page - 1) * PLAYERS_A_PAGE : page * PLAYERS_A_PAGE]
    return [_player(one, figures, team_id, past) for one, figures in shown], pages


def squads(team_id: int) -> list[Json]:
    """Today's squad, whose players are in the line-ups: it takes no season, and knows none."""
    club = all_clubs().get(team_id)
    if club is None:
        return []
    listed = [
        {
            "id": one.person.id,
            "name": one.person.name,
            "age": None,
            "number": one.number,
            "position": POSITION_NAMES[one.position],
        }
        for one in squad_of(club)
    ]
    return [{"team": {"id": club.id, "name": club.name}, "players": listed}]


def transfers(player_id: int, seasons: Iterable[int]) -> list[Json]:
    moves = [
        move
        for league_id in TOP_LEAGUES
        for season in seasons
        for move in transfers_in(league_id, season)
        if move.player.id == player_id
    ]
    if not moves:
        return []
    return [
        {
            "player": {"id": player_id, "name": moves[0].player.name},
            "update": moves[-1].day.isoformat(),
            "transfers": [_move(move) for move in moves],
        }
    ]


def relabelled(answer: Any, season: int) -> Any:
    """The same answer, claiming to be about another season."""
    if isinstance(answer, dict):
        return {
            name: season if name == "season" else relabelled(value, season)
            for name, value in answer.items()
        }
    if isinstance(answer, list):
        return [relabelled(one, season) for one in answer]
    return answer


def _player(one: Footballer, figures: Figures, team_id: int, past: PastSeason) -> Json:
    club = all_clubs()[team_id]
    played = figures.appearances > 0

    def or_null(count: int) -> int | None:
        return count if played else None

    return {
        "player": {
            "id": one.id,
            "name": one.name,
            "firstname": one.first,
            "lastname": one.last,
            "age": past.season - one.birth.year,
            "birth": {"date": one.birth.isoformat(), "place": None, "country": one.nationality},
            "nationality": one.nationality,
            "height": f"{one.height} cm",
            "weight": f"{one.weight} kg",
            "injured": False,
            "photo": f"https://media.api-sports.io/football/players/{one.id}.png",
        },
        "statistics": [
            {
                "team": {"id": club.id, "name": club.name, "logo": club.logo},
                "league": _league(past.league_id, past.season),
                "games": {
                    "appearences": or_null(figures.appearances),
                    "lineups": or_null(figures.lineups),
                    "minutes": or_null(figures.minutes),
                    "number": None,
                    "position": one.position,
                    "rating": f"{6 + figures.goals / 20:.6f}" if played else None,
                    "captain": False,
                },
                "goals": {"total": or_null(figures.goals), "assists": or_null(figures.assists)},
                "cards": {"yellow": figures.yellow, "yellowred": figures.second_yellow, "red": 0},
            }
        ],
    }


def _league(league_id: int, season: int) -> Json:
    league = LEAGUES[league_id]
    return {
        "id": league.id,
        "name": league.name,
        "country": league.country,
        "logo": league.logo,
        "flag": league.flag,
        "season": season,
    }


def _split(total: int) -> Json:
    return {"home": total // 2, "away": total - total // 2, "total": total}


def _scored(record: Record, what: str) -> Json:
    return {"total": _split(getattr(record, what))}


def _move(move: Transfer) -> Json:
    return {
        "date": move.day.isoformat(),
        "type": "N/A",
        "teams": {
            "in": {"id": move.into.id, "name": move.into.name, "logo": move.into.logo},
            "out": {"id": move.out.id, "name": move.out.name, "logo": move.out.logo},
        },
    }


def on(day: date, seasons: Iterable[int]) -> list[MatchScript]:
    """The matches of past seasons on a day."""
    return [
        script
        for season in seasons
        for league_id in TOP_LEAGUES
        for script in past_season(league_id, season).matches
        if script.kickoff.date() == day
    ]
