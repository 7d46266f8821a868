"""Plans a season's documents and recomputes its state from them (Y6, Y7)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from footy_assets.clock import Clock
from footy_assets.history.rules.content import players_of_two_teams
from footy_assets.history.rules.documents import (
    Role,
    SourcedDocument,
    TierTally,
    by_tier,
    signals_completion,
    tally,
    write_count,
)
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.plan import (
    PlanInput,
    TierPlan,
    all_pages_settled,
    documents_in_order,
    flagged,
    plan,
)
from footy_assets.history.rules.saga import apply_signals, apply_tallies, signals_from
from footy_assets.history.rules.tiers import Tier, started
from footy_assets.history.start import SAVE_TRIES
from footy_assets.history.store.documents import SeasonRecord
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.logs import StageLog


@dataclass(frozen=True, slots=True)
class SeasonPlanner:
    store: HistoryStore
    clock: Clock
    rules: HistoryRules
    log: StageLog

    def recompute_state(self, key: LeagueSeason) -> SeasonRecord:
        """Y7: plan, flags, tallies and state follow from the documents alone."""
        for _ in range(SAVE_TRIES):
            record = self.store.season(key)
            assert record is not None
            recomputed = self._plan_until_stable(record)
            if recomputed == record:
                return record
            if self.store.save(record, recomputed):
                self._log_entered_states(record, recomputed)
                return replace(recomputed, revision=record.revision + 1)
        raise RuntimeError(f"{key} keeps being written by other processes")

    def _log_entered_states(self, before: SeasonRecord, after: SeasonRecord) -> None:
        log = self.log.bind(season=str(after.key))
        for entry in after.saga.entered[len(before.saga.entered) :]:
            log.info("saga_advanced", state=str(entry.state), because=str(entry.because))

    def _plan_until_stable(self, record: SeasonRecord) -> SeasonRecord:
        """Planning an empty tier starts the next tier, so this repeats until nothing changes."""
        key, saga = record.key, record.saga
        while True:
            documents = self.store.documents(key)
            tallies = self._plan_tiers(key, documents, started(saga.state))
            planned = self.store.documents(key)
            moved = apply_signals(saga, signals_from(key, planned), self.rules)
            moved = apply_tallies(moved, tallies, self.clock.now())
            writes = write_count(documents)
            if moved.state is saga.state and write_count(planned) == writes:
                # Signals are not stored in the record.
                saga = replace(moved, signals=frozenset())
                signals = Counter(d.request.tier for d in planned if signals_completion(d))
                counted = {tier: replace(t, signals=signals[tier]) for tier, t in tallies.items()}
                return replace(record, saga=saga, tallies=counted, counted_writes=writes)
            saga = moved

    def _plan_tiers(
        self, key: LeagueSeason, documents: Sequence[SourcedDocument], tiers: Sequence[Tier]
    ) -> dict[Tier, TierTally]:
        of_tier = by_tier(documents)
        known = self._plan_input(key, of_tier[Tier.PLAYER_SEASON], documents)
        tallies: dict[Tier, TierTally] = {}
        for tier in tiers:
            planned = plan(tier, key, known)
            existing = {d.request.url_hash: d for d in of_tier[tier]}
            missing = [one for one in planned.requests if one.url_hash not in existing]
            self.store.add(key, missing, self.clock.now())
            self._drop_and_restore(key, planned, existing)
            hashes = flagged(planned.requests, self.rules) if planned.listed else set()
            if hashes != {url_hash for url_hash, d in existing.items() if d.notify}:
                self.store.flag(key, tier, hashes)
                self._log_flags(key, tier, planned, hashes)
            added = [SourcedDocument(one) for one in missing]
            tallies[tier] = tally([*of_tier[tier], *added], planned.closed)
        return tallies

    def _log_flags(
        self, key: LeagueSeason, tier: Tier, planned: TierPlan, hashes: Collection[str]
    ) -> None:
        """Y13: which documents of a tier signal; positions begin at 1."""
        documents = documents_in_order(planned.requests)
        positions = [n for n, one in enumerate(documents, 1) if one.url_hash in hashes]
        self.log.bind(season=str(key), tier=str(tier)).info(
            "tier_flagged",
            total=len(documents),
            flagged=len(positions),
            first_flagged=min(positions, default=None),
        )

    def _drop_and_restore(
        self, key: LeagueSeason, planned: TierPlan, existing: Mapping[str, SourcedDocument]
    ) -> None:
        """Y6: a document outside the plan is left out; planned again, it is due again."""
        hashes = {one.url_hash for one in planned.requests}
        if back := [one for url, one in existing.items() if one.left_out and url in hashes]:
            self.store.restore(key, back, self.clock.now())
        gone = [one for url, one in existing.items() if not one.left_out and url not in hashes]
        # Until a plan is closed, it may still come to include them.
        if planned.closed and gone:
            self.store.leave_out(key, gone)

    def _plan_input(
        self,
        key: LeagueSeason,
        players: Sequence[SourcedDocument],
        documents: Sequence[SourcedDocument],
    ) -> PlanInput:
        teams = self.store.listed_teams(key)
        listings = {
            d.request.path for d in documents if d.request.role is Role.LISTING and d.processed
        }
        known = PlanInput(teams, players, None, listings)
        pages = plan(Tier.PLAYER_SEASON, key, known)
        if players and pages.listed and all_pages_settled(players, pages.requests):
            rows = self.store.rows(key, "/players")
            known = replace(known, players_of_two_teams=players_of_two_teams(rows).keys())
        return known
