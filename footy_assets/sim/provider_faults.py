"""Faults of the other providers, switched on and off while they run."""

from dataclasses import dataclass, field
from typing import Literal

from footy_assets.sim.lens import Lens

FaultKind = Literal["down", "garbage", "limited", "leaking", "refused"]


@dataclass(slots=True)
class ProviderFaults:
    """The faults of one provider, until they are reset. `requests` are path and query of each."""

    broken: FaultKind | None = None
    slow_seconds: float = 0.0
    lens: Lens = field(default_factory=Lens)
    request_count: int = 0
    requests: list[str] = field(default_factory=list)


@dataclass(slots=True)
class EspnFaults(ProviderFaults):
    """`missing_matches` and `missing_goals` map a fixture to the polls in which the scoreboard
    leaves it, or its newest goal, out; the score stays. For `unnamed_seconds` after it is listed
    a goal has no scorer. With `capped_clock` no minute of stoppage time is shown."""

    missing_matches: dict[int, int] = field(default_factory=dict)
    missing_goals: dict[int, int] = field(default_factory=dict)
    unnamed_seconds: float = 0.0
    capped_clock: bool = False


@dataclass(slots=True)
class OpenLigaDbFaults(ProviderFaults):
    """`wrong_flags`: own goals and penalties are not marked as such. `missing_minutes`: goals have
    no minute. `extra_goal`: a goal without minute and scorer that no result counts."""

    wrong_flags: bool = False
    missing_minutes: bool = False
    extra_goal: bool = False


def counted_down(polls: dict[int, int], fixture_id: int) -> bool:
    """Whether the fault still applies to this fixture; it is then used up by one."""
    left = polls.get(fixture_id, 0)
    if left:
        polls[fixture_id] = left - 1
    return left > 0
