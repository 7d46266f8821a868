"""What happens in a match, as ESPN counts it: plays with an id, a kind and a time of day."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from footy_assets.sim import espn_words as words
from footy_assets.sim.espn_words import PlayKind
from footy_assets.sim.feed import Json
from footy_assets.sim.script import GOAL_DETAILS, SHOOTOUT, MatchScript, Minute, Phase
from footy_assets.sim.statuses import Status
from footy_assets.sim.timetables import HALF_TIME, SHOOTOUT_KICK_EVERY

FIRST_NUMBER_WITHOUT_A_LINE = 60
LAST_SECOND = timedelta(seconds=1)
KEEPS_THE_MINUTE = frozenset({Status.HALF_TIME, Status.FINISHED, Status.AFTER_EXTRA_TIME})
CARDS = {"Yellow Card": words.YELLOW_CARD}


@dataclass(frozen=True)
class Play:
    """An event of the main provider, with what only ESPN has: an id and the time of day.

    `listed_at` is when it was listed first.
    """

    id: str
    event: Json
    listed_at: datetime
    at: datetime

    @property
    def is_shootout_kick(self) -> bool:
        return bool(self.event["comments"] == SHOOTOUT)

    @property
    def is_goal(self) -> bool:
        event = self.event
        return (
            event["type"] == "Goal"
            and event["detail"] in GOAL_DETAILS
            and not self.is_shootout_kick
        )

    @property
    def scored(self) -> bool:
        """A goal, or a kick of a shoot-out that went in."""
        return self.event["type"] == "Goal" and self.event["detail"] in GOAL_DETAILS

    @property
    def kind(self) -> PlayKind | None:
        """None for what ESPN has no kind of."""
        event = self.event
        if event["type"] == "Card":
            return CARDS.get(event["detail"], words.RED_CARD)
        if event["type"] == "subst":
            return words.SUBSTITUTION
        if event["type"] != "Goal":
            return None
        if not self.scored:
            return words.MISSED_PENALTY
        if self.is_shootout_kick:
            return words.SHOOTOUT_PENALTY
        if event["detail"] == "Normal Goal":
            return words.GOALS[int(self.id) % len(words.GOALS)]
        return words.OWN_GOAL if event["detail"] == "Own Goal" else words.PENALTY

    @property
    def has_player(self) -> bool:
        return self.event["player"]["id"] is not None

    def without_player(self) -> "Play":
        nobody = {"id": None, "name": None}
        return replace(self, event={**self.event, "player": nobody, "assist": nobody})

    def without_stoppage(self) -> "Play":
        time = {"elapsed": self.event["time"]["elapsed"], "extra": None}
        return replace(self, event={**self.event, "time": time})


def plays_of(fixture: Json, script: MatchScript | None, now: datetime) -> tuple[Play, ...]:
    """The events of a fixture. Without a script, ids follow from their order."""
    fixture_id = fixture["fixture"]["id"]
    lines = [] if script is None else script.lines_at(now)
    plays = []
    for place, event in enumerate(fixture.get("events", [])):
        at = _time_of_day(event, fixture, script)
        if place < len(lines):
            number, line, _ = lines[place]
            listed_at = line.forms[0].since
        else:
            number, listed_at = FIRST_NUMBER_WITHOUT_A_LINE + place, at
        plays.append(Play(f"{fixture_id}{number:02d}", event, listed_at, at))
    return tuple(plays)


def with_last_stoppage(fixture: Json, script: MatchScript, now: datetime) -> Json:
    """After a whistle the clock keeps the minute at which it stopped."""
    stopped = script.timetable.phase_at(now)
    if stopped.status not in KEEPS_THE_MINUTE:
        return fixture
    core = fixture["fixture"]
    status = {**core["status"], "extra": stoppage_before(stopped, script)}
    return {**fixture, "fixture": {**core, "status": status}}


def stoppage_before(phase: Phase, script: MatchScript) -> int | None:
    """The minutes of stoppage time that the phase before this one had."""
    earlier = [one for one in script.timetable.phases if one.since < phase.since]
    return earlier[-1].clock_at(phase.since - LAST_SECOND)[1] if earlier else None


def credited_and_scoring(play: Play, fixture: Json) -> tuple[int, int]:
    """The team with one goal more, and that of the scorer: not the same in an own goal."""
    credited = play.event["team"]["id"]
    if play.event["detail"] != "Own Goal":
        return credited, credited
    home, away = (fixture["teams"][side]["id"] for side in ("home", "away"))
    return credited, away if credited == home else home


def _time_of_day(event: Json, fixture: Json, script: MatchScript | None) -> datetime:
    minute = Minute(event["time"]["elapsed"], event["time"]["extra"])
    if script is not None:
        if event["comments"] == SHOOTOUT:
            begins = script.timetable.starts(Status.SHOOTOUT)
            return begins + SHOOTOUT_KICK_EVERY * (minute.extra or 0)
        try:
            return script.timetable.moment(minute)
        except ValueError:
            pass  # an invented goal in a minute that is not played
    kickoff = datetime.fromtimestamp(fixture["fixture"]["timestamp"], UTC)
    played = timedelta(minutes=minute.elapsed - 1 + (minute.extra or 0))
    return kickoff + played + (HALF_TIME if minute.elapsed > 45 else timedelta(0))
