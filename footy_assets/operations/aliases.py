"""S3: the words for a team at search time, and finding them out before it is needed."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from threading import Lock

from footy_assets.clock import Clock
from footy_assets.discovery.team_facts import (
    AliasPicker,
    Encyclopedia,
    TeamAnswer,
    TeamDirectory,
    TeamProfile,
)
from footy_assets.discovery.team_names import name_words
from footy_assets.logs import Stage, StageLog
from footy_assets.matchday.feed import Unreadable
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.sighting import Side
from footy_assets.operations.alias_resolution import InTime, Resolution, resolve
from footy_assets.store.journal import Journal
from footy_assets.store.team_aliases import Provenance, TeamAliasStore, TeamWords

# S3: how long words serve. A fallback is tried again soon, but not by every search of a match.
GOOD_FOR = {
    Provenance.WIKIDATA: timedelta(days=30),
    Provenance.NAME: timedelta(days=1),
    Provenance.FALLBACK: timedelta(hours=1),
}
# Wikimedia asks for one request after the other; two keep an ingest short.
TEAMS_AT_ONCE = 2
# After so many teams in a row that Wikidata said nothing of, an ingest asks no more.
SILENCES = 3
TEAMS_PER_BATCH = 20
INGEST_WITHIN = 60.0
ONE_TEAM_WITHIN = 20.0


@dataclass(slots=True)
class AliasReport:
    """What finding out ahead of time did, and left undone."""

    teams: int = 0
    cached: int = 0
    # Requests to the provider.
    calls: int = 0
    found: Counter[Provenance] = field(default_factory=Counter)
    left: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class Patience:
    """Until when, and how many silences in a row, Wikidata is waited for; threads share it."""

    def __init__(self, monotonic: Callable[[], float], ends_at: float) -> None:
        self.ends_at = ends_at
        self._monotonic = monotonic
        self._silences = 0
        self._lock = Lock()

    def heard(self, answered: bool) -> None:
        with self._lock:
            self._silences = 0 if answered else self._silences + 1

    def left(self) -> float:
        return max(0.0, self.ends_at - self._monotonic())

    def over(self) -> bool:
        with self._lock:
            return self._silences >= SILENCES or self.left() <= 0


class TeamAliases:
    """`teams` and `encyclopedia` are asked on a miss only."""

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
        """S3: at search time. A hit asks nobody; on a miss the words are found out now."""
        known = self.store.get(team.id)
        if known is not None and known.fresh(self._clock.now()):
            return known.words
        answer = self._teams.teams([team.id], ONE_TEAM_WITHIN)
        return self._find_out(team, answer, known)[0].words

    def words_for(
        self, teams: Iterable[Side], within: float = ONE_TEAM_WITHIN
    ) -> dict[int, tuple[str, ...]]:
        """S3: `aliases_for` many teams at once; whoever is down holds up a sweep but once."""
        wanted = {team.id: team for team in teams}
        self.precache(wanted.values(), within)
        known = self.store.known(wanted)
        return {
            id_: known[id_].words if id_ in known else name_words(team.name)
            for id_, team in wanted.items()
        }

    def precache(self, teams: Iterable[Side], within: float = INGEST_WITHIN) -> AliasReport:
        """S3: at ingest, so that match time is a cache hit. Never fails; ends about in time.

        What could not be found out is told; teams left over are found out when searched for.
        """
        wanted = list({team.id: team for team in teams}.values())
        report = AliasReport(len(wanted))
        known = self.store.known([team.id for team in wanted])
        now = self._clock.now()
        missing = [t for t in wanted if t.id not in known or not known[t.id].fresh(now)]
        report.cached = len(wanted) - len(missing)
        patience = Patience(self._monotonic, self._monotonic() + within)
        with ThreadPoolExecutor(TEAMS_AT_ONCE) as pool:
            for first in range(0, len(missing), TEAMS_PER_BATCH):
                batch = missing[first : first + TEAMS_PER_BATCH]
                answer = TeamAnswer()
                if not patience.over():
                    ids = [team.id for team in batch]
                    answer = self._teams.teams(ids, patience.left() / 2)
                report.calls += answer.calls
                ahead = partial(self._find_out_ahead, answer, known, patience)
                for team, found in zip(batch, pool.map(ahead, batch), strict=True):
                    _tell(report, team, found)
        return report

    def _find_out_ahead(
        self, answer: TeamAnswer, known: Mapping[int, TeamWords], patience: Patience, team: Side
    ) -> TeamWords | None:
        if patience.over():
            return None
        found, answered = self._find_out(team, answer, known.get(team.id), patience.ends_at)
        patience.heard(answered)
        return found

    def _find_out(
        self,
        team: Side,
        answer: TeamAnswer,
        known: TeamWords | None,
        ends_at: float = math.inf,
    ) -> tuple[TeamWords, bool]:
        """The words that serve from now on, and whether Wikidata answered."""
        give_up_at = min(ends_at, self._monotonic() + ONE_TEAM_WITHIN)
        resolution = resolve(
            answer.profiles.get(team.id) or TeamProfile(team.id, team.name),
            InTime(self._encyclopedia, lambda: self._monotonic() >= give_up_at),
            self._picker,
            answer.failures.get(team.id),
        )
        found = self._as_words(team, resolution)
        StageLog(Stage.ALIASES, ids={"team_id": team.id}).info(
            "found_out", words=found.words, provenance=str(found.provenance), team=team.name
        )
        self._note(team, resolution.problems)
        if known and known.better_than(found):
            # The resolver is down: what was found out before goes on to serve.
            self.store.serve_until(known, found.expires_at, found.problems)
            return replace(known, problems=found.problems), resolution.answered
        kept = self.store.put(found)
        return (found if kept else self.store.get(team.id) or found), resolution.answered

    def _as_words(self, team: Side, resolution: Resolution) -> TeamWords:
        now = self._clock.now()
        return TeamWords(
            team_id=team.id,
            name=team.name,
            words=tuple(alias.word for alias in resolution.words),
            provenance=resolution.provenance,
            resolved_at=now,
            expires_at=now + GOOD_FOR[resolution.provenance],
            facts=resolution.facts,
            problems=tuple(resolution.problems),
        )

    def _note(self, team: Side, problems: Sequence[str]) -> None:
        if self._journal is not None and problems:
            subject = f"aliases of team {team.id}"
            told = [Unreadable(subject, problem) for problem in problems]
            self._journal.note_unreadable(told, self._clock.now())


def sides(fixtures: Iterable[Fixture]) -> list[Side]:
    """Both teams of each match, those that play soonest first."""
    ordered = sorted(fixtures, key=lambda fixture: (fixture.kickoff, fixture.id))
    return list({s.id: s for f in ordered for s in (f.home, f.away)}.values())


def _tell(report: AliasReport, team: Side, found: TeamWords | None) -> None:
    if found is None:
        report.left.append(team.id)
        report.warnings.append(f"aliases of {team.name} ({team.id}): left for match time")
        return
    report.found[found.provenance] += 1
    report.warnings += [f"aliases of {team.name} ({team.id}): {p}" for p in found.problems]
