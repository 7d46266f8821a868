"""Which requests a plan of few requests a day is spent on.

The free plan refuses `ids`. One request (`live=all`) has every match in play with its events; those
that are not in it are looked up one by one, or all of a day at once, only when there is something
to learn.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache

from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import FixtureSighting, GoalSighting
from footy_assets.matchday.rules.statuses import FixtureState, MatchStatus, state_of

# An upgraded plan is noticed after this.
RECHECK_AFTER = timedelta(days=1)
STARTS_WITHIN = timedelta(minutes=2)
# A match this long after its kickoff that was never in play: postponed, or over already.
OVERDUE_AFTER = timedelta(minutes=10)
LOOK_AGAIN_AFTER = timedelta(minutes=10)
DAY_AGAIN_AFTER = timedelta(minutes=30)
UNKNOWN_AGAIN_AFTER = timedelta(hours=6)
# A scorer who is not named by then is not looked for any more.
NAMED_WITHIN = timedelta(hours=6)
FORGET_AFTER = timedelta(days=3)
# E4: a goal is stable when three polls saw it.
POLLS_OF_GOALS = 3
# Above this many unknown matches, those of whole days are requested.
FEW = 2
# The last part of the day's requests is for `live=all` alone.
LIVE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class KnownMatch:
    """A match as it was last seen; `polls` answers in a row had these goals."""

    kickoff: datetime
    status: str
    goals: tuple[GoalSighting, ...] | None = None
    polls: int = 0
    complete: bool = False
    in_play: bool = False
    left_play: bool = False
    looked_at: datetime | None = None

    @property
    def over(self) -> bool:
        return state_of(self.status) is FixtureState.COMPLETED

    def seen(self, sighting: FixtureSighting) -> "KnownMatch":
        known = replace(self, kickoff=sighting.kickoff, status=sighting.status)
        if sighting.goals is None:
            return known
        same = sighting.goals == self.goals
        named = all(goal.scorer.known for goal in sighting.goals)
        return replace(
            known,
            goals=sighting.goals,
            polls=self.polls + 1 if same else 1,
            complete=named and sighting.lists_every_goal,
        )

    def may_be_in_play(self, now: datetime) -> bool:
        waits = self.over or self.status == MatchStatus.POSTPONED
        return self.in_play or (not waits and self.kickoff <= now + STARTS_WITHIN)

    def needs_look(self, now: datetime) -> bool:
        """Is there something to learn from a request for this match alone?"""
        if self.in_play:
            return False
        waited = self.looked_at is None or now - self.looked_at >= LOOK_AGAIN_AFTER
        if not self.over:
            return self.left_play and waited
        if self.polls < POLLS_OF_GOALS:
            return True
        return not self.complete and waited and now < self.kickoff + NAMED_WITHIN

    def needs_day(self, now: datetime) -> bool:
        """Is its status worth a request for all matches of the day?"""
        return not self.in_play and (self.over or now >= self.kickoff + OVERDUE_AFTER)


class PlanMemory:
    """What is known of a plan and of its matches, for the life of the process."""

    def __init__(self) -> None:
        self.ids_refused_at: datetime | None = None
        self._matches: dict[int, KnownMatch] = {}
        self._days_requested: dict[date, datetime] = {}
        self._found_nothing: dict[int, datetime] = {}

    def allows_ids(self, now: datetime) -> bool:
        """Unless they were refused today: a plan may be upgraded."""
        return self.ids_refused_at is None or now - self.ids_refused_at >= RECHECK_AFTER

    def refuse_ids(self, now: datetime) -> None:
        self.ids_refused_at = now

    # -- what was seen --------------------------------------------------------------------

    def see(self, sightings: Iterable[FixtureSighting]) -> None:
        for sighting in sightings:
            known = self._matches.get(sighting.fixture_id)
            before = known or KnownMatch(sighting.kickoff, sighting.status)
            self._matches[sighting.fixture_id] = before.seen(sighting)

    def see_in_play(self, live: Collection[int], now: datetime) -> None:
        """After an answer to `live=all`: these are in play, all others are not."""
        self._matches = {
            id_: replace(
                known,
                in_play=id_ in live,
                left_play=id_ not in live and (known.in_play or known.left_play),
            )
            for id_, known in self._matches.items()
            if known.kickoff > now - FORGET_AFTER
        }

    def see_looked_up(self, id_: int, now: datetime) -> None:
        if known := self._matches.get(id_):
            self._matches[id_] = replace(known, looked_at=now)
        else:
            self._found_nothing[id_] = now

    def see_day(self, day: date, now: datetime) -> None:
        self._days_requested[day] = now

    # -- what to request ------------------------------------------------------------------

    def may_be_in_play(self, ids: Iterable[int], now: datetime) -> list[int]:
        """Unknown matches may be, too."""
        return [
            id_
            for id_ in ids
            if (known := self._matches.get(id_)) is None or known.may_be_in_play(now)
        ]

    def unknown(self, ids: Iterable[int], now: datetime) -> list[int]:
        """Matches of which not even the kickoff is known, unless requested in vain just before."""
        return [
            id_
            for id_ in ids
            if id_ not in self._matches
            and not (
                (requested := self._found_nothing.get(id_))
                and now - requested < UNKNOWN_AGAIN_AFTER
            )
        ]

    def days_of_unknown(self, now: datetime) -> list[date]:
        """The days that the free plan answers for, the likeliest first."""
        today = now.date()
        days = (today, today + timedelta(days=1), today - timedelta(days=1))
        return [day for day in days if self._day_is_due(day, now)]

    def next_look(self, ids: Iterable[int], now: datetime) -> int | None:
        """The match to request alone: the one that waits longest."""
        waiting = [
            (known.looked_at or known.kickoff - FORGET_AFTER, id_)
            for id_ in ids
            if (known := self._matches.get(id_)) is not None and known.needs_look(now)
        ]
        return min(waiting)[1] if waiting else None

    def next_day(self, ids: Iterable[int], now: datetime) -> date | None:
        """The day to request whole."""
        days = {
            known.kickoff.date()
            for id_ in ids
            if (known := self._matches.get(id_)) is not None and known.needs_day(now)
        }
        return next((day for day in sorted(days) if self._day_is_due(day, now)), None)

    def _day_is_due(self, day: date, now: datetime) -> bool:
        requested = self._days_requested.get(day)
        return requested is None or now - requested >= DAY_AGAIN_AFTER


def only_live_is_affordable(quota: Quota | None) -> bool:
    if quota is None or quota.day_limit is None or quota.day_remaining is None:
        return False
    return quota.day_remaining < quota.day_limit * LIVE_SHARE


@lru_cache(maxsize=16)
def shared_plan(url: str, key: str | None) -> PlanMemory:
    """One for each key in this process, where clients come and go with each sensor tick."""
    return PlanMemory()
