"""Terminal output of the demo: a live table of matches and goals, or plain lines."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.views import Row
from footy_assets.sim import World
from footy_assets.sim.check_clips import ClipsCheck
from footy_assets.sim.check_goals import GoalsReport
from footy_assets.sim.fans import Rendering

STYLES = {
    EventState.DETECTED: "yellow",
    EventState.DEBOUNCING: "cyan",
    EventState.STABLE: "green",
    EventState.SEARCHING: "blue",
    EventState.COMPLETE: "bold green",
    EventState.REMOVED: "red strike",
}


class Screen:
    def __init__(self, plain: bool) -> None:
        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.plain = plain or not self.console.is_terminal
        self._live: Live | None = None
        self._states: dict[tuple[str, str], str] = {}
        self._head = ""
        self._films: Rendering | None = None

    def print_line(self, text: str) -> None:
        self.console.print(f"· {text}", markup=False, soft_wrap=True)

    def begin(self, ui: str, world: World, speed: float, films: Rendering | None) -> None:
        self._head, self._films = f"Dagster UI: {ui}", films
        self.console.print(self._head, style="bold green")
        self.print_line(
            f"{len(world.fixture_ids)} fixtures on {world.day}, at {speed:g} times real speed"
        )

    @contextmanager
    def live(self) -> Iterator[None]:
        if self.plain:
            yield
            return
        with Live(console=self.console, refresh_per_second=4, transient=True) as self._live:
            yield
        self._live = None

    def show(self, now: datetime, fixtures: list[Row], events: list[Row]) -> None:
        if self._live is not None:
            films = str(self._films or "")
            rendering = f"   rendering fan videos: {films}" if films else ""
            head = Text(f"{now:%H:%M:%S} UTC   {self._head}{rendering}")
            self._live.update(Group(head, _table(fixtures, events)))
            return
        for row in sorted(events, key=lambda row: row["first_seen_at"]):
            goal, state = (row["event_id"], row["first_seen_at"]), row["state_label"]
            if self._states.get(goal) != state:
                self._states[goal] = state
                scorer = row["player_name"] or "not named"
                self.print_line(
                    f"{now:%H:%M:%S} {_minute(row)} {scorer} [{row['event_id']}] {state}"
                )

    def end(
        self,
        report: GoalsReport | None,
        clips: Sequence[ClipsCheck],
        figures: dict[str, Any],
    ) -> None:
        if report is None:
            self.print_line("Stopped before the end; `footy demo --resume` continues")
            return
        self.console.print(_report_table(report, clips))
        for problem in (*report.fixtures, *(f"unexpected goal {e}" for e in report.unexpected)):
            self.console.print(f"  {problem}", style="red", markup=False)
        for name, value in figures.items():
            self.console.print(f"  {name.replace('_', ' ')}: {value}", markup=False)
        right = sum(not check.problem for check in report.goals)
        well = sum(not check.problem for check in clips)
        style = "bold green" if report.right and well == len(clips) else "bold red"
        summary = f"{right} of {len(report.goals)} goals as expected"
        summary += f", {well} with the expected clips" if clips else ""
        self.console.print(summary, style=style)
        sys.stderr.flush()


def _table(fixtures: list[Row], events: list[Row]) -> Table:
    goals: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(events, key=lambda row: (row["elapsed"], row["extra"] or 0)):
        goals[row["fixture_id"]].append(row)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("match", "", "status", "goals"):
        table.add_column(heading, no_wrap=heading != "goals")
    for row in fixtures:
        score = "–" if row["goals_home"] is None else f"{row['goals_home']}-{row['goals_away']}"
        playing = row["state"] == FixtureState.ACTIVE and row["minute"] is not None
        status = f"{row['status']} {row['minute']}'" if playing else row["status"]
        table.add_row(
            f"{row['home']} – {row['away']}",
            score,
            Text(status, style="dim" if row["state"] == FixtureState.COMPLETED else ""),
            Text("  ").join(
                Text(f"{_minute(goal)} {goal['player_name'] or '?'}", style=STYLES[goal["state"]])
                for goal in goals[row["fixture_id"]]
            ),
        )
    return table


def _report_table(report: GoalsReport, clips: Sequence[ClipsCheck]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("goal", "event", "expected", "clips", "result"):
        table.add_column(heading)
    for number, check in enumerate(report.goals):
        goal, found = check.goal, clips[number] if clips else None
        problem = check.problem or (found.problem if found else "")
        extra = f"+{goal.extra}" if goal.extra else ""
        table.add_row(
            f"{goal.elapsed}{extra}' {goal.player_name or 'not named'}",
            check.event_id or "–",
            goal.ending,
            str(len(found.clips)) if found and found.clips else "",
            Text(problem or "ok", style="red" if problem else "green"),
        )
    return table


def _minute(row: Row) -> str:
    return f"{row['elapsed']}{'+' + str(row['extra']) if row['extra'] else ''}'"
