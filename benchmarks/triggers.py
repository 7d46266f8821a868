"""How fast 10,000 triggers on one match are evaluated on 1,000 snapshots.

Compared with (a) a straightforward loop that evaluates every trigger on every snapshot, and (b) the
public package rule-engine with the same conditions as rules. All three share counters and limits,
and must fire the same triggers at the same snapshots.
"""

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import rule_engine

from benchmarks.figures import (
    Row,
    add_output_options,
    log_progress,
    machine,
    publish,
    table,
    verdict_list,
)
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.triggers.rules.conditions import CompiledOption, Conditions, View
from footy_assets.triggers.rules.counters import Counters
from footy_assets.triggers.rules.engine import Engine, Listener
from footy_assets.triggers.rules.limits import (
    FireCount,
    count_activation,
    exceeded_limit,
    is_exhausted,
)
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.sports import VOCABULARY
from footy_assets.triggers.rules.trigger import Trigger

KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
PLAYERS = [str(number) for number in range(1, 41)]
MIN_RATIO = 10.0
# The cost may grow by this factor while the number of triggers that cannot match grows 50 times.
MAX_GROWTH = 1.5
ROUNDS = 5

COLUMNS = {
    "contender": "contender",
    "snapshots": "snapshots",
    "seconds": "CPU seconds",
    "evaluations_per_second": "trigger × snapshot pairs per second",
    "us_per_snapshot": "µs per snapshot",
    "time_ratio": "× the time of footy",
    "activations": "activations",
}
GROWTH_COLUMNS = {
    "triggers": "triggers",
    "listening": "can match",
    "touched": "evaluated per snapshot",
    "us_per_snapshot": "µs per snapshot",
}

Fired = list[tuple[str, str]]


