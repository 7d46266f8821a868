"""The files that fans post, as the media engine judges them."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import pytest

from footy_assets.media import RejectionReason, VideoUnreadable, compare, probe, rejections
from footy_assets.sim.footage import AiredGoal, FanVideo, Kind, Library, NoFile, Recipe
from footy_assets.sim.footage.other_scenes import Place
from footy_assets.sim.footage.recipes import recipe_of
from footy_assets.sim.footage.video import RIGHT_KINDS, WITHOUT_FILE, Damage, OtherScene
from footy_assets_tests.sim.footage.conftest import fingerprint_of

pytestmark = pytest.mark.slow

BROKEN_RULES = {
    Kind.TOO_SHORT: RejectionReason.TOO_SHORT,
    Kind.TOO_LONG: RejectionReason.TOO_LONG,
    Kind.TOO_SMALL: RejectionReason.TOO_SMALL,
    Kind.PORTRAIT: RejectionReason.PORTRAIT,
}
Goals = tuple[AiredGoal, AiredGoal]


def make_video(library: Library, goal: AiredGoal, kind: Kind) -> tuple[Recipe, Path]:
    recipe = recipe_of(kind, goal.film, Random(5))
    return recipe, library.made(recipe)


def is_as_declared(recipe: Recipe, path: Path) -> bool:
    probed = probe(path)
    same_size = (probed.width, probed.height) == recipe.size
    return same_size and probed.duration == pytest.approx(recipe.seconds, abs=0.06)


@pytest.mark.parametrize("kind", RIGHT_KINDS)
def test_a_copy_is_as_declared_acceptable_and_matches_its_original(
    library: Library, two_goals: Goals, kind: Kind
) -> None:
    goal, other = two_goals
    recipe, path = make_video(library, goal, kind)
    assert is_as_declared(recipe, path)
    assert not rejections(probe(path))
    found = compare(fingerprint_of(library.film(goal.film)), fingerprint_of(path))
    assert found.match
    assert found.mirrored == (kind is Kind.MIRRORED)
    assert not compare(fingerprint_of(library.film(other.film)), fingerprint_of(path)).match


@pytest.mark.parametrize("kind", BROKEN_RULES)
def test_d2_refuses_videos_meant_to_be_refused(
    library: Library, two_goals: Goals, kind: Kind
) -> None:
    recipe, path = make_video(library, two_goals[0], kind)
    assert is_as_declared(recipe, path)
    assert [broken.reason for broken in rejections(probe(path))] == [BROKEN_RULES[kind]]


@pytest.mark.parametrize("damage", Damage)
def test_damaged_files_cannot_be_read(library: Library, two_goals: Goals, damage: Damage) -> None:
    kind = Kind.TRUNCATED if damage is Damage.TRUNCATED else Kind.GARBAGE
    recipe, path = make_video(library, two_goals[0], kind)
    assert recipe.damage is damage
    assert path.stat().st_size > 10_000
    with pytest.raises(VideoUnreadable):
        probe(path)


def test_a_filmed_screen_and_other_places_are_readable_and_acceptable_to_d2(
    library: Library, two_goals: Goals
) -> None:
    filmed, path = make_video(library, two_goals[0], Kind.FILMED)
    assert is_as_declared(filmed, path)
    assert not rejections(probe(path))
    street = Recipe(elsewhere=OtherScene(Place.STREET, 3, 4.0))
    assert is_as_declared(street, library.made(street))


def test_the_same_recipe_is_made_once_and_byte_for_byte_the_same_anywhere(
    library: Library, two_goals: Goals, tmp_path: Path
) -> None:
    recipe = Recipe(elsewhere=OtherScene(Place.STUDIO, 9, 2.0))
    path = library.made(recipe)
    written = path.stat().st_mtime_ns
    assert library.made(recipe) == path
    assert path.stat().st_mtime_ns == written
    assert Library(tmp_path).made(recipe).read_bytes() == path.read_bytes()


def test_several_processes_request_one_file_and_all_get_it_whole(tmp_path: Path) -> None:
    recipe = Recipe(elsewhere=OtherScene(Place.TALKING_HEAD, 1, 2.0))
    # Its workers end by themselves; a multiprocessing.Pool terminates them, and may wait for ever.
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        sizes = list(pool.map(_size_of, [tmp_path] * 3, [recipe] * 3))
    assert len(set(sizes)) == 1
    assert not list(tmp_path.rglob("*.part"))
    assert len(list(tmp_path.rglob("*.mp4"))) == 1


def test_blocked_removed_and_private_videos_have_no_file(
    library: Library, videos: tuple[FanVideo, ...]
) -> None:
    for kind in WITHOUT_FILE:
        video = next(video for video in videos if video.kind is kind)
        with pytest.raises(NoFile):
            library.path(video)


def _size_of(folder: Path, recipe: Recipe) -> int:
    return Library(folder).made(recipe).stat().st_size
