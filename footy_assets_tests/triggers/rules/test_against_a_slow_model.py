"""The engine compared with a slow and obvious model of the rules.

The model keeps no counters, no index and no tallies: for every trigger and snapshot it goes through
all snapshots again from the first, and through all earlier activations.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.triggers.rules.engine import Step
from footy_assets.triggers.rules.option import Condition
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.sports import VOCABULARY
from footy_assets.triggers.rules.trigger import Trigger
from footy_assets.triggers.rules.versioned_engine import TriggerChange, VersionedEngine
from footy_assets_tests.triggers.rules.builders import document, option, snap

pytestmark = pytest.mark.slow

SAYS = {
    "in": lambda v, ts: v in ts,
    "eq": lambda v, ts: v == ts[0],
    "ne": lambda v, ts: v != ts[0],
    "gt": lambda v, ts: v > ts[0],
    "ge": lambda v, ts: v >= ts[0],
    "lt": lambda v, ts: v < ts[0],
    "le": lambda v, ts: v <= ts[0],
}
COUNTED = {
    "football.team.scores": "football.goal.team",
    "football.player.scores": "football.goal.player",
    "football.team.cards": "football.card.team",
    "football.player.cards": "football.card.player",
}
SELECTORS = {"football.team", "football.player"}


def count(aggregate: str, names: Sequence[str] | None, snapshots: Sequence[Snapshot]) -> int:
    cancelled = {one.cancels for one in snapshots}
    if aggregate == "football.team.corners":
        latest: dict[str, int] = {}
        for one in snapshots:
            if aggregate in one.options:
                latest[one.options["football.team"]] = one.options[aggregate]
        return sum(n for name, n in latest.items() if names is None or name in names)
    event, total = COUNTED[aggregate], 0
    for one in snapshots:
        own = one.options.get("football.goal.type") == "own" and event == "football.goal.player"
        if one.id not in cancelled and event in one.options and not own:
            total += names is None or one.options[event] in names
    return total


def holds(condition: Condition, snapshots: Sequence[Snapshot]) -> bool:
    options = [condition, *condition.options]
    counts = [one for one in options if VOCABULARY[one.event].aggregate]
    for one in options:
        if one in counts:
            chosen = [o for o in options if o.event == VOCABULARY[one.event].selector]
            names = list(chosen[-1].targets) if chosen else None
            before = count(one.event, names, snapshots[:-1])
            after = count(one.event, names, snapshots)
            if not any(SAYS[one.compare](n, one.targets) for n in range(before + 1, after + 1)):
                return False
        elif counts and one.event in {VOCABULARY[c.event].selector for c in counts}:
            continue
        else:
            value = snapshots[-1].options.get(one.event)
            if value is None or not SAYS[one.compare](value, one.targets):
                return False
    return True


def joined(trigger: Trigger, held: Sequence[bool]) -> bool:
    words = " ".join(
        f"{one.chain_operation or 'and'} {result})"
        for one, result in zip(trigger.conditions[1:], held[1:], strict=True)
    )
    return bool(eval("(" * len(held[1:]) + f"{held[0]} {words}"))


def may_fire(limits: dict[str, int], fired: Sequence[Snapshot], now: Snapshot) -> bool:
    for name, limit in (limits or {"scope": 1}).items():
        if limit == 0:
            continue
        if name == "scope":
            before = len(fired)
        elif name == "minute":
            since = now.timestamp - timedelta(seconds=60)
            before = sum(since < one.timestamp for one in fired)
        else:
            value = now.options.get(name)
            before = sum(one.options.get(name) == value for one in fired)
        if before >= limit:
            return False
    return True


def is_exhausted(limits: dict[str, int], fired: Sequence[Snapshot]) -> bool:
    most = (limits or {"scope": 1}).get("scope", 0)
    return most > 0 and len(fired) >= most


def model(
    triggers: Sequence[tuple[int, Trigger]], snapshots: Sequence[Snapshot]
) -> list[list[tuple[str, bool]]]:
    fired: dict[str, list[Snapshot]] = {f"t{n}": [] for n in range(len(triggers))}
    of_entity: dict[str, list[Snapshot]] = {}
    answer = []
    for number in range(1, len(snapshots) + 1):
        now, fires = snapshots[number - 1], []
        for n, (since, one) in enumerate(triggers):
            head, id = one.trigger, f"t{n}"
            shared = of_entity.setdefault(head.entity_id, [])
            held = [holds(c, snapshots[:number]) for c in one.conditions]
            enough = joined(one, held)
            if head.use_condition_threshold and head.threshold:
                enough = sum(held) >= head.threshold
            if (
                number > since
                and not head.disabled
                and enough
                and (not head.use_limits or may_fire(one.limits, fired[id], now))
                and (not head.use_entity_limits or may_fire({}, shared, now))
            ):
                fired[id].append(now)
                ended = head.use_limits and is_exhausted(one.limits, fired[id])
                if head.use_entity_limits:
                    shared.append(now)
                    ended = ended or is_exhausted({}, shared)
                fires.append((id, not ended))
        answer.append(fires)
    return answer


# -- random triggers and snapshots --------------------------------------------------------

TEAMS, PLAYERS = st.sampled_from(["home", "away"]), st.sampled_from(["1", "2", "3"])
NUMBERS = st.integers(0, 4)
STATE = st.fixed_dictionaries(
    {},
    optional={
        "match__half": st.integers(1, 2),
        "match__minute": st.integers(0, 5),
        "score__home": NUMBERS,
        "score__differential": st.integers(-2, 2),
    },
)
HAPPENING = st.one_of(
    st.fixed_dictionaries(
        {"goal__team": TEAMS},
        optional={"goal__player": PLAYERS, "goal__type": st.sampled_from(["normal", "own"])},
    ),
    st.fixed_dictionaries(
        {"card__team": TEAMS, "card__player": PLAYERS, "card__type": st.sampled_from(["red"])}
    ),
    st.fixed_dictionaries({"team": TEAMS, "team__corners": st.integers(0, 6)}),
    st.just({"match__status": "1H"}),
)


@st.composite
def matches(draw: st.DrawFn) -> list[Snapshot]:
    snapshots: list[Snapshot] = []
    at = 0.0
    for number in range(1, draw(st.integers(1, 12)) + 1):
        at += draw(st.sampled_from([0, 30, 60, 61]))
        gone = {one.cancels for one in snapshots}
        goals = [
            one.id
            for one in snapshots
            if "football.goal.team" in one.options and one.id not in gone
        ]
        if goals and draw(st.integers(0, 4)) == 0:
            what: dict[str, Any] = {"var__outcome": "goal cancelled"}
            what["cancels"] = draw(st.sampled_from(goals))
        else:
            what = draw(HAPPENING)
        snapshots.append(snap(number, at=at, **{**draw(STATE), **what}))
    return snapshots


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    event, values = draw(
        st.sampled_from(
            [
                ("match.half", NUMBERS),
                ("match.minute", NUMBERS),
                ("score.home", NUMBERS),
                ("score.differential", NUMBERS),
                ("goal.team", TEAMS),
                ("goal.player", PLAYERS),
                ("card.team", TEAMS),
                ("card.type", st.just("red")),
                ("team.scores", NUMBERS),
                ("player.scores", NUMBERS),
                ("team.corners", NUMBERS),
                ("player.cards", NUMBERS),
            ]
        )
    )
    compare = draw(st.sampled_from(VOCABULARY[f"football.{event}"].compares))
    most = 3 if compare == "in" else 1
    return option(event, compare, *draw(st.lists(values, min_size=1, max_size=most, unique=True)))


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    root, more = draw(options()), draw(st.lists(options(), max_size=2))
    for selector, names in (("team", TEAMS), ("player", PLAYERS)):
        counted = [o for o in (root, *more) if o["event"].startswith(f"football.{selector}.")]
        if counted and draw(st.booleans()):
            chosen = draw(st.lists(names, min_size=1, max_size=2, unique=True))
            more.append(option(selector, "in", *chosen))
    return {**root, "options": more}


@st.composite
def triggers(draw: st.DrawFn, by_or: bool = True) -> tuple[int, Trigger]:
    several = draw(st.lists(conditions(), min_size=1, max_size=4))
    for one in several if by_or else ():
        if operation := draw(st.sampled_from([None, "and", "or"])):
            one["chain_operation"] = operation
    head: dict[str, Any] = {
        "entity_id": draw(st.sampled_from(["7", "8"])),
        "disabled": draw(st.integers(0, 9)) == 0,
        "use_limits": draw(st.integers(0, 4)) > 0,
        "use_entity_limits": draw(st.integers(0, 4)) == 0,
    }
    if draw(st.booleans()):
        head |= {"use_condition_threshold": True}
        head |= {"threshold": draw(st.integers(0, len(several)))}
    limits = draw(
        st.dictionaries(
            st.sampled_from(["minute", "scope", "football.match.half", "football.goal.team"]),
            st.integers(0, 2),
        )
    )
    since = draw(st.sampled_from([0, 0, 0, 2, 5]))
    return since, Trigger.model_validate(document(*several, limits=limits, **head))


def by_engine(
    some: Sequence[tuple[int, Trigger]], snapshots: Sequence[Snapshot]
) -> list[list[tuple[str, bool]]]:
    changes = [TriggerChange(since, f"t{n}", f"{n:03}", t) for n, (since, t) in enumerate(some)]
    return replay_activations(changes, snapshots)


def replay_activations(
    changes: Sequence[TriggerChange], snapshots: Sequence[Snapshot]
) -> list[list[tuple[str, bool]]]:
    replay = VersionedEngine(changes)
    return [
        activations_of(replay.step(number, one)) for number, one in enumerate(snapshots, start=1)
    ]


def activations_of(step: Step) -> list[tuple[str, bool]]:
    return [(activation.trigger_id, activation.next) for activation in step.activations]


@settings(max_examples=400, deadline=None)
@given(st.lists(triggers(), min_size=1, max_size=6), matches())
def test_the_engine_answers_as_the_slow_model(
    some: list[tuple[int, Trigger]], snapshots: list[Snapshot]
) -> None:
    assert by_engine(some, snapshots) == model(some, snapshots)


@settings(max_examples=100, deadline=None)
@given(st.lists(triggers(by_or=False), min_size=2, max_size=6), matches(), st.randoms())
def test_the_order_of_conditions_options_targets_and_of_reading_triggers_changes_nothing(
    some: list[tuple[int, Trigger]], snapshots: list[Snapshot], random: Any
) -> None:
    def shuffle(one: Trigger) -> Trigger:
        fired = one.model_dump(mode="json", exclude_none=True)
        for condition in fired["conditions"]:
            random.shuffle(condition["options"])
            random.shuffle(condition["targets"])
        random.shuffle(fired["conditions"])
        return Trigger.model_validate(fired)

    changes = [
        TriggerChange(since, f"t{n}", f"{n:03}", shuffle(t)) for n, (since, t) in enumerate(some)
    ]
    random.shuffle(changes)
    assert replay_activations(changes, snapshots) == by_engine(some, snapshots)
