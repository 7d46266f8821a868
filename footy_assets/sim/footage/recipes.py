"""How a file of each kind is made from the film of a goal."""

from dataclasses import replace
from fractions import Fraction
from random import Random

from footy_assets.sim.footage import film
from footy_assets.sim.footage.copies import Change, Copy
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.footage.video import Damage, Kind, Recipe

SMALL, MIDDLE = (640, 360), (768, 432)
RATES = (Fraction(30), Fraction(30000, 1001), Fraction(20))
# The height of a small picture and a caption above it.
CAPTIONED = 448


def recipe_of(kind: Kind, shown: GoalFilm, rng: Random) -> Recipe:
    """The ways in which copies vary are drawn from `rng`."""
    seconds, seed = film.seconds_of(shown), rng.getrandbits(30)
    whole = Copy(0.0, seconds, *SMALL, seed=seed)
    scored = film.goal_at(shown)
    later, earlier = rng.uniform(0.9, 1.6), rng.uniform(0.4, 1.0)
    copies: dict[Kind, Copy] = {
        Kind.SMALL: replace(whole, crf=35),
        Kind.RESIZED: Copy(0.0, seconds - earlier, *MIDDLE, crf=27),
        Kind.CROPPED: replace(whole, start=0.2, change=Change.CROPPED),
        Kind.WATERMARKED: replace(whole, end=seconds - 0.2, change=Change.WATERMARKED),
        Kind.SHIFTED: replace(whole, start=later),
        Kind.TRIMMED: replace(whole, start=0.5, end=min(seconds, scored + rng.uniform(2.8, 3.6))),
        Kind.OTHER_RATE: replace(whole, fps=rng.choice(RATES), end=seconds - 0.3),
        Kind.MIRRORED: replace(whole, start=0.1, change=Change.MIRRORED),
        Kind.CAPTIONED: replace(
            whole, height=CAPTIONED, end=seconds - 0.4, change=Change.CAPTIONED
        ),
        Kind.LETTERBOXED: replace(whole, height=480, start=0.3, change=Change.LETTERBOXED),
        Kind.OTHER_GOAL: replace(whole, end=min(seconds, scored + 3.0), crf=25),
        Kind.OTHER_MATCH: replace(whole, end=min(seconds, scored + 4.0), crf=25),
        Kind.OTHER_DAY: replace(whole, end=min(seconds, scored + 4.0), crf=25),
        Kind.FILMED: replace(
            whole, end=min(seconds, 8.0), fps=Fraction(15), crf=27, change=Change.FILMED
        ),
        Kind.TOO_SHORT: replace(whole, start=scored - 1.2, end=scored + 1.2),
        Kind.TOO_LONG: replace(whole, end=rng.uniform(64, 75), fps=Fraction(2), crf=32),
        Kind.TOO_SMALL: Copy(0.0, seconds - 1, 426, 240, crf=30),
        Kind.PORTRAIT: Copy(0.0, min(seconds, 8.0), 404, 720, change=Change.UPRIGHT),
        Kind.TRUNCATED: replace(whole, crf=35),
        Kind.GARBAGE: replace(whole, crf=35),
    }
    damage = {Kind.TRUNCATED: Damage.TRUNCATED, Kind.GARBAGE: Damage.GARBAGE}.get(kind)
    return Recipe(film=shown, copy=copies.get(kind), damage=damage)
