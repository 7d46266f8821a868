"""Terminal output of the demo: a live table of matches and goals, or plain lines."""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from footy_assets.clock import ScaledClock
from footy_assets.matchday.rules.goal import EventState
from footy_assets.matchday.rules.statuses import IN_PROGRESS, FixtureState
from footy_assets.matchday.views import Row
from footy_assets.runtime.demo_outcome import DemoOutcome
from footy_assets.runtime.demo_summary import (
    figure_lines,
    goals_table,
    sites_line,
    sites_table,
    table_with,
    wrong_footage_table,
)
from footy_assets.runtime.supervisor import Running
from footy_assets.sim import World
from footy_assets.sim.check_clips import SiteCounts
from footy_assets.sim.fans import Rendering

STYLES = {
    EventState.DETECTED: "yellow",
    EventState.DEBOUNCING: "cyan",
    EventState.STABLE: "green",
    EventState.SEARCHING: "blue",
    EventState.COMPLETE: "bold green",
    EventState.REMOVED: "red strike",
}
LEGEND = Text("  ").join(
    [Text("goals:", "dim"), *(Text(state.value, style) for state, style in STYLES.items())]
)


class Screen:
    def __init__(self, plain: bool) -> None:
        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.plain = plain or not self.console.is_terminal
        self._live: Live | None = None
        self._states: dict[tuple[str, str], str] = {}
        self._head = ""
        self._films: Rendering | None = None
        self._began = time.monotonic()
        self._lasts = 0.0

    def print_line(self, text: str) -> None:
        self.console.print(f"· {text}", markup=False, soft_wrap=True)

    def begin(self, up: Running, world: World, clock: ScaledClock, films: Rendering | None) -> None:
        self._head, self._films = f"Gallery: {up.gallery}   Dagster UI: {up.ui}", films
        self._lasts = self._elapsed() + max(
            0.0, (world.ends_at - clock.now()).total_seconds() / clock.speed
        )
        self.console.print(f"Gallery: {up.gallery}", style="bold green", soft_wrap=True)
        self.console.print(f"Dagster UI: {up.ui}", style="bold green", soft_wrap=True)
        self.print_line(
            f"{len(world.fixture_ids)} matches of {world.day}, {clock.speed:g} times as fast as "
            f"real ones: they end after about {_duration(self._lasts)} min, the last clips follow"
        )
        if self.plain:
            self.print_line("Each line: minutes since the start, time in the matches (UTC), goal")

    @contextmanager
    def live(self) -> Iterator[None]:
        if self.plain:
            yield
            return
        with Live(console=self.console, refresh_per_second=4, transient=True) as self._live:
            yield
        self._live = None

    def show(
        self,
        now: datetime,
        fixtures: list[Row],
        events: list[Row],
        sites: Mapping[str, SiteCounts],
    ) -> None:
        if self._live is not None:
            films = str(self._films or "")
            rendering = f"   rendering fan videos: {films}" if films else ""
            head = Text(f"{self._head}\n{self._progress(now)}{rendering}\n{sites_line(sites)}")
            self._live.update(Group(head, LEGEND, _table(fixtures, events)))
            return
        for row in sorted(events, key=lambda row: row["first_seen_at"]):
            goal, state = (row["event_id"], row["first_seen_at"]), row["state_label"]
            if self._states.get(goal) != state:
                self._states[goal] = state
                scorer = row["player_name"] or "not named"
                self.print_line(
                    f"{_duration(self._elapsed())} {now:%H:%M:%S} {_minute(row)} {scorer} "
                    f"[{row['event_id']}] {state}"
                )

    def _progress(self, now: datetime) -> str:
        elapsed = self._elapsed()
        if elapsed > self._lasts:
            return f"{_duration(elapsed)} min: the matches are over, the last clips follow"
        total = f"{_duration(elapsed)} of about {_duration(self._lasts)} min"
        return f"{total}   ({now:%H:%M} UTC in the matches)"

    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    def end(self, outcome: DemoOutcome) -> None:
        report, clips = outcome.report, outcome.clips
        if report is None:
            self.print_line("Stopped before the end; `footy demo --resume` continues")
            return
        self.console.print(goals_table(report, clips))
        for problem in (*report.fixtures, *(f"unexpected goal {e}" for e in report.unexpected)):
            self.console.print(f"  {problem}", style="red", markup=False)
        if outcome.sites:
            self.console.print()
            self.console.print(sites_table(outcome.sites))
        if outcome.wrong_footage:
            self.console.print()
            self.console.print(wrong_footage_table(outcome.wrong_footage))
        self.console.print()
        for line in figure_lines(outcome.figures):
            self.console.print(line, markup=False, soft_wrap=True)
        right = sum(not check.problem for check in report.goals)
        well = sum(not check.problem for check in clips)
        sites = sum(bool(check.taken) for check in outcome.sites)
        summary = f"{right} of {len(report.goals)} goals as expected"
        summary += f", {well} with the expected clips, from {sites} sites" if clips else ""
        summary += f", in {_duration(self._elapsed())} min"
        style = "bold red" if outcome.exit_code else "bold green"
        self.console.print(summary, style=style, soft_wrap=True)
        sys.stderr.flush()


def _table(fixtures: list[Row], events: list[Row]) -> Table:
    goals: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(events, key=lambda row: (row["elapsed"], row["extra"] or 0)):
        goals[row["fixture_id"]].append(row)
    table = table_with("match", "", "status", "goals")
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row in fixtures:
        score = "–" if row["goals_home"] is None else f"{row['goals_home']}-{row['goals_away']}"
        playing = row["status"] in IN_PROGRESS and row["minute"] is not None
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


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _minute(row: Row) -> str:
    return f"{row['elapsed']}{'+' + str(row['extra']) if row['extra'] else ''}'"
