"""Parsers: from a response to typed rows that match the request (Y9)."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from footy_assets.errors import ProviderAnswerInvalid, ProviderKnowsNone
from footy_assets.history.rules.api_models import (
    HistoryFixture,
    HistoryLeagueEntry,
    HistoryPlayerEntry,
    HistoryPlayerStatistics,
    HistoryTeamEntry,
    HistoryTeamStatistics,
    HistoryTransfers,
    HistoryVenue,
)
from footy_assets.history.rules.documents import DocumentRequest, Evidence, Row
from footy_assets.history.rules.key import LeagueSeason

Model = TypeVar("Model", bound=BaseModel)


def parse_rows(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    """The rows of a response. Raises if it is unreadable or does not match the request."""
    return PARSERS[request.path](request, key, response)


def _seasons(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    for entry in _validate_all(HistoryLeagueEntry, response):
        for span in entry.seasons:
            if entry.league.id == key.league and span.year == key.season:
                return [
                    {
                        "league_id": key.league,
                        "season": key.season,
                        "name": entry.league.name,
                        "kind": entry.league.type,
                        "country": entry.country.name,
                        "start": span.start.isoformat(),
                        "end": span.end.isoformat(),
                    }
                ]
    raise ProviderKnowsNone(f"the provider has no season {key.season} of league {key.league}")


def _fixtures(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    rows = []
    for entry in _validate_all(HistoryFixture, response):
        _require_same(entry.league.season, key.season, "season", f"fixture {entry.fixture.id}")
        _require_same(entry.league.id, key.league, "league", f"fixture {entry.fixture.id}")
        rows.append(
            {
                "fixture_id": entry.fixture.id,
                "matchday": entry.fixture.kickoff[:10],
                "round": entry.league.round,
                "home_id": entry.teams.home.id,
                "away_id": entry.teams.away.id,
            }
        )
    return sorted(rows, key=lambda row: row["fixture_id"])


def _clubs(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [
        {
            "team_id": entry.team.id,
            "name": entry.team.name,
            "code": entry.team.code,
            "country": entry.team.country,
            "founded": entry.team.founded,
            "venue_id": entry.venue.id,
        }
        for entry in _validate_all(HistoryTeamEntry, response)
    ]
    return sorted(rows, key=lambda row: row["team_id"])


def _venue(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    entry = _validate_one(HistoryVenue, response, request)
    _require_same(entry.id, request.parameter("id"), "venue", "the response")
    return [{"venue_id": entry.id, **entry.model_dump(exclude={"id"})}]


def _team_season(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    entry = _validate_one(HistoryTeamStatistics, [response], request)
    _require_same(entry.team.id, request.parameter("team"), "team", "the response")
    _require_same(entry.league.season, key.season, "season", "the response")
    _require_same(entry.league.id, key.league, "league", "the response")
    return [
        {
            "team_id": entry.team.id,
            "played": entry.fixtures.played.total,
            "wins": entry.fixtures.wins.total,
            "draws": entry.fixtures.draws.total,
            "losses": entry.fixtures.loses.total,
            "goals_for": entry.goals.scored.total.total,
            "goals_against": entry.goals.against.total.total,
            "clean_sheets": entry.clean_sheet.total,
            "failed_to_score": entry.failed_to_score.total,
        }
    ]


def _players(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [_player(entry, request, key) for entry in _validate_all(HistoryPlayerEntry, response)]
    return sorted(rows, key=lambda row: row["player_id"])


def _player(entry: HistoryPlayerEntry, request: DocumentRequest, key: LeagueSeason) -> Row:
    """Y9: only statistics of the requested team and season count, and there must be some."""
    team_id, player = request.parameter("team"), entry.player
    ours = [
        one
        for one in entry.statistics
        if one.team.id == team_id and one.league.season == key.season
    ]
    if not ours:
        about = sorted({f"{f.team.id} in {f.league.season}" for f in entry.statistics})
        raise ProviderAnswerInvalid(
            f"player {player.id} has no statistics of team {team_id} in {key.season}, "
            f"only of {', '.join(about) or 'nothing'}"
        )
    league = [one for one in ours if one.league.id == key.league]
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


def evidence(statistics: Sequence[HistoryPlayerStatistics]) -> Evidence:
    """Y9: appeared for this team (minutes, line-ups, events), or is only listed."""
    played = any(
        f.games.minutes
        or f.games.lineups
        or f.games.appearances
        or f.goals.total
        or f.goals.assists
        or f.cards.yellow
        or f.cards.sent_off
        for f in statistics
    )
    return Evidence.APPEARANCE if played else Evidence.LISTED


def _transfers(request: DocumentRequest, key: LeagueSeason, response: Any) -> list[Row]:
    rows = [
        {
            "player_id": request.parameter("player"),
            "date": transfer.day.isoformat() if transfer.day else None,
            "type": transfer.type,
            "from_id": transfer.teams.out.id,
            "to_id": transfer.teams.into.id,
        }
        for entry in _validate_all(HistoryTransfers, response)
        if entry.player.id == request.parameter("player")
        for transfer in entry.transfers
    ]
    return sorted(rows, key=lambda row: (row["date"] or "", str(row["from_id"]), str(row["to_id"])))


PARSERS: dict[str, Callable[[DocumentRequest, LeagueSeason, Any], list[Row]]] = {
    "/leagues": _seasons,
    "/fixtures": _fixtures,
    "/teams": _clubs,
    "/venues": _venue,
    "/teams/statistics": _team_season,
    "/players": _players,
    "/transfers": _transfers,
}


def _validate_all(model: type[Model], response: Any) -> list[Model]:
    if not isinstance(response, list):
        raise ProviderAnswerInvalid("the response is not a list")
    try:
        return [model.model_validate(item) for item in response]
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProviderAnswerInvalid(f"{where or 'an entry'}: {first['msg']}") from error


def _validate_one(model: type[Model], response: Any, request: DocumentRequest) -> Model:
    entries = _validate_all(model, response)
    if len(entries) != 1:
        raise ProviderAnswerInvalid(f"{len(entries)} entries for {request.url}, not one")
    return entries[0]


def _require_same(found: int | None, requested: int, what: str, subject: str) -> None:
    if found != requested:
        raise ProviderAnswerInvalid(f"{subject} is about {what} {found}, not {requested}")


def _measure(text: str | None) -> int | None:
    """Reads `188 cm` or `83 kg`."""
    found = re.match(r"\d{2,3}", text or "", re.ASCII)
    return int(found[0]) if found else None
