"""Sourcing a past season: work on it until nothing is due (Y4–Y7, Y10)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from footy_assets.clock import Clock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderKnowsNone,
    ProviderQuotaExhausted,
    ProviderRateLimited,
    ProviderRefused,
)
from footy_assets.history.content import played_for_two
from footy_assets.history.documents import (
    Role,
    SourcedDocument,
    Tally,
    by_tier,
    content_hash,
    writes,
)
from footy_assets.history.documents import tally as tally_of
from footy_assets.history.feed import HistoryFeed, Page
from footy_assets.history.key import LeagueSeason
from footy_assets.history.plan import MOST_PAGES, Known, Plan, flagged, pages_settled, plan
from footy_assets.history.process import read
from footy_assets.history.quota import (
    allowed_now,
    as_of,
    next_day,
    next_minute,
    per_minute,
    resume_at,
)
from footy_assets.history.rules import HistoryRules, wait_after
from footy_assets.history.saga import receive_all, signals_of, take_stock
from footy_assets.history.tiers import TIERS, SagaState, Tier, started
from footy_assets.logs import Stage, StageLog
from footy_assets.operations.history_start import SAVE_TRIES, lease_name
from footy_assets.store.history import HistoryStore
from footy_assets.store.history_documents import SeasonRecord
from footy_assets.store.leases import Lease, Leases
from footy_assets.store.turns import SharedTurns

LEASE_SECONDS = 45.0
# Whoever waits wakes up so often within a lease, to renew it and to hear who stops us.
NAPS_A_LEASE = 45
ANSWER_WITHIN = 20.0
TURNS = "api_football_history"
ANY_NUMBER = 10**6
# The provider did answer, if not what was hoped for.
ANSWERED = (ProviderAnswerInvalid, ProviderKnowsNone)


class Ended(StrEnum):
    COMPLETED = "completed"
    # Nothing is due within the time that the caller would wait.
    WAITING = "waiting"
    # Nothing will be due by itself: these tiers are done, or what they miss was parked.
    NOTHING_DUE = "nothing due"
    STOPPED = "stopped"


@dataclass(slots=True)
class WorkReport:
    ended: Ended = Ended.WAITING
    calls: int = 0
    processed: int = 0
    failed: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    # When the provider last told what is left of the quota.
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HistoryWork:
    """One worker at a time for a season, across processes; any number of seasons."""

    store: HistoryStore
    feed: HistoryFeed
    clock: Clock
    rules: HistoryRules
    leases: Leases
    turns: SharedTurns
    log: StageLog = field(default_factory=lambda: StageLog(Stage.HISTORY))
    lease_seconds: float = LEASE_SECONDS

    def run(
        self,
        key: LeagueSeason,
        *,
        tiers: Collection[Tier] = TIERS,
        patience: float = 0.0,
        stopped: Callable[[], bool] = lambda: False,
        told: Callable[[SeasonRecord], None] = lambda record: None,
    ) -> WorkReport:
        """Fetch what is due until all is done, or nothing is due for `patience` seconds.

        Raises `Busy` while another process works on this season.
        """
        report = WorkReport()
        calls_before = self.feed.calls
        with self.leases.hold(lease_name(key), seconds=self.lease_seconds) as lease:
            report.ended = self._work(key, tiers, patience, stopped, told, lease, report)
        report.calls = self.feed.calls - calls_before
        return report

    def _work(
        self,
        key: LeagueSeason,
        tiers: Collection[Tier],
        patience: float,
        stopped: Callable[[], bool],
        told: Callable[[SeasonRecord], None],
        lease: Lease,
        report: WorkReport,
    ) -> Ended:
        while not stopped() and lease.renew():
            record = self.take_stock(key)
            told(record)
            if record.saga.state is SagaState.COMPLETED:
                return Ended.COMPLETED
            wanted = [tier for tier in started(record.saga.state) if tier in tiers]
            now = self.clock.now()
            due = self.store.due(key, now, wanted, self.rules.at_once)
            if due:
                allowed, free = self._room(now, len(due), report)
                if allowed:
                    self._source(key, due[:allowed], report)
                    continue
                self.store.wait_until(key, free)
            else:
                next_due = self.store.next_due(key, wanted)
                if next_due is None:
                    return Ended.NOTHING_DUE
                free = next_due
            if (free - now).total_seconds() > patience:
                return Ended.WAITING
            self._nap(free, stopped, lease)
        told(self.take_stock(key))
        return Ended.STOPPED

    def _nap(self, until: datetime, stopped: Callable[[], bool], lease: Lease) -> None:
        while (left := (until - self.clock.now()).total_seconds()) > 0 and not stopped():
            self.clock.sleep(min(left, lease.seconds / NAPS_A_LEASE * self.clock.speed))
            lease.renew()

    # -- the saga -------------------------------------------------------------------------

    def take_stock(self, key: LeagueSeason) -> SeasonRecord:
        """Y7: plans, flags and state follow from the documents, whatever happened in between."""
        for _ in range(SAVE_TRIES):
            record = self.store.season(key)
            assert record is not None
            found = self._reckoned(record)
            if found == record:
                return record
            if self.store.save(record, found):
                for entered in found.saga.entered[len(record.saga.entered) :]:
                    self.log.of(season=str(key)).info(
                        "saga_advanced", state=str(entered.state), because=entered.because
                    )
                return replace(found, revision=record.revision + 1)
        raise RuntimeError(f"{key} is being written by others all the time")

    def _reckoned(self, record: SeasonRecord) -> SeasonRecord:
        """Planning a tier may start the next one (an empty tier): until nothing moves."""
        key, saga = record.key, record.saga
        while True:
            documents = self.store.documents(key)
            tallies = self._plan(key, documents, started(saga.state))
            planned = self.store.documents(key)
            moved = receive_all(saga, signals_of(key, planned), self.rules)
            moved = take_stock(moved, tallies, self.clock.now())
            if moved.state is saga.state and writes(planned) == writes(documents):
                # A record keeps no signals.
                saga = replace(moved, signals=frozenset())
                return replace(record, saga=saga, tallies=tallies, reckoned=writes(documents))
            saga = moved

    def _plan(
        self, key: LeagueSeason, documents: Sequence[SourcedDocument], tiers: Sequence[Tier]
    ) -> dict[Tier, Tally]:
        sourced = by_tier(documents)
        known = self._known(key, sourced[Tier.PLAYER_SEASON], documents)
        tallies: dict[Tier, Tally] = {}
        for tier in tiers:
            planned = plan(tier, key, known)
            there = {d.wanted.url_hash: d for d in sourced[tier]}
            missing = [one for one in planned.wanted if one.url_hash not in there]
            self.store.add(key, missing, self.clock.now())
            self._follow(key, planned, there)
            hashes = flagged(planned.wanted, self.rules) if planned.listed else set()
            if hashes != {url_hash for url_hash, d in there.items() if d.notify}:
                self.store.flag(key, tier, hashes)
            tallies[tier] = tally_of(
                [*sourced[tier], *(SourcedDocument(one) for one in missing)], planned.closed
            )
        return tallies

    def _follow(
        self, key: LeagueSeason, planned: Plan, there: Mapping[str, SourcedDocument]
    ) -> None:
        """Y6: what is planned no longer neither counts nor has rows; planned again, it is due."""
        wanted = {one.url_hash for one in planned.wanted}
        if back := [one for url, one in there.items() if one.left_out and url in wanted]:
            self.store.plan_again(key, back, self.clock.now())
        gone = [one for url, one in there.items() if not one.left_out and url not in wanted]
        # Until a plan is closed, it may yet come to them.
        if planned.closed and gone:
            self.store.leave_out(key, gone)

    def _known(
        self,
        key: LeagueSeason,
        players: Sequence[SourcedDocument],
        documents: Sequence[SourcedDocument],
    ) -> Known:
        teams = self.store.listed_teams(key)
        listed = {d.wanted.path for d in documents if d.wanted.role is Role.LISTING and d.processed}
        known = Known(teams, players, None, listed)
        pages = plan(Tier.PLAYER_SEASON, key, known)
        if players and pages.listed and pages_settled(players, pages.wanted):
            rows = self.store.rows(key, "/players")
            known = replace(known, in_two_teams=played_for_two(rows).keys())
        return known

    # -- requests -------------------------------------------------------------------------

    def _room(self, now: datetime, wanted: int, report: WorkReport) -> tuple[int, datetime]:
        """Y10: how many requests may go out now, and when to look again if none may.

        Turns are shared by all processes; what the provider tells counts the live pipeline in.
        """
        quota = as_of(self.feed.quota, report.asked_at, now)
        room = min(wanted, allowed_now(quota, now))
        if room <= 0:
            return 0, resume_at(quota, now)
        # The first request of all asks for the limits: only a closed door stops it.
        most = per_minute(quota) if report.asked_at is not None else ANY_NUMBER
        for granted in range(room):
            free = self.turns.take(TURNS, now, most, timedelta(minutes=1))
            if free is not None:
                return granted, max(free, now + timedelta(seconds=1))
        return room, now

    def _source(
        self, key: LeagueSeason, documents: Sequence[SourcedDocument], report: WorkReport
    ) -> None:
        answers = self.feed.pages([d.wanted for d in documents], ANSWER_WITHIN)
        report.asked_at = self.clock.now()
        refused: ProviderRefused | None = None
        for document, answer in zip(documents, answers, strict=True):
            if isinstance(answer, ProviderRefused):
                refused = answer
            elif isinstance(answer, ProviderRateLimited | ProviderQuotaExhausted):
                # No fault of the document: it stays due, and loses no try.
                self._close(key, answer)
            else:
                self._settle(key, document, answer, report)
        if refused is not None:
            raise refused

    def _close(self, key: LeagueSeason, error: ProviderError) -> None:
        now = self.clock.now()
        whole_day = isinstance(error, ProviderQuotaExhausted)
        self.turns.close_until(TURNS, next_day(now) if whole_day else next_minute(now))
        self.log.of(season=str(key)).warning("provider_refuses", reason=str(error))

    def _settle(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        answer: Page | ProviderError,
        report: WorkReport,
    ) -> None:
        """Y3: what was processed may signal; a failure never does."""
        log = self.log.of(season=str(key), tier=str(document.wanted.tier), url=document.wanted.url)
        try:
            if isinstance(answer, ProviderError):
                raise answer
            if answer.pages > MOST_PAGES:
                raise ProviderAnswerInvalid(f"{answer.pages} pages are more than there can be")
            rows = read(document.wanted, key, answer.response)
            digest, now = content_hash(answer.response), self.clock.now()
            outcome = self.store.processed(key, document, rows, digest, answer.pages, now)
        except ProviderError as error:
            self._fail(key, document, error, log, report)
            return
        if outcome is not None:
            report.processed += 1
            report.outcomes[outcome] = report.outcomes.get(outcome, 0) + 1
            log.info("document_processed", outcome=outcome, rows=len(rows))

    def _fail(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        error: ProviderError,
        log: StageLog,
        report: WorkReport,
    ) -> None:
        wait = wait_after(document.failures + 1, believed=isinstance(error, ProviderKnowsNone))
        due_at = None if wait is None else self.clock.now() + timedelta(seconds=wait)
        kind = "answer" if isinstance(error, ANSWERED) else "provider"
        if self.store.failed(key, document, f"{kind}: {error}", due_at):
            report.failed += 1
            log.warning("document_failed", reason=str(error), parked=wait is None)
