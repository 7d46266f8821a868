"""Fixtures and events as rows with snake_case fields, for commands and JSON."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import side_of

Row = dict[str, Any]


def fixture_row(fixture: Fixture, now: datetime) -> Row:
    return {
        "fixture_id": fixture.id,
        "state": str(fixture.state),
        "status": fixture.status,
        "minute": fixture.minute(now),
        "home": fixture.home.name,
        "away": fixture.away.name,
        "home_id": fixture.home.id,
        "away_id": fixture.away.id,
        "goals_home": fixture.goals[0],
        "goals_away": fixture.goals[1],
        "kickoff": fixture.kickoff.isoformat(),
        "matchday": fixture.matchday.isoformat(),
        "league": fixture.league.name,
        "league_id": fixture.league.id,
        "completed_at": _iso(fixture.completed_at),
        "closed_because": fixture.closed_because,
    }


def event_row(goal: GoalEvent, matchday: date, clips: Sequence[Any] = ()) -> Row:
    """`clips` are rows that the caller has: clips are another room's."""
    score = goal.score_after
    return {
        "event_id": goal.event_id,
        "fixture_id": goal.fixture_id,
        "matchday": matchday.isoformat(),
        "state": str(goal.state),
        "state_label": goal.state_label,
        "team_id": goal.team_id,
        "side": goal.side,
        "player_id": goal.player.id,
        "player_name": goal.player.name,
        "assist_name": goal.assist.name,
        "elapsed": goal.minute.elapsed,
        "extra": goal.minute.extra,
        "detail": goal.detail,
        "comments": goal.comments,
        "score_home": score[0] if score else None,
        "score_away": score[1] if score else None,
        "seen_in_polls": list(goal.seen_in_polls),
        "missing_in_polls": list(goal.missing_in_polls),
        "first_seen_at": _iso(goal.first_seen_at),
        "stable_at": _iso(goal.stable_at),
        "formerly": [former.event_id for former in goal.formerly],
        "removed_because": goal.removal.reason if goal.removal else None,
        "attempts_planned": goal.attempts_planned,
        "attempts_counted": goal.attempts_counted,
        "clips": list(clips),
    }


def line_up_rows(fixture: Fixture, line_ups: Sequence[LineUp]) -> list[Row]:
    """The home side first."""
    sides = {one.team_id: one for one in line_ups}
    return [
        {
            "side": side_of(team.id, fixture.home.id),
            "team_id": team.id,
            "team": team.name,
            "formation": sides[team.id].formation,
            "starters": [_player_row(one) for one in sides[team.id].starters],
            "substitutes": [_player_row(one) for one in sides[team.id].substitutes],
        }
        for team in (fixture.home, fixture.away)
        if team.id in sides
    ]


def _player_row(one: RosterPlayer) -> Row:
    return {
        "player_id": one.player.id,
        "name": one.player.name,
        "number": one.number,
        "position": one.position,
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
