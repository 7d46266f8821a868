"""One library for all tests here, since rendering is slow, and two goals of one match."""

from functools import cache
from pathlib import Path

import pytest

from footy_assets.media import Fingerprint, fingerprint
from footy_assets.sim import World, make_world
from footy_assets.sim.footage import AiredGoal, FanVideo, Library, aired_goals, catalogue


@pytest.fixture(scope="session")
def world() -> World:
    return make_world()


@pytest.fixture(scope="session")
def videos(world: World) -> tuple[FanVideo, ...]:
    return catalogue(world)


@pytest.fixture(scope="session")
def aired_goals_by_key(world: World) -> dict[str, AiredGoal]:
    return {goal.key: goal for goal in aired_goals(world)}


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("footage"))


@pytest.fixture(scope="session")
def two_goals(aired_goals_by_key: dict[str, AiredGoal]) -> tuple[AiredGoal, AiredGoal]:
    """Of the same match, scored by the same side at the same end."""
    first, second, *_ = (goal for goal in aired_goals_by_key.values() if goal.film.home_scores)
    assert first.goal.fixture_id == second.goal.fixture_id
    return first, second


@cache
def fingerprint_of(path: Path) -> Fingerprint:
    return fingerprint(path)
