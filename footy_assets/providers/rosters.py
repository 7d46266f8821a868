"""Fetches line-ups and squads that are due, a few at a time, and names scorers by them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footy_assets.clock import Clock
from footy_assets.errors import ProviderAnswerInvalid, ProviderError, ProviderKnowsNone
from footy_assets.matchday.rules.feed import Failure, Unreadable
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.line_up import NEVER_FETCHED, LineUp, are_complete
from footy_assets.matchday.rules.scorers import lacks_players, name_scorers, scorer_team
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.providers.rules.rosters import (
    SQUAD_KEPT_IF_UNNAMED,
    DueRoster,
    RosterFeed,
    RosterKind,
    RosterTimes,
    concerned,
    is_squad_fresh,
    rosters_due,
)

MAX_REQUESTS = 4
# Seconds for one request, and for all of a call. A provider that does not answer gets one request.
REQUEST_WITHIN = 5.0
ALL_WITHIN = 8.0
# What is left of a call's seconds must be this much for another request.
SHORTEST_REQUEST = 0.5

# The snapshots for triggers of a match's line-ups; those of a line-up always have the same ids.
DescribeLineUps = Callable[[Fixture, Sequence[LineUp]], Sequence[Mapping[str, Any]]]


def no_line_up_snapshots(
    fixture: Fixture, line_ups: Sequence[LineUp]
) -> Sequence[Mapping[str, Any]]:
    return ()


@dataclass(slots=True)
class RosterReport:
    """`line_ups` are the fixtures whose line-ups are complete now, `squads` the teams fetched."""

    requests: int = 0
    line_ups: list[int] = field(default_factory=list)
    squads: list[int] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def refresh_rosters(
    store: MatchdayStore,
    fixtures: Sequence[Fixture],
    feed: RosterFeed,
    clock: Clock,
    *,
    max_requests: int = MAX_REQUESTS,
    within: float = ALL_WITHIN,
    monotonic: Callable[[], float] = time.monotonic,
    squads_ahead: bool = True,
    describe: DescribeLineUps = no_line_up_snapshots,
) -> RosterReport:
    """L5: requests what is due for these matches, at most `max_requests` of it, for at most
    `within` seconds; the rest is due next time. A failure is recorded with what it concerns, and
    never raised."""
    now, report, ends = clock.now(), RosterReport(), monotonic() + min(within, ALL_WITHIN)
    rosters = RosterStore(store.database)
    played = {fixture.id: fixture for fixture in concerned(fixtures, now)}
    if not played or max_requests < 1:
        return report
    teams = {side.id for one in played.values() for side in (one.home, one.away)}
    times = RosterTimes(*rosters.last_fetches(list(played), teams))
    stale = any(
        not is_squad_fresh(times.squads.get(id_, NEVER_FETCHED), SQUAD_KEPT_IF_UNNAMED, now)
        for id_ in teams
    )
    unnamed = _teams_of_unnamed_goals(store, played) if stale else set()
    due = rosters_due(played.values(), times, unnamed, now, squads_ahead=squads_ahead)
    for position, one in enumerate(due[:max_requests]):
        left = ends - monotonic()
        if left < SHORTEST_REQUEST:
            break
        fetch = _Fetch(rosters, feed, min(left, REQUEST_WITHIN), clock, describe, report)
        try:
            if one.kind is RosterKind.LINE_UPS:
                fetch.line_ups(played[one.id])
            else:
                fetch.squad(one.id)
        except (ProviderAnswerInvalid, ProviderKnowsNone) as error:
            fetch.failed([one], error)
        except ProviderError as error:
            # It would not answer the others either: all that is due waits for its next turn.
            fetch.failed(due[position:], error)
            break
    store.journal.record_unreadable(report.unreadable, now)
    return report


def name_scorers_of(
    store: MatchdayStore, sightings: Mapping[int, FixtureSighting]
) -> dict[int, FixtureSighting]:
    """The sightings with the ids that rosters give; reads those of matches that need them."""
    lacking = {id_: one for id_, one in sightings.items() if lacks_players(one)}
    if not lacking:
        return dict(sightings)
    teams = {id_: (one.home.id, one.away.id) for id_, one in lacking.items()}
    rosters = RosterStore(store.database).rosters(teams)
    named = {id_: name_scorers(one, rosters[id_]) for id_, one in lacking.items()}
    return {**sightings, **named}


@dataclass(frozen=True, slots=True)
class _Fetch:
    rosters: RosterStore
    feed: RosterFeed
    within: float
    clock: Clock
    describe: DescribeLineUps
    report: RosterReport

    def line_ups(self, fixture: Fixture) -> None:
        self.report.requests += 1
        found = self.feed.line_ups(fixture.id, self.within)
        self.report.unreadable += found.unreadable
        teams = (fixture.home.id, fixture.away.id)
        line_ups = [one for one in found.line_ups if one.team_id in teams and one.players]
        complete = are_complete(line_ups, fixture)
        snapshots = self.describe(fixture, line_ups)
        self.rosters.save_line_ups(
            fixture.id, line_ups, self.clock.now(), complete=complete, snapshots=snapshots
        )
        if complete:
            self.report.line_ups.append(fixture.id)

    def squad(self, team_id: int) -> None:
        self.report.requests += 1
        found = self.feed.squad(team_id, self.within)
        self.report.unreadable += found.unreadable
        self.rosters.save_squad(team_id, found.players, self.clock.now())
        self.report.squads.append(team_id)

    def failed(self, due: Sequence[DueRoster], error: ProviderError) -> None:
        fixtures = [one.id for one in due if one.kind is RosterKind.LINE_UPS]
        teams = [one.id for one in due if one.kind is RosterKind.SQUAD]
        self.rosters.record_failure(fixtures, teams, str(error), self.clock.now())
        self.report.failures.append(Failure(due[0].subject, str(error)))


def _teams_of_unnamed_goals(store: MatchdayStore, played: Mapping[int, Fixture]) -> set[int]:
    return {
        scorer_team(goal.team_id, goal.detail, played[id_].home, played[id_].away)
        for id_, goals in store.goals_of(list(played)).items()
        for goal in goals
        if goal.live and goal.player.name and not goal.player.id
    }
