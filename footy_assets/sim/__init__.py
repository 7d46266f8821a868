"""A simulated football world that speaks API-Football v3 over HTTP.

It is the outside world: nothing of the pipeline is used here but the clock.
"""

from footy_assets.sim.builders import (
    event,
    fixture_json,
    goal,
    missed_penalty,
    shootout_kick,
    var_cancel,
)
from footy_assets.sim.clubs import LEAGUES, Club, League, Person, clubs_of
from footy_assets.sim.faults import Fault, Faults
from footy_assets.sim.quota import Quota
from footy_assets.sim.script import FeedEvent, Form, Line, MatchScript, Minute, Timetable
from footy_assets.sim.server import ProviderRequest, SimServer
from footy_assets.sim.truth import ExpectedGoal
from footy_assets.sim.world import World, make_season_days, make_world

__all__ = [
    "LEAGUES",
    "Club",
    "ExpectedGoal",
    "Fault",
    "Faults",
    "FeedEvent",
    "Form",
    "League",
    "Line",
    "MatchScript",
    "Minute",
    "Person",
    "ProviderRequest",
    "Quota",
    "SimServer",
    "Timetable",
    "World",
    "clubs_of",
    "event",
    "fixture_json",
    "goal",
    "make_season_days",
    "make_world",
    "missed_penalty",
    "shootout_kick",
    "var_cancel",
]
