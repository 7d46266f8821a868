"""ESPN's plays that belong to no team: kick-off, half-time, delays, the end."""

from collections.abc import Iterator
from datetime import datetime

from footy_assets.sim import espn_words as words
from footy_assets.sim.espn import clock_text, period_of, second_text
from footy_assets.sim.espn_plays import stoppage_before
from footy_assets.sim.espn_words import PlayKind
from footy_assets.sim.feed import Json
from footy_assets.sim.script import MatchScript, Phase
from footy_assets.sim.statuses import Status

FIRST_WHISTLE_NUMBER = 80
PERIOD_OF_WHISTLE = {
    words.KICKOFF: 1,
    words.HALFTIME: 1,
    words.SECOND_HALF: 2,
    words.END_OF_REGULAR_TIME: 2,
    words.EXTRA_TIME: 3,
    words.EXTRA_TIME_HALFTIME: 3,
    words.SECOND_HALF_OF_EXTRA_TIME: 4,
    words.END_OF_EXTRA_TIME: 4,
    words.SHOOTOUT_BEGINS: 5,
    words.SHOOTOUT_ENDS: 5,
}
END_OF_A_HALF = (
    words.HALFTIME,
    words.END_OF_REGULAR_TIME,
    words.EXTRA_TIME_HALFTIME,
    words.END_OF_EXTRA_TIME,
)


def whistles(script: MatchScript, now: datetime) -> Iterator[Json]:
    """Kick-off, half-time and all other plays that belong to no team."""
    number = FIRST_WHISTLE_NUMBER
    before: Phase | None = None
    for phase in script.timetable.phases:
        if phase.since > now:
            return
        for kind in _kinds_of(phase, before):
            elapsed = phase.base or 0
            extra = stoppage_before(phase, script) if kind in END_OF_A_HALF else None
            yield {
                "id": f"{script.fixture_id}{number}",
                "type": kind.as_json(),
                "period": {"number": PERIOD_OF_WHISTLE.get(kind, period_of(elapsed))},
                "clock": {"value": float(elapsed * 60), "displayValue": clock_text(elapsed, extra)},
                "scoringPlay": False,
                "wallclock": second_text(phase.since),
                "shootout": False,
            }
            number += 1
        before = phase


def _kinds_of(phase: Phase, before: Phase | None) -> tuple[PlayKind, ...]:
    if before is not None and before.status in (Status.INTERRUPTED, Status.SUSPENDED):
        return (words.DELAY_ENDS,)
    match phase.status, phase.base:
        case Status.FIRST_HALF, 0:
            return (words.KICKOFF,)
        case Status.HALF_TIME, _:
            return (words.HALFTIME,)
        case Status.SECOND_HALF, 45:
            return (words.SECOND_HALF,)
        case Status.FINISHED, _:
            return (words.END_OF_REGULAR_TIME,)
        case Status.EXTRA_TIME, 90:
            return (words.END_OF_REGULAR_TIME, words.EXTRA_TIME)
        case Status.BREAK_TIME, _:
            return (words.EXTRA_TIME_HALFTIME,)
        case Status.EXTRA_TIME, 105:
            return (words.SECOND_HALF_OF_EXTRA_TIME,)
        case Status.AFTER_EXTRA_TIME, _:
            return (words.END_OF_EXTRA_TIME,)
        case Status.SHOOTOUT, _:
            return (words.END_OF_EXTRA_TIME, words.SHOOTOUT_BEGINS)
        case Status.AFTER_SHOOTOUT, _:
            return (words.SHOOTOUT_ENDS,)
        case ((Status.INTERRUPTED | Status.SUSPENDED), _):
            return (words.DELAY_BEGINS,)
    return ()
