"""T15, second stage: evaluates stored snapshots. Any number of processes may run it at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.engine import Engine, Step
from footy_assets.triggers.store.evaluation import EvaluationStore, Position, Superseded
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore

SNAPSHOTS_PER_BATCH = 100
NOTIFICATIONS_PER_BATCH = 1_000
# More matches than are ever played at once.
MAX_WARM_ENGINES = 500


@dataclass(slots=True)
class EvaluationResult:
    snapshots: int = 0
    activations: int = 0
    retractions: int = 0
    superseded: int = 0
    failures: list[str] = field(default_factory=list)
    scopes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class WarmEngine:
    """An engine kept in memory, and the position in its scope that it has reached."""

    engine: Engine
    position: Position


class Evaluator:
    """Keeps engines between calls; rebuilds one when another process has moved its scope on."""

    def __init__(
        self, database: Database[Document], clock: Clock, warm: dict[str, WarmEngine] | None = None
    ) -> None:
        self._triggers = TriggerStore(database)
        self._snapshots = SnapshotStore(database)
        self._store = EvaluationStore(database)
        self._clock = clock
        self._warm = {} if warm is None else warm

    def run(self, scopes: Sequence[str] | None = None) -> EvaluationResult:
        result = EvaluationResult()
        for key in self._snapshots.waiting_scopes() if scopes is None else scopes:
            try:
                self._evaluate_scope(key, result)
            except Superseded:
                result.superseded += 1
                self._warm.pop(key, None)
            except Exception as error:
                # One match that fails (locked by a dead process, say) holds up no other.
                result.failures.append(f"{key}: {type(error).__name__}: {error}")
                self._warm.pop(key, None)
            except BaseException:
                self._warm.pop(key, None)
                raise
        return result

    def _evaluate_scope(self, key: str, result: EvaluationResult) -> None:
        warm = self._warm_engine(key)
        position = warm.position
        while waiting := self._snapshots.numbered(key, position.evaluated, SNAPSHOTS_PER_BATCH):
            steps, notifications = list[tuple[int, Step]](), 0
            for number, snapshot in waiting:
                step = warm.engine.step(snapshot, number)
                steps.append((number, step))
                notifications += len(step.activations) + len(step.retractions)
                if notifications >= NOTIFICATIONS_PER_BATCH:
                    break
            self._store.write(key, position, steps, warm.engine, self._clock.now())
            result.snapshots += len(steps)
            result.activations += sum(len(step.activations) for _, step in steps)
            result.retractions += sum(len(step.retractions) for _, step in steps)
            result.scopes.add(key)
        self._snapshots.mark_evaluated(key, position.evaluated)

    def _warm_engine(self, key: str) -> WarmEngine:
        position, warm = Position.of(self._triggers.scope(key)), self._warm.get(key)
        if warm is None or warm.position != position:
            engine = Engine(
                self._triggers.listeners(key),
                self._triggers.entities(key),
                self._triggers.fired_by_snapshot(key),
            )
            for number, snapshot in self._snapshots.numbered(key):
                if number <= position.evaluated:
                    engine.restore(snapshot)
            if len(self._warm) >= MAX_WARM_ENGINES:
                self._warm.clear()
            warm = self._warm[key] = WarmEngine(engine, position)
        return warm
