"""Builds JSON of single fixtures and events for tests."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from footy_assets.sim.clubs import LEAGUES, Club, League, all_clubs
from footy_assets.sim.feed import Json
from footy_assets.sim.feed import fixture_at as _fixture_at
from footy_assets.sim.script import (
    BEGINNING,
    GOAL_DETAILS,
    SHOOTOUT,
    Announcement,
    MatchScript,
    Phase,
    Timetable,
)
from footy_assets.sim.statuses import (
    DECIDED,
    LONG_NAMES,
    NOT_PLAYED,
    STANDING_MINUTES,
    Status,
)

KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
USUAL_NAMES = {40: "Liverpool", 50: "Manchester City"}


def fixture_json(
    id: int,
    *,
    home: int = 40,
    away: int = 50,
    status: str = Status.NOT_STARTED,
    elapsed: int | None = None,
    extra: int | None = None,
    kickoff: datetime = KICKOFF,
    goals: Sequence[Json] = (),
    events: Sequence[Json] = (),
    league: int = 39,
    score: tuple[int | None, int | None] | None = None,
    corners: tuple[int, int] | None = None,
    home_name: str | None = None,
    away_name: str | None = None,
    home_winner: bool | None = None,
    away_winner: bool | None = None,
) -> Json:
    """One fixture's object. `goals` and `events` are listed together, in order of time.

    Score and winner follow from the goals, unless they are given.
    """
    shown_minute = STANDING_MINUTES.get(status) if elapsed is None else elapsed
    fixture = _fixture_at(
        MatchScript(
            fixture_id=id,
            league=LEAGUES.get(league, League(league, f"League {league}", "World", None)),
            home=_club(home, home_name),
            away=_club(away, away_name),
            timetable=Timetable(
                (Announcement(BEGINNING, kickoff),), (Phase(BEGINNING, status, shown_minute),)
            ),
        ),
        kickoff,
    )
    sides = {side["id"]: {"name": side["name"]} for side in fixture["teams"].values()}
    listed = [
        entry | {"team": entry["team"] | sides.get(entry["team"]["id"], {})}
        for entry in sorted([*goals, *events], key=_minute)
    ]
    fixture["events"] = listed
    if corners is not None:
        fixture["statistics"] = [
            {"team": {"id": team}, "statistics": [{"type": "Corner Kicks", "value": count}]}
            for team, count in zip((home, away), corners, strict=True)
        ]
    fixture["fixture"]["status"] |= {
        "long": LONG_NAMES.get(status, "Unknown"),
        "elapsed": shown_minute,
        "extra": extra,
    }
    first = None if status in NOT_PLAYED else int(kickoff.timestamp())
    fixture["fixture"]["periods"] = {"first": first, "second": None}
    counted = _count(listed, home, away) if status not in NOT_PLAYED else (None, None)
    ours, theirs = counted if score is None else score
    fixture["goals"] = {"home": ours, "away": theirs}
    kicks = _count(listed, home, away, shootout=True)
    if status in {Status.SHOOTOUT, Status.AFTER_SHOOTOUT}:
        fixture["score"]["penalty"] = {"home": kicks[0], "away": kicks[1]}
    margin = ((ours or 0) - (theirs or 0)) or (kicks[0] - kicks[1])
    if status in DECIDED and margin:
        home_winner = margin > 0 if home_winner is None else home_winner
        away_winner = margin < 0 if away_winner is None else away_winner
    fixture["teams"]["home"]["winner"] = home_winner
    fixture["teams"]["away"]["winner"] = away_winner
    return fixture


def goal(
    elapsed: int,
    *,
    team: int = 40,
    player: int | None = None,
    name: str | None = None,
    extra: int | None = None,
    detail: str = "Normal Goal",
    assist: int | None = None,
    assist_name: str | None = None,
    comments: str | None = None,
) -> Json:
    """A goal; for an own goal `team` is the side that benefits."""
    return event(
        "Goal",
        detail,
        elapsed,
        team=team,
        player=player,
        name=name,
        extra=extra,
        assist=assist,
        assist_name=assist_name,
        comments=comments,
    )


def missed_penalty(elapsed: int, **who: Any) -> Json:
    return goal(elapsed, detail="Missed Penalty", **who)


def shootout_kick(
    number: int = 1,
    *,
    team: int = 40,
    player: int | None = None,
    name: str | None = None,
    scored: bool = True,
) -> Json:
    return goal(
        120,
        extra=number,
        team=team,
        player=player,
        name=name,
        detail="Penalty" if scored else "Missed Penalty",
        comments=SHOOTOUT,
    )


def var_cancel(elapsed: int, *, detail: str = "Goal cancelled", **who: Any) -> Json:
    return event("Var", detail, elapsed, **who)


def event(
    type: str,
    detail: str,
    elapsed: int,
    *,
    team: int = 40,
    player: int | None = None,
    name: str | None = None,
    extra: int | None = None,
    assist: int | None = None,
    assist_name: str | None = None,
    comments: str | None = None,
) -> Json:
    club = _club(team, None)
    return {
        "time": {"elapsed": elapsed, "extra": extra},
        "team": {"id": club.id, "name": club.name, "logo": club.logo},
        "player": {"id": player, "name": name},
        "assist": {"id": assist, "name": assist_name},
        "type": type,
        "detail": detail,
        "comments": comments,
    }


def _club(team_id: int, name: str | None) -> Club:
    known = all_clubs().get(team_id)
    if known is not None and name is None:
        return known
    club_name = name or USUAL_NAMES.get(team_id, f"Team {team_id}")
    return Club(team_id, club_name, "England", club_name.split()[0])


def _minute(listed: Json) -> tuple[int, int]:
    return listed["time"]["elapsed"] or 0, listed["time"]["extra"] or 0


def _count(listed: Sequence[Json], home: int, away: int, shootout: bool = False) -> tuple[int, int]:
    """Goals of each side, or the kicks each side scored in the shoot-out."""
    scorers = [
        entry["team"]["id"]
        for entry in listed
        if entry["type"] == "Goal"
        and entry["detail"] in GOAL_DETAILS
        and (entry["comments"] == SHOOTOUT) == shootout
    ]
    return scorers.count(home), scorers.count(away)
