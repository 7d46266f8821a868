"""A poll's input for one match, and the changes to write, all of them or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.observe import GoalChange


@dataclass(frozen=True, slots=True)
class PollInput:
    """A fixture and its goals, read before the provider's answer."""

    fixture: Fixture
    goals: tuple[GoalEvent, ...] = ()
    tombstones: tuple[GoalEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class FixturePlan:
    before: Fixture
    after: Fixture
    goals: tuple[GoalChange, ...] = ()
    # Snapshots for triggers, written with the fixture so that none is lost (T15).
    snapshots: tuple[Mapping[str, Any], ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after or bool(self.goals)
