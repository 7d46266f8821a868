"""What each kind of trouble at a provider does: a rig of its own for every fault."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.provider_rig import POLL_SECONDS, Rig, rig
from footy_assets.logs import configure_logs
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.providers.rules.descriptors import MAIN
from footy_assets.providers.rules.health import Grade
from footy_assets.providers.store.snapshots import MergedSnapshots
from footy_assets.sim import make_world

# Nine goals are scored in the simulated matches within 150 s of this moment and the warm-up.
STARTS_AT_MINUTE = 36
WARM_UP, BROKEN, AFTER = 70.0, 150.0, 120.0
MATCHES, LIES = 30, 5
NOBODY = "N. Obody"
WORST_LAST = [Grade.HEALTHY, Grade.RECOVERING, Grade.DEGRADED, Grade.FAILING]
LOOK_EVERY = timedelta(seconds=5)

Spot = tuple[int, int, int]


def main_down(rig: Rig) -> None:
    rig.main.faults.fail(status=503, times=None)


def main_slow(rig: Rig) -> None:
    rig.main.faults.slow(25.0, times=None)


def main_stale(rig: Rig) -> None:
    rig.main.lens.frozen_at = rig.clock.now()


def main_wrong(rig: Rig) -> None:
    now = rig.clock.now()
    for id_ in rig.world.fixture_ids[:LIES]:
        minute = rig.world.fixture_at(id_, now)["fixture"]["status"]["elapsed"] or 1
        rig.main.lens.invented[id_] = minute


def main_garbage(rig: Rig) -> None:
    rig.main.faults.html(times=None)


def browser_leaks(rig: Rig) -> None:
    rig.third.page.broken = "leaking"


def all_down(rig: Rig) -> None:
    main_down(rig)
    rig.second.football_data.broken = rig.third.football_data.broken = "down"


def mended(rig: Rig) -> None:
    rig.main.faults.clear()
    rig.main.lens.frozen_at = None
    rig.main.lens.invented.clear()
    for trouble in (rig.second.football_data, rig.third.football_data, rig.third.page):
        trouble.broken = None


@dataclass(frozen=True, slots=True)
class Fault:
    """`subject` is the provider whose grade should change. A control has the main provider only."""

    break_it: Callable[[Rig], None]
    subject: str = MAIN
    seconds: float = BROKEN
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
class Found:
    """Seconds from the beginning of the fault, or from its end; None: it did not happen."""

    fault: str
    detected_after: float | None = None
    conflict_after: float | None = None
    recovery_after: float | None = None
    all_detected_after: float | None = None
    worst: str = "healthy"
    worst_of_all: str = "healthy"
    healthy_again_after: float | None = None
    goals: int = 0
    goals_meanwhile: int = 0
    wrong_seen: int = 0
    wrong_let_through: int = 0
    wrong_standing: int = 0
    lost: int = 0
    recoveries: list[str] = field(default_factory=list)
    most_pages: int = 0
    most_processes: int = 0


def suffer(name: str, uri: str, path: str) -> None:
    """In a process of its own; what was found goes to `path`."""
    configure_logs("error")
    fault = FAULTS[name]
    database = "".join(letter for letter in name if letter.isalpha())
    world = make_world(matches=MATCHES)
    with rig(
        uri,
        database,
        world,
        browser=fault.browser,
        only_main=fault.control,
        minutes=STARTS_AT_MINUTE,
    ) as made:
        found = Found(name)
        began = made.clock.now()
        time.sleep(WARM_UP)
        before = made.clock.now()
        fault.break_it(made)
        _watch_grades(made, found, fault)
        found.goals_meanwhile = len(truth(made, made.clock.now()) - truth(made, before))
        mended(made)
        _wait_for_health(made, found, fault.subject)
        time.sleep(2 * POLL_SECONDS + 5)
        _compare(made, found, began)
    Path(path).write_text(json.dumps(asdict(found)))


def truth(made: Rig, now: datetime) -> set[Spot]:
    """Fixture, team and minute of each goal that stands at a moment."""
    found = set()
    for id_ in made.world.fixture_ids:
        for event in made.world.fixture_at(id_, now)["events"]:
            if event["type"] == "Goal" and event["detail"] != "Missed Penalty":
                found.add((id_, event["team"]["id"], event["time"]["elapsed"]))
    return found


def _watch_grades(made: Rig, found: Found, fault: Fault) -> None:
    began = time.monotonic()
    snapshots = MergedSnapshots(made.store.database)
    worst, worst_of_all = Grade.HEALTHY, Grade.HEALTHY
    while (passed := time.monotonic() - began) < fault.seconds:
        grade, everything = made.grade(fault.subject), made.grade()
        if grade is not Grade.HEALTHY and found.detected_after is None:
            found.detected_after = round(passed, 1)
        if everything is not Grade.HEALTHY and found.all_detected_after is None:
            found.all_detected_after = round(passed, 1)
        if found.conflict_after is None and _conflicts_found(made, snapshots) == LIES:
            found.conflict_after = round(passed, 1)
        if found.recovery_after is None and made.monitor.state.recoveries(1):
            found.recovery_after = round(passed, 1)
        worst = max(worst, grade, key=WORST_LAST.index)
        worst_of_all = max(worst_of_all, everything, key=WORST_LAST.index)
        _look_at_browser(made, found)
        time.sleep(0.5)
    found.worst, found.worst_of_all = str(worst), str(worst_of_all)


def _conflicts_found(made: Rig, snapshots: MergedSnapshots) -> int:
    """Of how many matches with a wrong goal the log of conflicts has the score."""
    return len(
        {
            entry["match_id"]
            for entry in snapshots.conflicts(1_000)
            if entry["field"] == "score.home" and entry["match_id"] in made.main.lens.invented
        }
    )


def _look_at_browser(made: Rig, found: Found) -> None:
    figures = made.page.figures() if made.page else None
    if figures is not None:
        found.most_pages = max(found.most_pages, figures.pages)
        found.most_processes = max(found.most_processes, figures.processes)


def _wait_for_health(made: Rig, found: Found, subject: str) -> None:
    began = time.monotonic()
    while (passed := time.monotonic() - began) < AFTER:
        if made.grade(subject) is Grade.HEALTHY and made.grade() is Grade.HEALTHY:
            found.healthy_again_after = round(passed, 1)
            return
        time.sleep(0.5)


def _compare(made: Rig, found: Found, began: datetime) -> None:
    """A goal of ours is wrong if nobody scored it at any time; lost if it stands without us."""
    ours = [g for gs in made.store.goals_of(list(made.world.fixture_ids)).values() for g in gs]
    now = made.clock.now()
    steps = int((now - began) / LOOK_EVERY)
    ever = {spot for n in range(steps + 1) for spot in truth(made, began + n * LOOK_EVERY)}
    ever |= truth(made, now)
    wrong = [goal for goal in ours if goal.player.name == NOBODY or _spot(goal) not in ever]
    standing = {_spot(goal) for goal in ours if goal.live}
    old_enough = truth(made, now - timedelta(seconds=POLL_SECONDS + 5))
    found.goals = len(truth(made, now))
    found.lost = len((old_enough & truth(made, now)) - standing)
    found.wrong_seen = len(wrong)
    found.wrong_let_through = sum(goal.stable or goal.stable_at is not None for goal in wrong)
    found.wrong_standing = sum(goal.live for goal in wrong)
    found.recoveries = [
        f"{entry.action} ({entry.condition}): {entry.outcome}"
        for entry in made.monitor.state.recoveries(20)
    ]


def _spot(goal: GoalEvent) -> Spot:
    return goal.fixture_id, goal.team_id, goal.minute.elapsed
