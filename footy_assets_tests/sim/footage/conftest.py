"""One library for all tests here, since rendering is slow, and two goals of one match."""

from functools import cache
from pathlib import Path

import pytest

from footy_assets.media import Fingerprint, fingerprint
from footy_assets.sim import World, make_world
from footy_assets.sim.footage import AiredGoal, FanVideo, Library, aired_goals, catalogue
from footy_assets_tests.fixtures.films import FILMED_MATCH


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
def library(footage: Path) -> Library:
    return Library(footage)


@pytest.fixture(scope="session")
def two_goals() -> tuple[AiredGoal, AiredGoal]:
    """Of the same match, scored by the same side at the same end."""
    match = make_world().only([FILMED_MATCH])
    first, second = (goal for goal in aired_goals(match) if not goal.film.home_scores)
    return first, second


@cache
def fingerprint_of(path: Path) -> Fingerprint:
    return fingerprint(path)
