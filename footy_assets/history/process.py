"""Processors: from a document's answer to typed rows, bound to what was asked (Y9)."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from footy_assets.errors import ProviderAnswerInvalid, ProviderKnowsNone
from footy_assets.history.answers import (
    ToldClub,
    ToldFigures,
    ToldFixture,
    ToldPlayerSeason,
    ToldSeason,
    ToldTeamSeason,
    ToldTransfers,
    ToldVenue,
)
from footy_assets.history.documents import Row, Wanted
from footy_assets.history.key import LeagueSeason

Model = TypeVar("Model", bound=BaseModel)
Evidence = Literal["appearance", "listed"]


def read(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    """The rows of an answer. One that cannot be read, or is about something else, has none."""
    return PROCESSORS[wanted.path](wanted, key, response)


def _seasons(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    for told in _each(ToldSeason, response):
        for span in told.seasons:
            if told.league.id == key.league and span.year == key.season:
                return [
                    {
                        "league_id": key.league,
                        "season": key.season,
                        "name": told.league.name,
                        "kind": told.league.type,
                        "country": told.country.name,
                        "start": span.start.isoformat(),
                        "end": span.end.isoformat(),
                    }
                ]
    raise ProviderKnowsNone(f"the provider knows no season {key.season} of league {key.league}")


def _fixtures(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    rows = []
    for told in _each(ToldFixture, response):
        _bound(told.league.season, key.season, "season", f"fixture {told.fixture.id}")
        _bound(told.league.id, key.league, "league", f"fixture {told.fixture.id}")
        rows.append(
            {
                "fixture_id": told.fixture.id,
                "matchday": told.fixture.kickoff[:10],
                "round": told.league.round,
                "home_id": told.teams.home.id,
                "away_id": told.teams.away.id,
            }
        )
    return sorted(rows, key=lambda row: row["fixture_id"])


def _clubs(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [
        {
            "team_id": told.team.id,
            "name": told.team.name,
            "code": told.team.code,
            "country": told.team.country,
            "founded": told.team.founded,
            "venue_id": told.venue.id,
        }
        for told in _each(ToldClub, response)
    ]
    return sorted(rows, key=lambda row: row["team_id"])


def _venue(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    (told,) = _only_one(ToldVenue, response, wanted)
    _bound(told.id, wanted.asked("id"), "venue", "the answer")
    return [{"venue_id": told.id, **told.model_dump(exclude={"id"})}]


def _team_season(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    (told,) = _only_one(ToldTeamSeason, [response], wanted)
    _bound(told.team.id, wanted.asked("team"), "team", "the answer")
    _bound(told.league.season, key.season, "season", "the answer")
    _bound(told.league.id, key.league, "league", "the answer")
    return [
        {
            "team_id": told.team.id,
            "played": told.fixtures.played.total,
            "wins": told.fixtures.wins.total,
            "draws": told.fixtures.draws.total,
            "losses": told.fixtures.loses.total,
            "goals_for": told.goals.scored.total.total,
            "goals_against": told.goals.against.total.total,
            "clean_sheets": told.clean_sheet.total,
            "failed_to_score": told.failed_to_score.total,
        }
    ]


def _players(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [_player(told, wanted, key) for told in _each(ToldPlayerSeason, response)]
    return sorted(rows, key=lambda row: row["player_id"])


def _player(told: ToldPlayerSeason, wanted: Wanted, key: LeagueSeason) -> Row:
    """Y9: only figures of the team and season that were asked for count, and there must be some."""
    team_id, player = wanted.asked("team"), told.player
    ours = [
        figures
        for figures in told.statistics
        if figures.team.id == team_id and figures.league.season == key.season
    ]
    if not ours:
        about = sorted({f"{f.team.id} in {f.league.season}" for f in told.statistics})
        raise ProviderAnswerInvalid(
            f"player {player.id} is not bound to team {team_id} in {key.season} "
            f"but to {', '.join(about) or 'nothing'}"
        )
    league = [figures for figures in ours if figures.league.id == key.league]
    return {
        "team_id": team_id,
        "player_id": player.id,
        "name": player.name,
        "firstname": player.firstname,
        "lastname": player.lastname,
        "birth_date": player.birth.day.isoformat() if player.birth.day else None,
        "nationality": player.nationality,
        "height_cm": _measure(player.height),
        "weight_kg": _measure(player.weight),
        "position": next((f.games.position for f in league or ours if f.games.position), None),
        "number": next((f.games.number for f in league or ours if f.games.number), None),
        "appearances": sum(f.games.appearances for f in league),
        "lineups": sum(f.games.lineups for f in league),
        "minutes": sum(f.games.minutes for f in league),
        "goals": sum(f.goals.total for f in league),
        "assists": sum(f.goals.assists for f in league),
        "yellow_cards": sum(f.cards.yellow for f in league),
        "red_cards": sum(f.cards.sent_off for f in league),
        "rating": next((f.games.rating for f in league), None),
        "minutes_all_competitions": sum(f.games.minutes for f in ours),
        "evidence": evidence(ours),
    }


def evidence(figures: Sequence[ToldFigures]) -> Evidence:
    """Y9: on the pitch for this team (minutes, line-ups, events), or only named in its list."""
    played = any(
        f.games.minutes
        or f.games.lineups
        or f.games.appearances
        or f.goals.total
        or f.goals.assists
        or f.cards.yellow
        or f.cards.sent_off
        for f in figures
    )
    return "appearance" if played else "listed"


def _transfers(wanted: Wanted, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [
        {
            "player_id": wanted.asked("player"),
            "date": move.day.isoformat() if move.day else None,
            "type": move.type,
            "from_id": move.teams.out.id,
            "to_id": move.teams.into.id,
        }
        for told in _each(ToldTransfers, response)
        if told.player.id == wanted.asked("player")
        for move in told.transfers
    ]
    return sorted(rows, key=lambda row: (row["date"] or "", str(row["from_id"]), str(row["to_id"])))


PROCESSORS: dict[str, Callable[[Wanted, LeagueSeason, Any], list[Row]]] = {
    "/leagues": _seasons,
    "/fixtures": _fixtures,
    "/teams": _clubs,
    "/venues": _venue,
    "/teams/statistics": _team_season,
    "/players": _players,
    "/transfers": _transfers,
}


def _each(model: type[Model], response: Any) -> list[Model]:
    if not isinstance(response, list):
        raise ProviderAnswerInvalid("the answer is no list")
    try:
        return [model.model_validate(item) for item in response]
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProviderAnswerInvalid(f"{where or 'an entry'}: {first['msg']}") from error


def _only_one(model: type[Model], response: Any, wanted: Wanted) -> list[Model]:
    found = _each(model, response)
    if len(found) != 1:
        raise ProviderAnswerInvalid(f"{len(found)} answers to {wanted.url}, not one")
    return found


def _bound(told: int | None, asked: int, what: str, subject: str) -> None:
    if told != asked:
        raise ProviderAnswerInvalid(f"{subject} is about {what} {told}, asked was {asked}")


def _measure(text: str | None) -> int | None:
    """`188 cm` and `83 kg`."""
    found = re.match(r"\d{2,3}", text or "", re.ASCII)
    return int(found[0]) if found else None
