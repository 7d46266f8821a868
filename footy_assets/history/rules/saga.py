"""Y4: the saga of a season. State and signals alone decide when a tier starts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from footy_assets.errors import BadInput
from footy_assets.history.rules.documents import (
    NO_TALLY,
    SourcedDocument,
    TierTally,
    signals_completion,
)
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.tiers import TIERS, WAITING, WAITS_FOR, SagaState, Tier, next_tier


class Cause(StrEnum):
    """Why a saga entered a state."""

    STARTED = "started"
    SIGNALLED = "signalled"
    EMPTY = "empty"
    COMPLETE = "complete"
    FORCED = "forced"
    REFRESHED = "refreshed"


@dataclass(frozen=True, slots=True)
class Signal:
    """Y3: a flagged document was processed."""

    correlation_id: str
    document_type: Tier
    source_url_hash: str
    completed_utc: datetime
    season: str


@dataclass(frozen=True, slots=True)
class StateEntry:
    """When a state was entered, and why; `by` is the operator who forced it."""

    state: SagaState
    at: datetime
    because: Cause
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Saga:
    key: LeagueSeason
    state: SagaState = SagaState.NOT_STARTED
    entered: tuple[StateEntry, ...] = ()
    # Includes early ones; one for each document.
    signals: frozenset[Signal] = frozenset()

    @property
    def since(self) -> datetime | None:
        return self.entered[-1].at if self.entered else None

    @property
    def waits_for(self) -> Tier | None:
        return WAITS_FOR.get(self.state)

    def signals_of(self, tier: Tier) -> list[Signal]:
        found = [signal for signal in self.signals if signal.document_type is tier]
        return sorted(found, key=lambda signal: (signal.completed_utc, signal.source_url_hash))


def begin(saga: Saga, now: datetime) -> Saga:
    """Y7: a second start changes nothing."""
    if saga.state is not SagaState.NOT_STARTED:
        return saga
    return _enter(saga, SagaState.WAITING_FOR_SEASON, now, Cause.STARTED)


def apply_signal(saga: Saga, signal: Signal, rules: HistoryRules) -> Saga:
    """Y4: starts the next tier at the threshold; duplicates count once, early ones are kept."""
    if signal.correlation_id != saga.key.correlation_id:
        return saga
    known = {(one.document_type, one.source_url_hash) for one in saga.signals}
    if (signal.document_type, signal.source_url_hash) not in known:
        saga = replace(saga, signals=saga.signals | {signal})
    return _advance_on_signals(saga, rules)


def apply_signals(saga: Saga, signals: Iterable[Signal], rules: HistoryRules) -> Saga:
    for signal in sorted(signals, key=lambda one: (one.completed_utc, one.source_url_hash)):
        saga = apply_signal(saga, signal, rules)
    return saga


def apply_tallies(saga: Saga, tallies: Mapping[Tier, TierTally], now: datetime) -> Saga:
    """Y2, Y6: an empty tier and a complete tier start the next one without a signal.

    The season is completed exactly while every tier is complete.
    """
    whole = all(tallies.get(one, NO_TALLY).complete for one in TIERS)
    if not whole:
        saga = reopen(saga, now)
    while (tier := saga.waits_for) is not None:
        tally = tallies.get(tier, NO_TALLY)
        following = next_tier(tier)
        if following is None:
            if whole:
                return _enter(saga, SagaState.COMPLETED, now, Cause.COMPLETE)
            return saga
        if not tally.complete:
            return saga
        saga = _enter(saga, WAITING[following], now, Cause.EMPTY if tally.empty else Cause.COMPLETE)
    return saga


def force(saga: Saga, now: datetime, by: str) -> Saga:
    """Y5: an operator starts the next tier. Completeness cannot be forced."""
    if saga.state is SagaState.NOT_STARTED:
        raise BadInput(f"{saga.key} has not been started", "Start it first")
    following = next_tier(saga.waits_for) if saga.waits_for else None
    if following is None:
        raise BadInput(
            f"{saga.key} has no further tier to start",
            "`footy history status` lists what is missing, `footy history retry` retries it",
        )
    return _enter(saga, WAITING[following], now, Cause.FORCED, by)


def reopen(saga: Saga, now: datetime) -> Saga:
    """Y10: a refreshed season is not complete until everything is fetched again."""
    if saga.state is not SagaState.COMPLETED:
        return saga
    return _enter(saga, SagaState.WAITING_FOR_PLAYER_SEASON, now, Cause.REFRESHED)


def signals_from(key: LeagueSeason, documents: Iterable[SourcedDocument]) -> list[Signal]:
    """Y3, Y7: signals follow from the documents: none can be lost, and no failure is one."""
    return [
        Signal(
            key.correlation_id,
            document.request.tier,
            document.request.url_hash,
            document.completed_utc,
            str(key),
        )
        for document in documents
        if signals_completion(document) and document.completed_utc is not None
    ]


def _advance_on_signals(saga: Saga, rules: HistoryRules) -> Saga:
    while (tier := saga.waits_for) is not None and (following := next_tier(tier)) is not None:
        signals = saga.signals_of(tier)
        if len(signals) < rules.threshold:
            break
        reached = signals[rules.threshold - 1].completed_utc
        at = max(reached, saga.since) if saga.since else reached
        saga = _enter(saga, WAITING[following], at, Cause.SIGNALLED)
    return saga


def _enter(
    saga: Saga, state: SagaState, at: datetime, because: Cause, by: str | None = None
) -> Saga:
    return replace(saga, state=state, entered=(*saga.entered, StateEntry(state, at, because, by)))
