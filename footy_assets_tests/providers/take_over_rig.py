"""L2: two providers, one of which leads, on loopback and with a manual clock; either can fail.

As in the product, the collector and the health monitor run between the polls.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.rules.feed import Feed
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.collect import Collector
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.health import HealthMonitor
from footy_assets.providers.lead import LeadFeed
from footy_assets.providers.lead_rosters import LeadRosters
from footy_assets.providers.rosters import refresh_rosters
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    Descriptor,
    ProvidersFile,
    RequestLimits,
)
from footy_assets.providers.rules.leadership import NEVER_CHANGED
from footy_assets.providers.rules.rosters import RosterFeed
from footy_assets.providers.rules.task import TASK_SECONDS
from footy_assets.providers.store.leaderships import Leaderships
from footy_assets.providers.store.our_ids import FIRST_OF_OURS, Kind, OurIds
from footy_assets.sim import (
    LEAGUES,
    Club,
    ExpectedGoal,
    Line,
    MatchScript,
    Minute,
    World,
    clubs_of,
    lines,
    timetables,
)
from footy_assets.sim.espn_words import sim_id
from footy_assets.sim.lens import Lens
from footy_assets.sim.lens_server import LensServer
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.policies import polling_policy
from footy_assets_tests.providers.harness import no_sleep
from resources.api_football.adapter import ApiFootballAdapter
from resources.api_football.client import ApiFootball
from resources.api_football.rosters import ApiFootballRosters
from resources.espn.client import Espn

ESPN = "espn"
LEADS = (API_FOOTBALL, ESPN)
LEAGUE, SLUG = 39, "eng.1"
KICKOFF = datetime(2025, 5, 10, 14, tzinfo=UTC)
LONG_AGO = KICKOFF - timedelta(days=1)
STEP_SECONDS, POLL_SECONDS = 15, 30
FIRST_ID = 9_261_001
# Minutes of goals: before the fault, right after it began, while the other leads, and later.
EARLY, BEFORE, AT_ONCE, MEANWHILE, BRACE, CANCELLED, SIXTH, LATE = 8, 18, 21, 27, 29, 31, 36, 41
FAULT_AT = 20
CANCELLED_WITHIN = timedelta(minutes=2)
# Of goals that VAR cancels; one provider may list them a minute later.
TAKEN_BACK = (BEFORE, BEFORE + 1, CANCELLED, CANCELLED + 1)


@dataclass(frozen=True, slots=True, order=True)
class PlayedGoal:
    """A goal in the numbers of the simulated world."""

    match: int
    team: int
    minute: int
    scorer: int | None


def world_of_goals() -> World:
    """Two matches. In the first VAR cancels a goal that falls while the lead is down, in the second
    one that was stable before."""
    clubs = clubs_of(LEAGUE)
    scripts = (_script(number, *clubs[2 * number : 2 * number + 2]) for number in range(2))
    return World.from_scripts(scripts, KICKOFF.date())


def _script(number: int, home: Club, away: Club) -> MatchScript:
    timetable = timetables.league_match(KICKOFF)

    def goal(minute: int, club: Club, striker: int = 0, extra: int | None = None) -> Line:
        return lines.goal(timetable, Minute(minute, extra), club, club.strikers[striker])

    goals = [goal(EARLY, home), goal(AT_ONCE, away), goal(SIXTH, home, 1), goal(LATE, away, 1)]
    goals.append(goal(90, home, 1, extra=6))
    if number == 0:
        goals += [goal(MEANWHILE, home), goal(BRACE, home)]
        cancelled = lines.disallowed(goal(CANCELLED, away, 2))
    else:
        cancelled = lines.disallowed(goal(BEFORE, away, 2), after=timedelta(minutes=8))
    id_, league = FIRST_ID + number, LEAGUES[LEAGUE]
    return MatchScript(id_, league, home, away, timetable, (*goals, *cancelled))


@dataclass
class TakeOverRig:
    lead: str
    store: MatchdayStore
    clock: ManualClock
    world: World
    main: LensServer
    others: OtherProviders
    feed: MergedFeed
    rosters: RosterFeed
    collector: Collector
    monitor: HealthMonitor
    ids: tuple[int, ...] = ()
    # Without them, goals that the other provider finds have its own numbers of scorers.
    with_rosters: bool = True
    # The stable goals of all polls so far, by key, with the identity they had first.
    stable: dict[str, str] = field(default_factory=dict)
    # Stable goals that a later poll lacked, though no VAR decision cancelled them.
    vanished: set[str] = field(default_factory=set)
    renamed: set[str] = field(default_factory=set)
    # The most goals of one side at one moment beyond those that were ever listed, and how many
    # polls had a goal that VAR had cancelled more than two minutes before.
    doubled: int = 0
    polls_with_cancelled: int = 0
    _next_poll: datetime = LONG_AGO

    # -- the providers --------------------------------------------------------------------

    @property
    def other(self) -> str:
        return ESPN if self.lead == API_FOOTBALL else API_FOOTBALL

    def lens(self, provider: str) -> Lens:
        return self.main.lens if provider == API_FOOTBALL else self.others.espn.lens

    def break_down(self, provider: str) -> None:
        if provider == API_FOOTBALL:
            self.main.faults.fail(status=503, times=None)
        else:
            self.others.espn.broken = "down"

    def mend(self, provider: str) -> None:
        if provider == API_FOOTBALL:
            self.main.faults.clear()
        else:
            self.others.espn.broken = None
        lens = self.lens(provider)
        lens.frozen_at, lens.offset = None, timedelta(0)

    # -- time -----------------------------------------------------------------------------

    def jump_to(self, minute: float) -> None:
        """Minutes after kickoff, with the break; nothing happens meanwhile."""
        self.clock.at = KICKOFF + timedelta(minutes=minute)

    def run_until(self, minute: float) -> None:
        until = KICKOFF + timedelta(minutes=minute)
        while self.clock.now() < until:
            self.step()

    def run_until_polled(self, minute: float) -> None:
        """Until the first poll from then on has ended."""
        self.run_until(minute)
        self._next_poll = self.clock.now()
        self.step()

    def step(self) -> None:
        self.clock.advance(STEP_SECONDS)
        self.collector.round()
        self.monitor.evaluate_if_due(self.clock.now())
        if self.clock.now() >= self._next_poll:
            self._next_poll = self.clock.now() + timedelta(seconds=POLL_SECONDS)
            self._poll()

    def _poll(self) -> None:
        run_cycle(self.store, self.feed, self.clock, polling_policy())
        self.feed.record_poll()
        if self.with_rosters:
            refresh_rosters(self.store, self.store.unfinished(), self.rosters, self.clock)
        self._compare()

    def _compare(self) -> None:
        live = {goal.key: goal for goal in self.live_goals()}
        self.vanished |= self.stable.keys() - live.keys()
        for key, goal in live.items():
            if goal.stable and goal.minute.elapsed not in TAKEN_BACK:
                first = self.stable.setdefault(key, goal.event_id)
                self.renamed |= {key} if first != goal.event_id else set()
        listed = Counter((one.match, one.team) for one in self.listed())
        found = Counter((one.match, one.team) for one in self.found())
        self.doubled = max(self.doubled, *(found - listed).values(), 0)
        counted = Counter((one.match, one.team) for one in self.played(CANCELLED_WITHIN))
        self.polls_with_cancelled += any((found - counted).values())

    def seconds_until_leader(self, name: str, within: float = 600) -> float | None:
        """Runs on until this provider leads all matches."""
        began = self.clock.now()
        while (waited := (self.clock.now() - began).total_seconds()) < within:
            if set(self.leaders().values()) == {name}:
                return waited
            self.step()
        return None

    # -- results --------------------------------------------------------------------------

    def leaders(self) -> dict[int, str]:
        found = Leaderships(self.store.database).of(self.ids)
        return {id_: found.get(id_, NEVER_CHANGED).leader(self.lead) for id_ in self.ids}

    def live_goals(self) -> list[GoalEvent]:
        found = self.store.goals_of(list(self.ids))
        return [goal for goals in found.values() for goal in goals if goal.live]

    def ended(self) -> bool:
        fixtures = self.store.fixtures_by_id(list(self.ids)).values()
        return all(one.state is FixtureState.COMPLETED for one in fixtures)

    def scores(self) -> list[tuple[int | None, int | None]]:
        fixtures = self.store.fixtures_by_id(list(self.ids))
        return [fixtures[id_].goals for id_ in self.ids]

    def found(self) -> list[PlayedGoal]:
        goals = self.live_goals()
        matches = self._worlds(Kind.MATCH, {goal.fixture_id for goal in goals})
        teams = self._worlds(Kind.TEAM, {goal.team_id for goal in goals})
        players = self._worlds(Kind.PLAYER, {g.player.id for g in goals if g.player.id})
        return sorted(
            PlayedGoal(
                matches[goal.fixture_id],
                teams[goal.team_id],
                goal.minute.elapsed,
                players.get(goal.player.id or 0),
            )
            for goal in goals
        )

    def played(self, since: timedelta = timedelta(0)) -> list[PlayedGoal]:
        """The goals that count in the world now, or did `since`."""
        now = self.clock.now() - since
        standing = [
            one for one in self.world.truth() if one.ending != "removed" or now < one.settled_at
        ]
        return self._listed(standing)

    def listed(self) -> list[PlayedGoal]:
        """With those that VAR has cancelled."""
        return self._listed(self.world.truth())

    def _listed(self, goals: Iterable[ExpectedGoal]) -> list[PlayedGoal]:
        return sorted(
            PlayedGoal(one.fixture_id, one.team_id, one.elapsed, one.player_id)
            for one in goals
            if one.shown_at <= self.clock.now()
        )

    def _worlds(self, kind: Kind, ours: set[int]) -> dict[int, int]:
        """The world's numbers of ours: API-Football's are the same, ESPN's have ours."""
        theirs = OurIds(self.store.database, ESPN).theirs(kind, ours)
        if kind is Kind.MATCH:
            own = {id_: id_ for id_ in ours if id_ < FIRST_OF_OURS}
            return own | {id_: sim_id(text) or 0 for id_, text in theirs.items()}
        return {
            one: one if one < FIRST_OF_OURS else sim_id(theirs[one]) or 0
            for one in ours
            if one < FIRST_OF_OURS or one in theirs
        }


