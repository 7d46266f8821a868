"""Broadcast-like video of every goal of the simulated world, and what fans make of it.

`catalogue(world)` lists the posted videos with the truth about each; a `Library` makes their files.
"""

from footy_assets.sim.footage.broadcast import AiredGoal, aired_goals, goal_key
from footy_assets.sim.footage.catalogue import catalogue, videos_of
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.footage.library import Library, NoFile
from footy_assets.sim.footage.video import FanVideo, Kind, Reason, Recipe, Verdict

__all__ = [
    "AiredGoal",
    "FanVideo",
    "GoalFilm",
    "Kind",
    "Library",
    "NoFile",
    "Reason",
    "Recipe",
    "Verdict",
    "aired_goals",
    "catalogue",
    "goal_key",
    "videos_of",
]
