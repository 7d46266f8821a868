"""The broadcast of a goal."""

from itertools import islice

import numpy as np
import pytest

from footy_assets.media import compare, probe
from footy_assets.sim.footage import AiredGoal, Library, film
from footy_assets.sim.footage.other_scenes import FPS, Place, pictures
from footy_assets_tests.sim.footage.conftest import fingerprint_of

pytestmark = pytest.mark.slow

TINY = (320, 180)


def test_a_film_is_the_same_however_often_it_is_drawn(two_goals: tuple[AiredGoal, ...]) -> None:
    once, again = (
        [picture.i420.copy() for picture in islice(film.pictures(two_goals[0].film, TINY), 4)]
        for _ in range(2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))


def test_a_film_has_its_declared_length_and_size(
    library: Library, two_goals: tuple[AiredGoal, ...]
) -> None:
    recipe = two_goals[0].film
    probed = probe(library.film(recipe))
    assert probed.duration == pytest.approx(film.seconds_of(recipe), abs=0.01)
    assert (probed.width, probed.height) == (film.WIDTH, film.HEIGHT)
    assert probed.codec == "h264"
    assert 9 <= probed.duration <= 20


def test_two_goals_of_a_match_are_different_films(
    library: Library, two_goals: tuple[AiredGoal, ...]
) -> None:
    one, other = (fingerprint_of(library.film(goal.film)) for goal in two_goals)
    assert not compare(one, other).match


def test_the_pitch_is_green_and_the_main_camera_moves(two_goals: tuple[AiredGoal, ...]) -> None:
    frames = [p.bgr() for p in islice(film.pictures(two_goals[0].film, TINY), 0, 61, 30)]
    below = frames[0][90:].reshape(-1, 3).mean(axis=0)
    assert below[1] > 1.3 * below[0]
    assert below[1] > 1.1 * below[2]
    assert np.abs(frames[0].astype(int) - frames[2]).mean() > 8


@pytest.mark.parametrize("place", Place)
def test_scenes_off_the_pitch_are_not_green_and_move(place: Place) -> None:
    frames = [picture.bgr() for picture in islice(pictures(place, 3, 4.0), 0, 2 * FPS, FPS - 1)]
    blue, green, red = frames[0].reshape(-1, 3).mean(axis=0)
    assert green < 1.15 * max(blue, red)
    assert np.abs(frames[0].astype(int) - frames[1]).mean() > 0.5
