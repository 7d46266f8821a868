"""Builders for triggers and snapshots."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from footy_assets.triggers.rules.engine import Engine, EntityKey, EntityLimits, Listener, Step
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.trigger import Trigger

KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
GAME = "5000"
Json = dict[str, Any]


def snap(number: int, /, *, at: float | None = None, **fields: Any) -> Snapshot:
    """The numbered snapshot, 30 s after the one before; dots are written as double underscores."""
    own = {name: fields.pop(name) for name in ("cancels", "replaces", "id") if name in fields}
    seconds = 30.0 * number if at is None else at
    options = {f"football.{name.replace('__', '.')}": value for name, value in fields.items()}
    return Snapshot.model_validate(
        {
            "id": f"s{number}",
            "datasource": "test",
            "scope_id": GAME,
            "timestamp": KICKOFF + timedelta(seconds=seconds),
            "options": options,
            **own,
        }
    )


def option(event: str, compare: str, *targets: Any, **more: Any) -> Json:
    return {"event": f"football.{event}", "compare": compare, "targets": list(targets), **more}


def document(*conditions: Json, limits: Json | None = None, **head: Any) -> Json:
    return {
        "trigger": {"entity": "user", "entity_id": "7", "scope_id": GAME, **head},
        "conditions": list(conditions),
        **({} if limits is None else {"limits": limits}),
    }


def trigger(*conditions: Json, limits: Json | None = None, **head: Any) -> Trigger:
    return Trigger.model_validate(document(*conditions, limits=limits, **head))


def goal_of(team: str, **more: Any) -> Json:
    return {"goal__team": team, **more}


GOAL_AT_HOME = option("goal.team", "in", "home")


def run(
    triggers: Trigger | Sequence[Trigger],
    snapshots: Iterable[Snapshot],
    entities: dict[EntityKey, EntityLimits] | None = None,
) -> list[Step]:
    several = [triggers] if isinstance(triggers, Trigger) else triggers
    listeners = [Listener(f"t{n}", one, f"{n:04}") for n, one in enumerate(several)]
    engine = Engine(listeners, entities)
    return [engine.step(snapshot, number) for number, snapshot in enumerate(snapshots, start=1)]


def fired(steps: Iterable[Step]) -> list[list[str]]:
    return [[activation.trigger_id for activation in step.activations] for step in steps]


def when(steps: Iterable[Step]) -> list[int]:
    """The numbers, from 1, of the snapshots at which something fired."""
    return [number for number, step in enumerate(steps, start=1) if step.activations]


KEY = f"game/{GAME}"
ALWAYS = {"scope": 0}
SECOND_HOME_GOAL = option("team.scores", "eq", 2, options=[option("team", "in", "home")])


def goal(number: int, team: str = "home", **more: object) -> Snapshot:
    return snap(number, goal__team=team, **more)


def goal_of_another_match(number: int) -> Snapshot:
    return goal(number).model_copy(update={"id": f"x{number}", "scope_id": "6000"})
