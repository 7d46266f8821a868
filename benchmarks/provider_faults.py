"""Causes each kind of provider fault on a separate rig and measures what happens."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.provider_rig import POLL_SECONDS, Rig, rig
from footy_assets.logs import configure_logs
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.sim import make_world

# In the 150 s after the warm-up, nine goals are scored in the simulated matches.
STARTS_AT_MINUTE = 36
WARM_UP_SECONDS, FAULT_SECONDS, RECOVERY_SECONDS = 70.0, 150.0, 120.0
MATCHES, WRONG_GOALS = 30, 5
INVENTED_SCORER = "N. Obody"
WORST_LAST = [Grade.HEALTHY, Grade.RECOVERING, Grade.DEGRADED, Grade.FAILING]
SAMPLE_EVERY = timedelta(seconds=5)

GoalPosition = tuple[int, int, int]


def main_down(rig: Rig) -> None:
    rig.main.faults.fail(status=503, times=None)


def main_slow(rig: Rig) -> None:
    rig.main.faults.slow(25.0, times=None)


def main_stale(rig: Rig) -> None:
    rig.main.lens.frozen_at = rig.clock.now()


def main_wrong(rig: Rig) -> None:
    now = rig.clock.now()
    for id_ in rig.world.fixture_ids[:WRONG_GOALS]:
        minute = rig.world.fixture_at(id_, now)["fixture"]["status"]["elapsed"] or 1
        rig.main.lens.invented[id_] = minute


def main_garbage(rig: Rig) -> None:
    rig.main.faults.html(times=None)


def browser_leaks(rig: Rig) -> None:
    rig.third.page.broken = "leaking"


def all_down(rig: Rig) -> None:
    main_down(rig)
    rig.second.football_data.broken = rig.third.football_data.broken = "down"


def end_faults(rig: Rig) -> None:
    rig.main.faults.clear()
    rig.main.lens.frozen_at = None
    rig.main.lens.invented.clear()
    for faults in (rig.second.football_data, rig.third.football_data, rig.third.page):
        faults.broken = None


@dataclass(frozen=True, slots=True)
class Fault:
    """`subject` is the provider whose grade should change. A control has the main provider only."""

    start: Callable[[Rig], None]
    subject: str = API_FOOTBALL
    seconds: float = FAULT_SECONDS
    browser: bool = False
    control: bool = False


FAULTS = {
    "main down": Fault(main_down),
    "main slow (25 s)": Fault(main_slow),
    "main stale": Fault(main_stale, seconds=240.0),
    "main wrong by one goal": Fault(main_wrong),
    "main returns garbage": Fault(main_garbage),
    "browser leaks windows and processes": Fault(browser_leaks, "page", browser=True),
    "all down for two minutes": Fault(all_down, "all", 120.0),
    "control: wrong by one goal, alone": Fault(main_wrong, control=True),
}


@dataclass
class FaultResult:
    """`…_after` are seconds since the fault began (`healthy_again_after`: since it ended); None if
    it did not happen."""

    fault: str
    detected_after: float | None = None
    conflict_after: float | None = None
    recovery_after: float | None = None
    all_detected_after: float | None = None
    worst: str = "healthy"
    worst_of_all: str = "healthy"
    healthy_again_after: float | None = None
    goals: int = 0
    goals_during_fault: int = 0
    wrong_seen: int = 0
    wrong_accepted: int = 0
    wrong_remaining: int = 0
    lost: int = 0
    recoveries: list[str] = field(default_factory=list)
    most_pages: int = 0
    most_processes: int = 0


def measure_fault(name: str, uri: str, path: str) -> None:
    """Runs in a process of its own and writes its result to `path`."""
    configure_logs("error")
    fault = FAULTS[name]
    database = "".join(letter for letter in name if letter.isalpha())
    world = make_world(matches=MATCHES)
    with rig(
        uri,
        database,
        world,
        browser=fault.browser,
        only_lead=fault.control,
        minutes=STARTS_AT_MINUTE,
    ) as made:
        result = FaultResult(name)
        began = made.clock.now()
        time.sleep(WARM_UP_SECONDS)
        before = made.clock.now()
        fault.start(made)
        _watch_grades(made, result, fault)
        result.goals_during_fault = len(truth(made, made.clock.now()) - truth(made, before))
        end_faults(made)
        _wait_for_health(made, result, fault.subject)
        time.sleep(2 * POLL_SECONDS + 5)
        _compare(made, result, began)
    Path(path).write_text(json.dumps(asdict(result)))


def truth(made: Rig, now: datetime) -> set[GoalPosition]:
    """Fixture, team and minute of each goal that counts at a moment."""
    goals = set()
    for id_ in made.world.fixture_ids:
        for event in made.world.fixture_at(id_, now)["events"]:
            if event["type"] == "Goal" and event["detail"] != "Missed Penalty":
                goals.add((id_, event["team"]["id"], event["time"]["elapsed"]))
    return goals


def _watch_grades(made: Rig, result: FaultResult, fault: Fault) -> None:
    began = time.monotonic()
    snapshots = MergedSnapshots(made.store.database)
    worst, worst_of_all = Grade.HEALTHY, Grade.HEALTHY
    while (passed := time.monotonic() - began) < fault.seconds:
        grade, everything = made.grade(fault.subject), made.grade()
        if grade is not Grade.HEALTHY and result.detected_after is None:
            result.detected_after = round(passed, 1)
        if everything is not Grade.HEALTHY and result.all_detected_after is None:
            result.all_detected_after = round(passed, 1)
        if result.conflict_after is None and _conflicts_found(made, snapshots) == WRONG_GOALS:
            result.conflict_after = round(passed, 1)
        if result.recovery_after is None and made.monitor.state.recoveries(1):
            result.recovery_after = round(passed, 1)
        worst = max(worst, grade, key=WORST_LAST.index)
        worst_of_all = max(worst_of_all, everything, key=WORST_LAST.index)
        _sample_browser(made, result)
        time.sleep(0.5)
    result.worst, result.worst_of_all = str(worst), str(worst_of_all)


def _conflicts_found(made: Rig, snapshots: MergedSnapshots) -> int:
    """How many matches with a wrong goal have a conflict about the score in the log."""
    return len(
        {
            entry["match_id"]
            for entry in snapshots.conflicts(1_000)
            if entry["field"] == "score.home" and entry["match_id"] in made.main.lens.invented
        }
    )


def _sample_browser(made: Rig, result: FaultResult) -> None:
    figures = made.page.figures() if made.page else None
    if figures is not None:
        result.most_pages = max(result.most_pages, figures.pages)
        result.most_processes = max(result.most_processes, figures.processes)


def _wait_for_health(made: Rig, result: FaultResult, subject: str) -> None:
    began = time.monotonic()
    while (passed := time.monotonic() - began) < RECOVERY_SECONDS:
        if made.grade(subject) is Grade.HEALTHY and made.grade() is Grade.HEALTHY:
            result.healthy_again_after = round(passed, 1)
            return
        time.sleep(0.5)


def _compare(made: Rig, result: FaultResult, began: datetime) -> None:
    """A stored goal is wrong if it was never scored. A scored goal is lost if it is not stored."""
    ours = [g for gs in made.store.goals_of(list(made.world.fixture_ids)).values() for g in gs]
    now = made.clock.now()
    steps = int((now - began) / SAMPLE_EVERY)
    ever = {
        position for n in range(steps + 1) for position in truth(made, began + n * SAMPLE_EVERY)
    }
    ever |= truth(made, now)
    wrong = [
        goal
        for goal in ours
        if goal.player.name == INVENTED_SCORER or _position_of(goal) not in ever
    ]
    standing = {_position_of(goal) for goal in ours if goal.live}
    old_enough = truth(made, now - timedelta(seconds=POLL_SECONDS + 5))
    result.goals = len(truth(made, now))
    result.lost = len((old_enough & truth(made, now)) - standing)
    result.wrong_seen = len(wrong)
    result.wrong_accepted = sum(goal.stable or goal.stable_at is not None for goal in wrong)
    result.wrong_remaining = sum(goal.live for goal in wrong)
    result.recoveries = [
        f"{entry.action} ({entry.condition}): {entry.outcome}"
        for entry in made.monitor.state.recoveries(20)
    ]


def _position_of(goal: GoalEvent) -> GoalPosition:
    return goal.fixture_id, goal.team_id, goal.minute.elapsed