def main() -> int:
    arguments = parse_arguments()
    machine_note, chance = machine(), random.Random(arguments.seed)
    snapshots = match(arguments.snapshots, chance)
    listeners = [listener(n, random_trigger(chance)) for n in range(arguments.triggers)]
    log_progress(f"{len(listeners)} triggers, {len(snapshots)} snapshots")
    ours, ours_fired = timed("footy", by_engine, listeners, snapshots)
    loop, loop_fired = timed("loop over all", by_loop, listeners, snapshots)
    few = snapshots[: arguments.rule_engine_snapshots]
    rules, rules_fired = timed("rule-engine", by_rule_engine, listeners, few)
    ours_few, _ = timed("footy", by_engine, listeners, few)
    for row, reference in ((ours, ours), (loop, ours), (rules, ours_few)):
        row["time_ratio"] = row["us_per_snapshot"] / reference["us_per_snapshot"]
    grown = growth(arguments.seed, arguments.snapshots)
    others = [row for row in grown if row["listening"] == 500]
    verdicts = {
        "the loop fires the same triggers at the same snapshots": loop_fired == ours_fired,
        "rule-engine fires the same triggers at the same snapshots": rules_fired
        == ours_fired[: len(rules_fired)]
        and len(rules_fired) == sum(fired[1] in {s.id for s in few} for fired in ours_fired),
        f"{loop['time_ratio']:.0f}× the loop, at least {MIN_RATIO:g}×": loop["time_ratio"]
        >= MIN_RATIO,
        f"{rules['time_ratio']:.0f}× rule-engine, at least {MIN_RATIO:g}×": rules["time_ratio"]
        >= MIN_RATIO,
        "50 times as many triggers that cannot match cost the same": others[-1]["us_per_snapshot"]
        < MAX_GROWTH * others[0]["us_per_snapshot"],
    }
    rows = [ours, loop, rules]
    result = {"machine": machine_note, "contenders": rows, "growth": grown, "verdicts": verdicts}
    tables = [
        f"{machine_note} rule-engine {rule_engine.__version__}, on the first {len(few)} snapshots; "
        "its ratio is to footy on the same ones.",
        table(rows, COLUMNS),
        table(grown, GROWTH_COLUMNS),
        verdict_list(verdicts),
    ]
    publish("triggers", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.triggers", description=__doc__)
    parser.add_argument("--triggers", type=int, default=10_000)
    parser.add_argument("--snapshots", type=int, default=1_000)
    parser.add_argument(
        "--rule-engine-snapshots",
        type=int,
        default=50,
        help="snapshots for rule-engine, which takes a second for each",
    )
    parser.add_argument("--seed", type=int, default=7)
    add_output_options(parser)
    return parser.parse_args()


# -- triggers and snapshots --------------------------------------------------------------------


def match(length: int, chance: random.Random) -> list[Snapshot]:
    """Snapshots of one match, with an event in each: mostly corners, substitutions and cards."""
    score = {"home": 0, "away": 0}
    corners = dict(score)
    snapshots = []
    for number in range(length):
        minute = 1 + number * 90 // length
        team, player = chance.choice(("home", "away")), chance.choice(PLAYERS)
        event: Row = {"football.team": team, "football.player": player}
        kind = chance.choices(("corner", "sub", "card", "goal", "var"), (45, 25, 15, 10, 5))[0]
        if kind == "corner":
            corners[team] += 1
            event = {"football.team": team, "football.team.corners": corners[team]}
        elif kind == "sub":
            event |= {"football.substitution.in": player}
            event |= {"football.substitution.out": chance.choice(PLAYERS)}
        elif kind == "card":
            colour = chance.choice(("yellow", "yellow", "yellow", "red"))
            event |= {"football.card.team": team, "football.card.player": player}
            event |= {"football.card.type": colour}
        elif kind == "goal":
            score[team] += 1
            event |= {"football.goal.team": team, "football.goal.player": player}
            event |= {"football.goal.type": chance.choice(("normal", "normal", "penalty"))}
        else:
            event |= {"football.var.outcome": "penalty confirmed"}
        state = {
            "football.match.status": MatchMinute(minute).status,
            "football.match.half": 1 if minute <= 45 else 2,
            "football.match.minute": minute,
            "football.score.home": score["home"],
            "football.score.away": score["away"],
            "football.score.total": sum(score.values()),
            "football.score.differential": score["home"] - score["away"],
        }
        snapshots.append(
            Snapshot(
                id=f"s{number}",
                datasource="benchmark",
                scope_id="1",
                timestamp=KICKOFF + timedelta(seconds=number * 5400 / length),
                options={**state, **event},
            )
        )
    return snapshots


def random_trigger(chance: random.Random) -> Trigger:
    """A typical trigger: mostly a player's goals and cards, some scores, some counts."""
    player, team = chance.choice(PLAYERS), chance.choice(("home", "away"))
    half = condition("match.half", "eq", chance.choice((1, 2)))
    late = condition("match.minute", "ge", chance.randrange(60, 90))
    lead = condition("score.differential", "ge", chance.randrange(2, 6))
    his_goal, his_card = (
        condition("goal.player", "in", player),
        condition("card.player", "in", player),
    )
    count = {**condition("player.scores", "eq", chance.randrange(2, 5))}
    count["options"] = [condition("player", "in", player)]
    side = {
        **condition("team.scores", "ge", chance.randrange(3, 9)),
        "options": [condition("team", "eq", team)],
    }
    red = {
        **condition("card.type", "eq", "red"),
        "options": [condition("card.team", "eq", team), half],
    }
    shapes: list[tuple[int, list[Row]]] = [
        (25, [his_goal]),
        (15, [{**his_goal, "options": [half]}]),
        (15, [count]),
        (10, [his_card]),
        (5, [red]),
        (10, [{**lead, "options": [late]}]),
        (10, [side]),
        (5, [condition("substitution.in", "in", player)]),
        (5, [his_goal, late, condition("goal.type", "eq", "penalty")]),
    ]
    conditions = chance.choices([s for _, s in shapes], [weight for weight, _ in shapes])[0]
    head: Row = {"entity": "user", "entity_id": str(chance.randrange(3000)), "scope_id": "1"}
    if len(conditions) == 3:
        head |= {"use_condition_threshold": True, "threshold": 2}
    limits = chance.choices(
        ({}, {"minute": 1}, {"football.match.half": 1}, {"scope": 5}), (70, 10, 10, 10)
    )[0]
    return Trigger.model_validate({"trigger": head, "conditions": conditions, "limits": limits})


def condition(event: str, compare: str, *targets: Any) -> Row:
    return {"event": f"football.{event}", "compare": compare, "targets": list(targets)}


def listener(number: int, trigger: Trigger) -> Listener:
    return Listener(f"t{number:06}", trigger, f"{number:06}")


# -- the contenders -----------------------------------------------------------------------


def timed(
    name: str,
    contender: Callable[[Sequence[Listener], Sequence[Snapshot]], tuple[float, Fired]],
    listeners: Sequence[Listener],
    snapshots: Sequence[Snapshot],
) -> tuple[Row, Fired]:
    seconds, fired = contender(listeners, snapshots)
    log_progress(
        f"{name}: {seconds:.2f} s for {len(snapshots)} snapshots, {len(fired)} activations"
    )
    return {
        "contender": name,
        "snapshots": len(snapshots),
        "seconds": seconds,
        "evaluations_per_second": len(listeners) * len(snapshots) / seconds,
        "us_per_snapshot": 1e6 * seconds / len(snapshots),
        "activations": len(fired),
    }, fired


def by_engine(listeners: Sequence[Listener], snapshots: Sequence[Snapshot]) -> tuple[float, Fired]:
    engine, fired = Engine(listeners), []
    started = time.process_time()
    for number, snapshot in enumerate(snapshots, start=1):
        step = engine.step(snapshot, number)
        fired += [(activation.trigger_id, snapshot.id) for activation in step.activations]
    return time.process_time() - started, fired


def by_loop(listeners: Sequence[Listener], snapshots: Sequence[Snapshot]) -> tuple[float, Fired]:
    """Evaluates every active trigger on every snapshot; no index, no cache."""
    conditions_by_id = {one.id: Conditions.of(one.trigger) for one in listeners}
    counters = Counters()
    return evaluate_all(
        listeners,
        snapshots,
        counters,
        lambda one, view: all_hold(conditions_by_id[one.id], view),
        lambda one, view: conditions_by_id[one.id].explain(view),
    )


def all_hold(conditions: Conditions, view: View) -> bool:
    held = sum(all(option.evaluate(view) for option in options) for options in conditions.compiled)
    return held >= conditions.needed


def evaluate_all(
    listeners: Sequence[Listener],
    snapshots: Sequence[Snapshot],
    counters: Counters,
    hold: Callable[[Listener, View], bool],
    explain: Callable[[Listener, View], object],
) -> tuple[float, Fired]:
    tallies, limits = (
        {one.id: FireCount() for one in listeners},
        {o.id: o.limits for o in listeners},
    )
    fired, listening = [], list(listeners)
    started = time.process_time()
    for snapshot in snapshots:
        view = View(snapshot, counters, counters.apply(snapshot))
        finished = set()
        for one in listening:
            id = one.id
            if not hold(one, view) or exceeded_limit(limits[id], tallies[id], snapshot):
                continue
            explain(one, view)
            tallies[id] = count_activation(limits[id], tallies[id], snapshot)
            if is_exhausted(limits[id], tallies[id]):
                finished.add(id)
            fired.append((id, snapshot.id))
        if finished:
            listening = [one for one in listening if one.id not in finished]
    return time.process_time() - started, fired


def by_rule_engine(
    listeners: Sequence[Listener], snapshots: Sequence[Snapshot]
) -> tuple[float, Fired]:
    """The same conditions as expressions; counters come in as facts `…_before` and `…_after`."""
    context = rule_engine.Context(default_value=None)
    conditions_by_id = {one.id: Conditions.of(one.trigger) for one in listeners}
    counters = Counters()
    counts = list(
        dict.fromkeys(
            (option.event, option.names)
            for conditions in conditions_by_id.values()
            for options in conditions.compiled
            for option in options
            if option.aggregate
        )
    )
    rules = {
        id: rule_engine.Rule(expression(conditions, counts), context=context)
        for id, conditions in conditions_by_id.items()
    }
    facts: dict[str, Row] = {}
    symbols = [symbol(event) for event in VOCABULARY]
    symbols += [f"n{n}_{end}" for n in range(len(counts)) for end in ("before", "after")]

    def facts_of(view: View) -> Row:
        if view.snapshot.id not in facts:
            facts.clear()
            row = dict.fromkeys(symbols) | {symbol(e): v for e, v in view.snapshot.options.items()}
            for number, (event, names) in enumerate(counts):
                change = counters.change_of(view.changes, event, names)
                if change is not None:
                    row |= {f"n{number}_before": change[0], f"n{number}_after": change[1]}
            facts[view.snapshot.id] = row
        return facts[view.snapshot.id]

    return evaluate_all(
        listeners,
        snapshots,
        counters,
        lambda one, view: bool(rules[one.id].matches(facts_of(view))),
        lambda one, view: conditions_by_id[one.id].explain(view),
    )


def expression(conditions: Conditions, counts: Sequence[tuple[str, object]]) -> str:
    parts = [
        " and ".join(comparison(option, counts) for option in options)
        for options in conditions.compiled
    ]
    if conditions.needed == len(parts):
        return " and ".join(f"({part})" for part in parts)
    held = " + ".join(f"(({part}) ? 1 : 0)" for part in parts)
    return f"({held}) >= {conditions.needed}"


def comparison(option: CompiledOption, counts: Sequence[tuple[str, object]]) -> str:
    target = (
        repr(option.targets[0]) if isinstance(option.targets[0], str) else str(option.targets[0])
    )
    if option.aggregate:
        name = f"n{counts.index((option.event, option.names))}"
        known = f"{name}_after != null and {name}_after > {name}_before"
        crossing = {
            "eq": f"{name}_before < {target} and {target} <= {name}_after",
            "ge": f"{name}_after >= {target}",
        }[option.compare]
        return f"({known} and {crossing})"
    name = symbol(option.event)
    if option.compare in ("in", "eq"):
        return f"{name} == {target}"
    return f"({name} != null and {name} >= {target})"


def symbol(event: str) -> str:
    return event.replace(".", "_")


# -- growth -------------------------------------------------------------------------------


def growth(seed: int, length: int) -> list[Row]:
    """The same triggers, among more and more triggers on a player who is not in the match."""
    rows = []
    for listening, absent in ((500, 500), (500, 4_500), (500, 24_500), (2_500, 22_500)):
        chance = random.Random(seed)
        snapshots = match(length, chance)
        several = [random_trigger(chance) for _ in range(listening)]
        nobody = Trigger.model_validate(
            {
                "trigger": {"entity": "user", "entity_id": "0", "scope_id": "1"},
                "conditions": [condition("goal.player", "in", "nobody")],
            }
        )
        several += [nobody] * absent
        listeners = [listener(n, trigger) for n, trigger in enumerate(several)]
        seconds, candidates = min(time_engine(listeners, snapshots) for _ in range(ROUNDS))
        rows.append(
            {
                "triggers": listening + absent,
                "listening": listening,
                "touched": candidates / length,
                "us_per_snapshot": 1e6 * seconds / length,
            }
        )
    return rows


def time_engine(listeners: Sequence[Listener], snapshots: Sequence[Snapshot]) -> tuple[float, int]:
    """CPU seconds and the number of evaluated triggers, without the cost of garbage collection."""
    engine, candidates = Engine(listeners), 0
    gc.collect()
    gc.freeze()
    started = time.process_time()
    for number, snapshot in enumerate(snapshots, start=1):
        candidates += engine.step(snapshot, number).candidates
    seconds = time.process_time() - started
    gc.unfreeze()
    return seconds, candidates


if __name__ == "__main__":
    sys.exit(main())
