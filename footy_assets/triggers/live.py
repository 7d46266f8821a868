"""T1, T3: what a poll changed of a match, as snapshots: one for each moment, in order of time.

Times are the match's own (kickoff and minute), not the poll's, and a status that was skipped is
told as if it had been seen: a match watched live and the same match brought in a week later give
the same snapshots, as far as the feed says the same of them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.minute import MatchMinute
from footy_assets.matchday.observe import GoalChange
from footy_assets.matchday.sighting import FixtureSighting, Incident, is_cancellation
from footy_assets.triggers import vocabulary as v
from footy_assets.triggers.snapshot import Snapshot

DATASOURCE = "api-football"

# A match passes these in this order; what comes after the regular time depends on its end.
REGULAR = ("1H", "HT", "2H")
PATHS = {
    **{status: REGULAR[: REGULAR.index(status) + 1] for status in REGULAR},
    "FT": (*REGULAR, "FT"),
    "ET": (*REGULAR, "ET"),
    "BT": (*REGULAR, "ET", "BT"),
    "AET": (*REGULAR, "ET", "AET"),
    "P": (*REGULAR, "ET", "P"),
    "PEN": (*REGULAR, "ET", "P", "PEN"),
}
# The minute at which a status begins.
BEGINS = {"1H": 0, "HT": 45, "2H": 45, "ET": 90, "BT": 105, "P": 120, "AET": 120, "PEN": 120}
HALF_OF = {"1H": 1, "HT": 1, "2H": 2, "FT": 2, "ET": 3, "BT": 3, "AET": 4, "P": 5, "PEN": 5}
# Nobody plays: the provider's own score is the score of that moment, list of goals or not.
SCORE_STANDS = frozenset({"HT", "BT", "P", "FT", "AET", "PEN"})
PERIODS = ("1H", "2H", "ET", "ET")
# The clock moves a match too: "two ahead after 80'" may come true with nothing happening. Breaks
# are told as statuses.
MARKS = tuple(minute for minute in range(5, 120, 5) if minute not in (45, 90, 105))
# By status, the first and the last minute that a match in it may have reached.
REACHED = {
    "1H": (0, 44),
    "HT": (44, 44),
    "2H": (44, 89),
    "FT": (89, 89),
    "ET": (89, 119),
    "BT": (104, 104),
    "AET": (119, 119),
    # Not every shoot-out comes after extra time.
    "P": (89, 119),
    "PEN": (89, 119),
}
# When each period starts, in minutes after kickoff, and the minute it starts with.
STARTS = ((0, 0), (60, 45), (110, 90), (130, 105))

GOAL_TYPES = {"penalty": "penalty", "own goal": v.OWN_GOAL}
CARD_TYPES = {
    "yellow card": "yellow",
    "red card": "red",
    "second yellow card": "second yellow",
}
# So much of a provider's words is kept.
DETAIL = 80


@dataclass(frozen=True, slots=True)
class _Moment:
    """Sorted by minute; within one, a status that ends a period comes last.

    The ranks: a mark, a status, what happened, what is told later of it, what is taken back, what
    is only counted.
    """

    minute: MatchMinute
    rank: int
    id: str
    status: str
    score: tuple[int, int]
    what: dict[str, Any]
    cancels: str | None = None
    replaces: str | None = None

    @property
    def order(self) -> tuple[int, int, int]:
        return (*self.minute.sort_key, self.rank)


def with_told(fixture: Fixture, sighting: FixtureSighting) -> Fixture:
    """What will have been told once this poll is written."""
    status = fixture.status.upper()
    told = status if status in PATHS else fixture.told_status
    listed = fixture.incidents if sighting.incidents is None else sighting.incidents
    mark = max(fixture.told_minute, _last_mark(status, sighting.elapsed))
    corners = sighting.corners or fixture.corners
    seen = replace(fixture, told_status=told, told_minute=mark, incidents=listed, corners=corners)
    return fixture if seen == fixture else seen


def _last_mark(status: str, elapsed: int | None) -> int:
    """The last mark that a match has passed, by its status and its minute."""
    first, last = REACHED.get(status, (0, 0))
    minute = max(first, min(elapsed or 0, last))
    return max((mark for mark in MARKS if mark <= minute), default=0)


def moments(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    goals: Iterable[GoalEvent],
    elapsed: int | None = None,
) -> list[Snapshot]:
    """The snapshots of what lies between two states of a match that follow each other.

    `elapsed` is the minute being played: that of whatever comes without one of its own.
    """
    standing = [goal for goal in goals if goal.live]
    told = [
        *_statuses(before, after, standing),
        *_marks(before, after, standing),
        *_goals(after, changes, standing),
        *_incidents(before, after, changes, standing),
        *_corners(before, after, standing, elapsed),
    ]
    return [_snapshot(after, moment) for moment in sorted(told, key=lambda one: one.order)]


def _statuses(
    before: Fixture, after: Fixture, standing: Collection[GoalEvent]
) -> Iterator[_Moment]:
    if after.told_status == before.told_status or after.told_status is None:
        return
    path = PATHS[after.told_status]
    passed = PATHS.get(before.told_status or "", ())
    for status in path:
        if status in passed:
            continue
        minute = MatchMinute(BEGINS.get(status, 90), None)
        score = _score(standing, MatchMinute(minute.elapsed, 99))
        if status == after.told_status and status in SCORE_STANDS and None not in after.goals:
            score = (after.goals[0] or 0, after.goals[1] or 0)
        # After all stoppage time; a half begins after the break that came before it.
        place = MatchMinute(minute.elapsed, 0 if status == "1H" else 100 + path.index(status))
        yield _Moment(place, 0, f"{after.id}/status/{status}", status, score, {})


def _marks(before: Fixture, after: Fixture, standing: Collection[GoalEvent]) -> Iterator[_Moment]:
    for minute in MARKS:
        if before.told_minute < minute <= after.told_minute:
            mark = MatchMinute(minute)
            # A goal of this very minute comes after it, and is often not listed yet.
            score = _score(standing, MatchMinute(minute - 1, 99))
            id = f"{after.id}/minute/{minute}"
            yield _Moment(mark, -1, id, PERIODS[mark.period], score, {})


def _goals(
    fixture: Fixture, changes: Sequence[GoalChange], standing: Collection[GoalEvent]
) -> Iterator[_Moment]:
    for change in changes:
        old, goal = change.before, change.after
        status = PERIODS[goal.minute.period]
        score = goal.score_after or _score(standing, goal.minute)
        if not goal.live:
            if old is not None:
                yield _taken_back(fixture, goal, standing)
        elif old is None or len(old.formerly) != len(goal.formerly):
            yield _Moment(
                goal.minute,
                1,
                _goal_id(goal),
                status,
                score,
                _scored(goal),
                replaces=_goal_id(old) if old is not None else None,
            )
        elif goal.assist.id and goal.assist.id != old.assist.id:
            # Often told later than the goal itself.
            what = {v.ASSIST_PLAYER: str(goal.assist.id), v.TEAM: goal.side or "home"}
            id = f"{goal.fixture_id}/goal/{goal.key}/assist/{goal.assist.id}"
            yield _Moment(goal.minute, 2, id, status, score, what)


def _scored(goal: GoalEvent) -> dict[str, Any]:
    side, kind = goal.side or "home", GOAL_TYPES.get(goal.detail.lower(), "normal")
    what = {v.TEAM: side, v.GOAL_TEAM: side, v.GOAL_TYPE: kind}
    if kind == "penalty":
        what[v.PENALTY_OUTCOME] = "scored"
    if goal.player.id:
        what |= {v.PLAYER: str(goal.player.id), v.GOAL_PLAYER: str(goal.player.id)}
    if goal.assist.id and kind != v.OWN_GOAL:
        what[v.ASSIST_PLAYER] = str(goal.assist.id)
    return what


def _taken_back(fixture: Fixture, goal: GoalEvent, standing: Collection[GoalEvent]) -> _Moment:
    what: dict[str, Any] = {v.TEAM: _side(fixture, goal.team_id)}
    if goal.player.id:
        what[v.PLAYER] = str(goal.player.id)
    if goal.removal is not None and goal.removal.reason == "var":
        what[v.VAR_OUTCOME] = v.GOAL_CANCELLED
    return _Moment(
        goal.minute,
        3,
        f"{goal.fixture_id}/goal/{goal.key}/gone",
        PERIODS[goal.minute.period],
        _score(standing, goal.minute),
        what,
        cancels=_goal_id(goal),
    )


def _goal_id(goal: GoalEvent) -> str:
    """A goal named anew is a new snapshot of the same moment."""
    return f"{goal.fixture_id}/goal/{goal.key}/{len(goal.formerly)}"


def _incidents(
    before: Fixture,
    after: Fixture,
    changes: Sequence[GoalChange],
    standing: Collection[GoalEvent],
) -> Iterator[_Moment]:
    """Lines that are new. A corrected minute is not news; a line that flickers keeps its id."""
    spent = {goal.after.removal.cancellation for goal in changes if goal.after.removal}
    known, gone = Counter(map(_line, before.incidents)), _unnamed(before.incidents)
    still = Counter(_line(incident) for incident in after.incidents)
    seen: Counter[str] = Counter()
    for incident in after.incidents:
        line = _line(incident)
        seen[line] += 1
        if seen[line] <= known[line] or _decision(incident) in spent:
            continue
        was = gone.get((incident.kind, incident.team_id, incident.detail, incident.minute))
        replaces = was if was is not None and not still[was] and incident.player.id else None
        yield _Moment(
            incident.minute,
            1,
            f"{after.id}/{line}/{seen[line]}",
            PERIODS[incident.minute.period],
            _score(standing, incident.minute),
            _happened(after, incident),
            # A goal that we never knew of: nothing that counts is taken back.
            cancels=f"{after.id}/unseen" if _is_cancelled_goal(incident) else None,
            replaces=f"{after.id}/{replaces}/1" if replaces else None,
        )


def _corners(
    before: Fixture, after: Fixture, standing: Collection[GoalEvent], elapsed: int | None
) -> Iterator[_Moment]:
    """The feed counts them and does not list them: how many there are now is all it says."""
    if after.corners is None or after.corners == before.corners:
        return
    home, away = after.corners
    minute = MatchMinute(after.told_minute if elapsed is None else elapsed)
    what = {v.TEAM_CORNERS: {"home": home, "away": away}}
    id, score = f"{after.id}/corners/{home}-{away}", _score(standing, minute)
    yield _Moment(minute, 4, id, PERIODS[minute.period], score, what)


def _line(incident: Incident) -> str:
    who = f"{incident.player.id or '-'}/{incident.other.id or '-'}"
    return f"{incident.kind}/{incident.team_id}/{who}/{incident.detail.lower()[:DETAIL]}"


def _unnamed(incidents: Iterable[Incident]) -> dict[tuple[Any, ...], str]:
    return {
        (one.kind, one.team_id, one.detail, one.minute): _line(one)
        for one in incidents
        if one.player.id is None
    }


def _decision(incident: Incident) -> str:
    """The same words that a removed goal keeps of the decision that took it back."""
    return f"{incident.team_id}:{incident.player.id}:{incident.minute}:{incident.detail}"


def _is_cancelled_goal(incident: Incident) -> bool:
    return incident.kind == "var" and is_cancellation("var", incident.detail)


def _happened(fixture: Fixture, incident: Incident) -> dict[str, Any]:
    side, detail = _side(fixture, incident.team_id), incident.detail.lower()
    player, other = incident.player.id, incident.other.id
    what: dict[str, Any] = {v.TEAM: side}
    if player:
        what[v.PLAYER] = str(player)
    if incident.kind == "card":
        what |= {v.CARD_TEAM: side, v.CARD_TYPE: CARD_TYPES.get(detail, "yellow")}
        if player:
            what[v.CARD_PLAYER] = str(player)
    elif incident.kind == "substitution":
        what |= {v.SUBSTITUTION_OUT: str(player)} if player else {}
        what |= {v.SUBSTITUTION_IN: str(other)} if other else {}
    elif incident.kind == "penalty":
        what[v.PENALTY_OUTCOME] = "missed"
    elif _is_cancelled_goal(incident):
        what[v.VAR_OUTCOME] = v.GOAL_CANCELLED
    else:
        what[v.VAR_OUTCOME] = detail[:DETAIL] or "unknown"
    return what


def _snapshot(fixture: Fixture, moment: _Moment) -> Snapshot:
    home, away = moment.score
    minute = moment.minute
    at_status = moment.rank == 0
    played = minute.elapsed if at_status else minute.elapsed + (minute.extra or 0)
    half = HALF_OF[moment.status] if at_status else minute.period + 1
    return Snapshot(
        id=moment.id,
        datasource=DATASOURCE,
        scope_id=str(fixture.id),
        timestamp=_time(fixture.kickoff, moment),
        options={
            v.STATUS: moment.status,
            v.HALF: half,
            v.MINUTE: played,
            v.SCORE_HOME: home,
            v.SCORE_AWAY: away,
            v.SCORE_TOTAL: home + away,
            v.SCORE_DIFFERENTIAL: home - away,
            **moment.what,
        },
        cancels=moment.cancels,
        replaces=moment.replaces,
    )


def _time(kickoff: datetime, moment: _Moment) -> datetime:
    """By the match's own clock, with a break of a quarter hour."""
    after, first = STARTS[moment.minute.period]
    extra = 0 if not moment.rank else moment.minute.extra or 0
    if moment.status == "2H" and not moment.rank:
        after, first = STARTS[1]
    return kickoff + timedelta(minutes=after + moment.minute.elapsed - first + extra)


def _score(standing: Iterable[GoalEvent], up_to: MatchMinute) -> tuple[int, int]:
    so_far = [goal for goal in standing if goal.minute.sort_key <= up_to.sort_key]
    home = sum(goal.side == "home" for goal in so_far)
    return home, len(so_far) - home


def _side(fixture: Fixture, team_id: int) -> str:
    return "home" if team_id == fixture.home.id else "away"


def goal_of(snapshot_id: str) -> str | None:
    """The key of the goal that a snapshot tells of; None if it tells of none."""
    parts = snapshot_id.split("/")
    return parts[2] if len(parts) > 3 and parts[1] == "goal" else None
