"""The expected end of every goal of a script, independent of the feed."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from footy_assets.sim.clubs import Person
from footy_assets.sim.script import Line, MatchScript, RemovedBy
from footy_assets.sim.statuses import Status

Ending = Literal["stable", "removed", "unnamed"]


@dataclass(frozen=True)
class ExpectedGoal:
    """A goal as it was last listed. `settled_at` is when it took that form, or went."""

    fixture_id: int
    team_id: int
    player_id: int | None
    player_name: str | None
    elapsed: int
    extra: int | None
    detail: str
    ending: Ending
    removed_by: RemovedBy | None
    story: str
    shown_at: datetime
    settled_at: datetime
    was_player_ids: tuple[int | None, ...] = ()
    was_minutes: tuple[tuple[int, int | None], ...] = ()
    flickered: bool = False

    def as_json(self) -> dict[str, Any]:
        times = {"shown_at": self.shown_at.isoformat(), "settled_at": self.settled_at.isoformat()}
        return asdict(self) | times


def expected_goals(script: MatchScript) -> tuple[ExpectedGoal, ...]:
    return tuple(
        _expected(script.fixture_id, line) for line in script.lines if line.last_shown.is_goal
    )


def final_score(script: MatchScript) -> tuple[int | None, int | None]:
    """Goals that stand at the end; nothing for a match that was never played."""
    if script.timetable.awarded is not None:
        return script.timetable.awarded
    if not any(phase.status == Status.FIRST_HALF for phase in script.timetable.phases):
        return None, None
    standing = [goal.team_id for goal in expected_goals(script) if goal.ending != "removed"]
    return standing.count(script.home.id), standing.count(script.away.id)


def _expected(fixture_id: int, line: Line) -> ExpectedGoal:
    last = line.last_shown
    shown = line.shown
    listed = [form.event is not None for form in line.forms]
    return ExpectedGoal(
        fixture_id=fixture_id,
        team_id=last.team.id,
        player_id=last.player.id,
        player_name=last.player.name,
        elapsed=last.minute.elapsed,
        extra=last.minute.extra,
        detail=last.detail,
        ending=_ending(line, last.player),
        removed_by=line.removed_by,
        story=line.story,
        shown_at=line.forms[0].since,
        settled_at=line.settled_at,
        was_player_ids=tuple(
            dict.fromkeys(event.player.id for event in shown if event.player != last.player)
        ),
        was_minutes=tuple(
            dict.fromkeys(
                (event.minute.elapsed, event.minute.extra)
                for event in shown
                if event.minute != last.minute
            )
        ),
        flickered=False in listed[:-1],
    )


def _ending(line: Line, player: Person) -> Ending:
    if line.forms[-1].event is None:
        return "removed"
    known = player.id is not None and player.name not in (None, "Unknown")
    return "stable" if known else "unnamed"
