"""Metadata of a matchday's materializations, for Dagster's UI."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import dagster as dg

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore

TABLE_ROWS = 200

GOAL_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("match"),
        dg.TableColumn("minute"),
        dg.TableColumn("score"),
        dg.TableColumn("scorer"),
        dg.TableColumn("detail"),
        dg.TableColumn("state"),
        dg.TableColumn("event_id"),
    ]
)
FIXTURE_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("kickoff"),
        dg.TableColumn("match"),
        dg.TableColumn("league"),
        dg.TableColumn("status"),
        dg.TableColumn("state"),
        dg.TableColumn("fixture_id", type="int"),
    ]
)


def fixtures_metadata(store: MatchdayStore, day: date) -> dict[str, Any]:
    fixtures = store.fixtures_of(day)
    records = [
        dg.TableRecord(
            {
                "kickoff": f"{fixture.kickoff:%H:%M}",
                "match": fixture.name,
                "league": fixture.league.name,
                "status": fixture.status,
                "state": str(fixture.state),
                "fixture_id": fixture.id,
            }
        )
        for fixture in fixtures[:TABLE_ROWS]
    ]
    return {
        "fixtures": len(fixtures),
        "leagues": len({fixture.league.id for fixture in fixtures}),
        "by_status": dict(Counter(fixture.status for fixture in fixtures)),
        **_by_state(fixtures),
        "table": dg.MetadataValue.table(records, FIXTURE_COLUMNS),
    }


def live_events_metadata(store: MatchdayStore, day: date, gallery_url: str) -> dict[str, Any]:
    fixtures = store.fixtures_of(day)
    by_fixture = store.goals_of([fixture.id for fixture in fixtures])
    goals = [
        (fixture, goal)
        for fixture in fixtures
        for goal in sorted(by_fixture[fixture.id], key=lambda goal: goal.minute.sort_key)
    ]
    states = Counter(goal.state for _, goal in goals)
    return {
        "fixtures": len(fixtures),
        "by_status": dict(Counter(fixture.status for fixture in fixtures)),
        **_by_state(fixtures),
        "goals": sum(goal.live for _, goal in goals),
        **{f"goals_{state}": states[state] for state in EventState},
        "goals_unnamed": sum(goal.live and not goal.player.known for _, goal in goals),
        "gallery": dg.MetadataValue.url(f"{gallery_url}/days/{day}"),
        "goal_table": dg.MetadataValue.table(
            [_goal_record(fixture, goal) for fixture, goal in goals[:TABLE_ROWS]], GOAL_COLUMNS
        ),
    }


def provider_metadata(calls: int, quota: Quota | None) -> dict[str, Any]:
    """API cost as numbers, so that Dagster plots them."""
    figures = {
        "api_calls": calls,
        "quota_day_remaining": quota.day_remaining if quota else None,
        "quota_day_limit": quota.day_limit if quota else None,
        "quota_minute_remaining": quota.minute_remaining if quota else None,
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def _by_state(fixtures: Sequence[Fixture]) -> dict[str, int]:
    counts = Counter(fixture.state for fixture in fixtures)
    return {f"fixtures_{state}": counts[state] for state in FixtureState}


def _goal_record(fixture: Fixture, goal: GoalEvent) -> dg.TableRecord:
    score = f"{goal.score_after[0]}-{goal.score_after[1]}" if goal.score_after else ""
    return dg.TableRecord(
        {
            "match": fixture.name,
            "minute": str(goal.minute),
            "score": score if goal.live else "–",
            "scorer": goal.player.name or "not named",
            "detail": goal.detail,
            "state": goal.state_label,
            "event_id": goal.event_id,
        }
    )
