"""What a poll starts from, and what it wants written: all of it for a match, or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.observe import GoalChange


@dataclass(frozen=True, slots=True)
class Watched:
    """A fixture as it stood before the provider was asked."""

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
