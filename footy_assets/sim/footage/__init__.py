"""Broadcast-like video of every goal of the simulated world, and what fans make of it.

`catalogue(world)` lists the posted videos with the truth about each; a `Library` makes their files.
"""

from footy_assets.sim.footage.broadcast import AiredGoal, aired_goals, goal_key
from footy_assets.sim.footage.catalogue import catalogue, videos_of
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.footage.library import Library, NoFile
from footy_assets.sim.footage.video import ExpectedOutcome, ExpectedReason, FanVideo, Kind, Recipe

__all__ = [
    "AiredGoal",
    "ExpectedOutcome",
    "ExpectedReason",
    "FanVideo",
    "GoalFilm",
    "Kind",
    "Library",
    "NoFile",
    "Recipe",
    "aired_goals",
    "catalogue",
    "goal_key",
    "videos_of",
]
