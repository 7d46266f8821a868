"""SE3: the aliases of teams, cached; resolved at ingest, or at the latest by a search."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from threading import Lock

from footy_assets.clock import Clock
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.journal import Journal
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.alias_resolution import EncyclopediaWithDeadline, Resolution, resolve
from footy_assets.search.rules.team_facts import (
    AliasPicker,
    Encyclopedia,
    TeamAnswer,
    TeamDirectory,
    TeamProfile,
)
from footy_assets.search.store.team_aliases import AliasProvenance, ResolvedAliases, TeamAliasStore

# SE3: a fallback expires soon, but not before the next search of the match.
EXPIRES_AFTER = {
    AliasProvenance.WIKIDATA: timedelta(days=30),
    AliasProvenance.NAME: timedelta(days=1),
    AliasProvenance.FALLBACK: timedelta(hours=1),
}
# Wikimedia recommends serial requests; two at a time keep an ingest short.
TEAMS_AT_ONCE = 2
# An ingest stops querying Wikidata after this many teams in a row without an answer.
MAX_UNANSWERED = 3
TEAMS_PER_BATCH = 20
INGEST_SECONDS = 60.0
ONE_TEAM_SECONDS = 20.0


@dataclass(slots=True)
class AliasReport:
    """The result of resolving aliases ahead of time. `left` are the teams not resolved."""

    teams: int = 0
    cached: int = 0
    # Requests to the provider.
    calls: int = 0
    found: Counter[AliasProvenance] = field(default_factory=Counter)
    left: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class ResolutionBudget:
    """The deadline of an ingest, and how often in a row Wikidata may fail. Threads share it."""

    def __init__(self, monotonic: Callable[[], float], ends_at: float) -> None:
        self.ends_at = ends_at
        self._monotonic = monotonic
        self._unanswered = 0
        self._lock = Lock()

    def record_answer(self, answered: bool) -> None:
        with self._lock:
            self._unanswered = 0 if answered else self._unanswered + 1

    def seconds_left(self) -> float:
        return max(0.0, self.ends_at - self._monotonic())

    def is_exhausted(self) -> bool:
        with self._lock:
            return self._unanswered >= MAX_UNANSWERED or self.seconds_left() <= 0


class TeamAliases:
    """Queries `teams` and `encyclopedia` only if the store has no fresh aliases."""

    def __init__(
        self,
        store: TeamAliasStore,
        teams: TeamDirectory,
        encyclopedia: Encyclopedia,
        clock: Clock,
        picker: AliasPicker | None = None,
        journal: Journal | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._teams, self._encyclopedia, self._picker = teams, encyclopedia, picker
        self._clock, self._journal, self._monotonic = clock, journal, monotonic

    def aliases_for(self, team: Side) -> tuple[str, ...]:
        """SE3: at search time, from the store; if they are missing or expired, resolved now."""
        known = self.store.get(team.id)
        if known is not None and known.is_fresh(self._clock.now()):
            return known.words
        answer = self._teams.teams([team.id], ONE_TEAM_SECONDS)
        return self._resolve(team, answer, known)[0].words

    def precache(self, teams: Iterable[Side], within: float = INGEST_SECONDS) -> AliasReport:
        """SE3: resolve aliases at ingest, so that searches find them stored. Never fails.

        The report lists problems, and the teams that are left for match time.
        """
        wanted = list({team.id: team for team in teams}.values())
        report = AliasReport(len(wanted))
        known = self.store.known([team.id for team in wanted])
        now = self._clock.now()
        missing = [t for t in wanted if t.id not in known or not known[t.id].is_fresh(now)]
        report.cached = len(wanted) - len(missing)
        budget = ResolutionBudget(self._monotonic, self._monotonic() + within)
        with ThreadPoolExecutor(TEAMS_AT_ONCE) as pool:
            for first in range(0, len(missing), TEAMS_PER_BATCH):
                batch = missing[first : first + TEAMS_PER_BATCH]
                answer = TeamAnswer()
                if not budget.is_exhausted():
                    ids = [team.id for team in batch]
                    answer = self._teams.teams(ids, budget.seconds_left() / 2)
                report.calls += answer.calls
                ahead = partial(self._resolve_ahead, answer, known, budget)
                for team, found in zip(batch, pool.map(ahead, batch), strict=True):
                    _add_to_report(report, team, found)
        return report

    def _resolve_ahead(
        self,
        answer: TeamAnswer,
        known: Mapping[int, ResolvedAliases],
        budget: ResolutionBudget,
        team: Side,
    ) -> ResolvedAliases | None:
        if budget.is_exhausted():
            return None
        found, answered = self._resolve(team, answer, known.get(team.id), budget.ends_at)
        budget.record_answer(answered)
        return found

    def _resolve(
        self,
        team: Side,
        answer: TeamAnswer,
        known: ResolvedAliases | None,
        ends_at: float = math.inf,
    ) -> tuple[ResolvedAliases, bool]:
        """Resolve and store a team's aliases; whether Wikidata answered."""
        give_up_at = min(ends_at, self._monotonic() + ONE_TEAM_SECONDS)
        resolution = resolve(
            answer.profiles.get(team.id) or TeamProfile(team.id, team.name),
            EncyclopediaWithDeadline(self._encyclopedia, lambda: self._monotonic() >= give_up_at),
            self._picker,
            answer.failures.get(team.id),
        )
        found = self._to_aliases(team, resolution)
        StageLog(Stage.ALIASES, ids={"team_id": team.id}).info(
            "aliases_resolved", words=found.words, provenance=str(found.provenance), team=team.name
        )
        self._record_problems(team, resolution.problems)
        if known and known.is_better_than(found):
            # Better aliases than these are stored: keep using them for a while.
            self.store.extend(known, found.expires_at, found.problems)
            return replace(known, problems=found.problems), resolution.answered
        kept = self.store.put(found)
        return (found if kept else self.store.get(team.id) or found), resolution.answered

    def _to_aliases(self, team: Side, resolution: Resolution) -> ResolvedAliases:
        now = self._clock.now()
        return ResolvedAliases(
            team_id=team.id,
            name=team.name,
            words=tuple(alias.word for alias in resolution.words),
            provenance=resolution.provenance,
            resolved_at=now,
            expires_at=now + EXPIRES_AFTER[resolution.provenance],
            facts=resolution.facts,
            problems=tuple(resolution.problems),
        )

    def _record_problems(self, team: Side, problems: Sequence[str]) -> None:
        if self._journal is not None and problems:
            subject = f"aliases of team {team.id}"
            unreadable = [Unreadable(subject, problem) for problem in problems]
            self._journal.record_unreadable(unreadable, self._clock.now())


def sides(fixtures: Iterable[Fixture]) -> list[Side]:
    """Both teams of each match, in order of kickoff."""
    ordered = sorted(fixtures, key=lambda fixture: (fixture.kickoff, fixture.id))
    return list({s.id: s for f in ordered for s in (f.home, f.away)}.values())


def _add_to_report(report: AliasReport, team: Side, found: ResolvedAliases | None) -> None:
    if found is None:
        report.left.append(team.id)
        report.warnings.append(f"aliases of {team.name} ({team.id}): left for match time")
        return
    report.found[found.provenance] += 1
    report.warnings += [f"aliases of {team.name} ({team.id}): {p}" for p in found.problems]


def teams_of(store: MatchdayStore, day: date, now: datetime) -> list[Side]:
    """The teams of a day; for today, also those of every later match."""
    ahead = store.unfinished() if day == now.date() else []
    return sides([*store.fixtures_of(day), *ahead])
