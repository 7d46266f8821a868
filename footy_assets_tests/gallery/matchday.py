"""A matchday with a goal in every state, for tests that only read."""

from dataclasses import dataclass
from datetime import timedelta

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.store.collections import EVENTS, VIDEOS
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets_tests.gallery.site import Day
from footy_assets_tests.matchday.goals import KICKOFF
from footy_assets_tests.triggers.rules.builders import GOAL_AT_HOME, option, snap, trigger

FAR_FUTURE = KICKOFF + timedelta(days=9000)
REFUSED = {
    "not football": 4,
    "wrong minute: the clock shows 57, expected 50": 1,
    "wrong minute: the clock shows 11, expected 36": 2,
    "too_short": 2,
    "private": 1,
}


@dataclass(frozen=True)
class PlayedMatchday:
    day: Day
    salah: GoalEvent
    searching: GoalEvent
    without_clip: GoalEvent
    removed: GoalEvent

    @property
    def clip_name(self) -> str:
        """`fixture/event/hash` of the best clip."""
        key: str = self.day.documents(self.salah)[0]["public_key"]
        return key.removesuffix(".mp4")

    @property
    def video(self) -> str:
        return f"/video/{self.day.objects.bucket}/{self.clip_name}.mp4"


def play_matchday(day: Day) -> PlayedMatchday:
    clock = day.clock
    clock.at = KICKOFF + timedelta(minutes=36)
    liverpool = day.match(score=(2, 1), elapsed=20)
    day.line_ups(liverpool, "Alisson", "T. Alexander-Arnold", "V. van Dijk")
    salah = day.goal(liverpool, 31, "M. Salah", assist="L. Díaz", counted=10)
    clock.advance(150)
    day.clips(salah, "good", "angle")
    clock.at = KICKOFF + timedelta(minutes=66)
    day.goal(liverpool, 45, "B. Fernandes", extra=2, side="away", score=(1, 1), detail="Penalty")
    searching = day.goal(liverpool, 52, "D. Núñez", score=(2, 1), counted=2)
    removed = day.goal(liverpool, 58, "C. Gakpo", score=(3, 1))
    day.remove(removed)
    arsenal = day.match(5001, "Arsenal", "Chelsea", "2H", (1, 0), elapsed=61)
    day.goal(arsenal, 60, "M. Ødegaard", polls=2)
    day.match(5002, "Brighton", "Everton", "HT", elapsed=45)
    later = {"elapsed": None, "kickoff_in": 2.5, "state": FixtureState.STAGING}
    day.match(5003, "Fulham", "Brentford", "NS", (None, None), **later)  # type: ignore[arg-type]
    bayern = day.match(
        *(5010, "Bayern München", "Borussia Dortmund", "FT", (1, 0)),
        league=(78, "Bundesliga"),
        elapsed=90,
        kickoff_in=-2,
        state=FixtureState.COMPLETED,
    )
    without_clip = day.goal(bayern, 44, "J. Musiala", counted=10)
    roma = day.match(5011, "Roma", "Lazio", "1H", (0, 1), league=(135, "Serie A"), elapsed=21)
    day.goal(roma, 20, None, side="away", score=(0, 1), polls=1)
    day.database[EVENTS].update_one(
        {"_id": searching.key}, {"$set": {"search": {"next": 3, "held_until": FAR_FUTURE}}}
    )
    day.database[VIDEOS].insert_many(
        {"state": "refused", "reason": reason, "ended_at": clock.now(), "goal_key": salah.key}
        for reason, times in REFUSED.items()
        for _ in range(times)
    )
    clock.at = KICKOFF + timedelta(minutes=82)
    create_triggers(day)
    return PlayedMatchday(day, salah, searching, without_clip, removed)


def create_triggers(day: Day) -> None:
    """Two triggers on the first match; one of them has fired."""
    store, now = TriggerStore(day.database), day.clock.now()
    twice = option("team.scores", "eq", 2, options=[option("team", "in", "home")])
    late = option("match.minute", "ge", 85)
    store.create(trigger(GOAL_AT_HOME, limits={"scope": 0, "football.match.half": 1}), now, "any")
    store.create(trigger(twice, late, entity_id="8"), now, "late")
    SnapshotStore(day.database).store(
        [snap(1, goal__team="home", match__half=1), snap(2, goal__team="away", match__half=1)]
    )
    Evaluator(day.database, day.clock).run()