def providers_file(lead: str) -> ProvidersFile:
    limits = RequestLimits(max_concurrent=4)
    return ProvidersFile(
        providers={
            name: Descriptor(
                adapter=name,
                lead=name == lead,
                precedence=100 if name == lead else 80,
                limits=limits,
            )
            for name in LEADS
        }
    )


@contextmanager
def take_over_rig(
    database: Database[Document], lead: str, world: World | None = None
) -> Iterator[TakeOverRig]:
    ensure_indexes(database)
    played = world or world_of_goals()
    clock, store, content = ManualClock(KICKOFF), MatchdayStore(database), providers_file(lead)
    clock.at = KICKOFF - timedelta(minutes=5)
    with ExitStack() as stack:
        main = stack.enter_context(LensServer(played, clock))
        others = stack.enter_context(OtherProviders(played, clock))
        api_football = stack.enter_context(ApiFootball(main.url, None, sleep=no_sleep))
        espn = Espn(others.url, [SLUG], clock=clock)
        adapters: dict[str, Adapter] = {ESPN: espn, API_FOOTBALL: ApiFootballAdapter(api_football)}
        del adapters[lead]
        raw: Feed = api_football
        rosters: RosterFeed = ApiFootballRosters(api_football)
        if lead == ESPN:
            raw = feed = LeadFeed(ESPN, espn, store, clock, content.aliases)
            rosters = LeadRosters(feed)
        Ingest(store, raw, clock, TrackingPolicy(teams="*")).day(KICKOFF.date())
        ids = tuple(sorted(fixture.id for fixture in store.fixtures_of(KICKOFF.date())))
        collector = Collector(
            *(store, adapters, clock, lambda: content),
            jitter=lambda: 0.0,
            wait_seconds=TASK_SECONDS,
        )
        stack.callback(collector.stop)
        yield TakeOverRig(
            lead,
            store,
            clock,
            played,
            main,
            others,
            MergedFeed(raw, store, clock, lambda: content),
            rosters,
            collector,
            HealthMonitor(database, lambda: content),
            ids,
        )
