"""Compares the goals that the pipeline reports with the script."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footy_assets.sim.truth import ExpectedGoal
from footy_assets.sim.world import World

SETTLED_STATES = ("stable", "searching", "complete")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class GoalCheck:
    """One goal of the script, and the problem with the reported one ("" if none)."""

    goal: ExpectedGoal
    event_id: str | None
    problem: str = ""


@dataclass(frozen=True)
class GoalsReport:
    goals: tuple[GoalCheck, ...]
    unexpected: tuple[str, ...]
    fixtures: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not (self.problems or self.unexpected or self.fixtures)

    @property
    def problems(self) -> list[GoalCheck]:
        return [check for check in self.goals if check.problem]


def check_goals(
    world: World,
    fixtures: Iterable[Row],
    events: Iterable[Row],
    polls: Mapping[int, Sequence[datetime]] | None = None,
) -> GoalsReport:
    """`fixtures` and `events` are the rows of `footy fixtures --json` and `footy events --json`.

    `polls` are the times at which each fixture was requested: a goal that appears and disappears
    between two polls may be missing.
    """
    rows = list(events)
    unclaimed = {row["event_id"] for row in rows if row["state"] != "removed"}
    checks = []
    for goal in world.truth():
        row = _row_of(goal, rows)
        if row is not None and goal.ending != "removed":
            unclaimed.discard(row["event_id"])
        problem = _problem(goal, row)
        if row is None and goal.ending == "removed" and not _was_polled(goal, polls):
            problem = ""
        checks.append(GoalCheck(goal, row["event_id"] if row else None, problem))
    wrong = [problem for row in fixtures if (problem := _fixture_problem(world, row))]
    return GoalsReport(tuple(checks), tuple(sorted(unclaimed)), tuple(wrong))


def _row_of(goal: ExpectedGoal, rows: Iterable[Row]) -> Row | None:
    """The event that is this goal; for a removed one, its tombstone."""
    for row in rows:
        if (
            row["fixture_id"] == goal.fixture_id
            and row["team_id"] == goal.team_id
            and row["player_id"] == goal.player_id
            and (row["elapsed"], row["extra"]) == (goal.elapsed, goal.extra)
            and (row["state"] == "removed") == (goal.ending == "removed")
        ):
            return row
    return None


def _was_polled(goal: ExpectedGoal, polls: Mapping[int, Sequence[datetime]] | None) -> bool:
    if polls is None:
        return True
    return any(goal.shown_at <= poll < goal.settled_at for poll in polls.get(goal.fixture_id, ()))


def _problem(goal: ExpectedGoal, row: Row | None) -> str:
    if row is None:
        return "not found" if goal.ending != "removed" else "no tombstone"
    if goal.ending == "stable" and row["state"] not in SETTLED_STATES:
        return f"should be stable, is {row['state']}"
    if goal.ending == "unnamed" and row["state"] in SETTLED_STATES:
        return f"has no known scorer, yet is {row['state']}"
    return ""


def _fixture_problem(world: World, row: Row) -> str:
    fixture_id = row["fixture_id"]
    if fixture_id not in world.by_id:
        return ""
    expected = (world.final_status(fixture_id), *world.final_score(fixture_id))
    found = (row["status"], row["goals_home"], row["goals_away"])
    return "" if expected == found else f"{fixture_id}: should be {expected}, is {found}"
