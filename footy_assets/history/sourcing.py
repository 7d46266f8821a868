"""Fetches the documents of a past season until nothing is due (Y4–Y7, Y10)."""

from collections.abc import Callable, Collection, Sequence
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
from footy_assets.history.rules.documents import SourcedDocument, content_hash
from footy_assets.history.rules.feed import HistoryFeed, Page
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.ledger import Reservation, available
from footy_assets.history.rules.limits import HistoryRules, retry_wait
from footy_assets.history.rules.parse import parse_rows
from footy_assets.history.rules.plan import MOST_PAGES
from footy_assets.history.rules.quota import (
    next_day,
    next_minute,
    per_minute,
    resume_at,
)
from footy_assets.history.rules.tiers import TIERS, SagaState, Tier, started
from footy_assets.history.season_planner import SeasonPlanner
from footy_assets.history.start import lease_name
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.quota import SharedQuota
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import Stage, StageLog
from footy_assets.store.leases import Lease, Leases
from footy_assets.store.rate_limit import SharedRateLimit

LEASE_SECONDS = 45.0
# A waiting worker wakes this often per lease, to renew it and to notice a stop.
WAKES_PER_LEASE = 45
RESPONSE_SECONDS = 20.0
# A reservation that is not settled by then belongs to a dead process.
RESERVED_SECONDS = 3 * RESPONSE_SECONDS
RATE_LIMIT = "api_football_history"
ANY_NUMBER = 10**6
# The provider answers, but without usable content.
WITHOUT_CONTENT = (ProviderAnswerInvalid, ProviderKnowsNone)


class Ended(StrEnum):
    COMPLETED = "completed"
    # Nothing is due within the caller's patience.
    WAITING = "waiting"
    # Nothing becomes due by itself: these tiers are complete, or what they miss is parked.
    NOTHING_DUE = "nothing due"
    STOPPED = "stopped"


@dataclass(slots=True)
class WorkReport:
    ended: Ended = Ended.WAITING
    calls: int = 0
    processed: int = 0
    failed: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HistoryWork:
    """Works on one season; a lease keeps it to one worker across processes."""

    store: HistoryStore
    feed: HistoryFeed
    clock: Clock
    rules: HistoryRules
    leases: Leases
    rate_limit: SharedRateLimit
    quota: SharedQuota
    log: StageLog = field(default_factory=lambda: StageLog(Stage.HISTORY))
    lease_seconds: float = LEASE_SECONDS

    def run(
        self,
        key: LeagueSeason,
        *,
        tiers: Collection[Tier] = TIERS,
        patience: float = 0.0,
        stopped: Callable[[], bool] = lambda: False,
        on_progress: Callable[[SeasonRecord], None] = lambda record: None,
    ) -> WorkReport:
        """Fetch what is due until the season is complete, or nothing is due for `patience` seconds.

        Raises `Busy` while another process works on this season.
        """
        report = WorkReport()
        calls_before = self.feed.calls
        with self.leases.hold(lease_name(key), seconds=self.lease_seconds) as lease:
            report.ended = self._work(key, tiers, patience, stopped, on_progress, lease, report)
        report.calls = self.feed.calls - calls_before
        return report

    def _work(
        self,
        key: LeagueSeason,
        tiers: Collection[Tier],
        patience: float,
        stopped: Callable[[], bool],
        on_progress: Callable[[SeasonRecord], None],
        lease: Lease,
        report: WorkReport,
    ) -> Ended:
        while not stopped() and lease.renew():
            record = self.recompute_state(key)
            on_progress(record)
            if record.saga.state is SagaState.COMPLETED:
                return Ended.COMPLETED
            active = [tier for tier in started(record.saga.state) if tier in tiers]
            now = self.clock.now()
            due = self.store.due(key, now, active, self.rules.at_once)
            if due:
                reservation, free_at = self._reserve(now, len(due))
                if reservation is not None:
                    self._fetch(key, due[: reservation.requests], reservation, report)
                    continue
                self.store.wait_until(key, free_at)
            else:
                next_due = self.store.next_due(key, active)
                if next_due is None:
                    return Ended.NOTHING_DUE
                free_at = next_due
            if (free_at - now).total_seconds() > patience:
                return Ended.WAITING
            self._wait(free_at, stopped, lease)
        on_progress(self.recompute_state(key))
        return Ended.STOPPED

    def _wait(self, until: datetime, stopped: Callable[[], bool], lease: Lease) -> None:
        while (left := (until - self.clock.now()).total_seconds()) > 0 and not stopped():
            self.clock.sleep(min(left, lease.seconds / WAKES_PER_LEASE * self.clock.speed))
            lease.renew()

    def recompute_state(self, key: LeagueSeason) -> SeasonRecord:
        """Y7: plan, flags, tallies and state follow from the documents alone."""
        planner = SeasonPlanner(self.store, self.clock, self.rules, self.log)
        return planner.recompute_state(key)

    # -- requests -------------------------------------------------------------------------

    def _reserve(self, now: datetime, wanted: int) -> tuple[Reservation | None, datetime]:
        """Y10: reserves requests that may be sent now; with none, the time to try again.

        All processes share reservations and turns; the provider's figures include the requests of
        the live pipeline.
        """
        lasts = timedelta(seconds=RESERVED_SECONDS * self.clock.speed)
        ledger, reservation = self.quota.reserve(wanted, now, lasts)
        quota = available(ledger, now)
        if reservation is None:
            return None, resume_at(quota, now)
        # The very first request fetches the limits: only a closed turn stops it.
        most = per_minute(quota) if ledger.asked_at is not None else ANY_NUMBER
        for granted in range(reservation.requests):
            free = self.rate_limit.take(RATE_LIMIT, now, most, timedelta(minutes=1))
            if free is not None:
                self.quota.shrink(reservation, granted)
                kept = replace(reservation, requests=granted) if granted else None
                return kept, max(free, now + timedelta(seconds=1))
        return reservation, now

    def _fetch(
        self,
        key: LeagueSeason,
        documents: Sequence[SourcedDocument],
        reservation: Reservation,
        report: WorkReport,
    ) -> None:
        readings_before = self.feed.quota_readings
        responses = self.feed.pages([d.request for d in documents], RESPONSE_SECONDS)
        readings = self.feed.quota_readings - readings_before
        quota = self.feed.quota if readings else None
        silent = max(0, len(documents) - readings)
        self.quota.settle(reservation, quota, silent, self.clock.now())
        refused: ProviderRefused | None = None
        for document, response in zip(documents, responses, strict=True):
            if isinstance(response, ProviderRefused):
                refused = response
            elif isinstance(response, ProviderRateLimited | ProviderQuotaExhausted):
                # Not the document's fault: it stays due and keeps its tries.
                self._pause_requests(key, response)
            else:
                self._store(key, document, response, report)
        if refused is not None:
            raise refused

    def _pause_requests(self, key: LeagueSeason, error: ProviderError) -> None:
        now = self.clock.now()
        whole_day = isinstance(error, ProviderQuotaExhausted)
        self.rate_limit.close_until(RATE_LIMIT, next_day(now) if whole_day else next_minute(now))
        self.log.bind(season=str(key)).warning("provider_refuses", reason=str(error))

    def _store(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        response: Page | ProviderError,
        report: WorkReport,
    ) -> None:
        """Y3: a processed document may signal; a failed one never does."""
        log = self.log.bind(
            season=str(key), tier=str(document.request.tier), url=document.request.url
        )
        try:
            if isinstance(response, ProviderError):
                raise response
            if response.pages > MOST_PAGES:
                raise ProviderAnswerInvalid(f"{response.pages} pages are too many")
            rows = parse_rows(document.request, key, response.response)
            digest, now = content_hash(response.response), self.clock.now()
            outcome = self.store.mark_processed(key, document, rows, digest, response.pages, now)
        except ProviderError as error:
            self._fail(key, document, error, log, report)
            return
        if outcome is not None:
            report.processed += 1
            report.outcomes[outcome.value] = report.outcomes.get(outcome, 0) + 1
            log.info("document_processed", outcome=str(outcome), rows=len(rows))

    def _fail(
        self,
        key: LeagueSeason,
        document: SourcedDocument,
        error: ProviderError,
        log: StageLog,
        report: WorkReport,
    ) -> None:
        wait = retry_wait(document.failures + 1, is_final=isinstance(error, ProviderKnowsNone))
        due_at = None if wait is None else self.clock.now() + timedelta(seconds=wait)
        kind = "answer" if isinstance(error, WITHOUT_CONTENT) else "provider"
        if self.store.mark_failed(key, document, f"{kind}: {error}", due_at):
            report.failed += 1
            log.warning("document_failed", reason=str(error), parked=wait is None)
