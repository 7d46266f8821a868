"""Y4: state and signal in, state out. Nothing else decides when a tier begins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from footy_assets.errors import BadInput
from footy_assets.history.documents import NO_TALLY, Role, SourcedDocument, Tally
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules
from footy_assets.history.tiers import TIERS, WAITING, WAITS_FOR, SagaState, Tier, next_tier

STARTED, SIGNALLED, EMPTY, COMPLETE, FORCED, REFRESHED = (
    "started",
    "signalled",
    "empty",
    "complete",
    "forced",
    "refreshed",
)


@dataclass(frozen=True, slots=True)
class Signal:
    """Y3: a flagged document was processed."""

    correlation_id: str
    document_type: Tier
    source_url_hash: str
    completed_utc: datetime
    season: str


@dataclass(frozen=True, slots=True)
class Entered:
    """When a state began, and why; `by` is the person who forced it."""

    state: SagaState
    at: datetime
    because: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Saga:
    key: LeagueSeason
    state: SagaState = SagaState.NOT_STARTED
    entered: tuple[Entered, ...] = ()
    # Also those that came early; one for each document.
    signals: frozenset[Signal] = frozenset()

    @property
    def since(self) -> datetime | None:
        return self.entered[-1].at if self.entered else None

    @property
    def waits_for(self) -> Tier | None:
        return WAITS_FOR.get(self.state)

    def of(self, tier: Tier) -> list[Signal]:
        found = [signal for signal in self.signals if signal.document_type is tier]
        return sorted(found, key=lambda signal: (signal.completed_utc, signal.source_url_hash))


def begin(saga: Saga, now: datetime) -> Saga:
    """Y7: a second start changes nothing."""
    if saga.state is not SagaState.NOT_STARTED:
        return saga
    return _enter(saga, SagaState.WAITING_FOR_SEASON, now, STARTED)


def receive(saga: Saga, signal: Signal, rules: HistoryRules) -> Saga:
    """Y4: threshold reached, next tier; duplicates count once; early ones are kept."""
    if signal.correlation_id != saga.key.correlation_id:
        return saga
    known = {(one.document_type, one.source_url_hash) for one in saga.signals}
    if (signal.document_type, signal.source_url_hash) not in known:
        saga = replace(saga, signals=saga.signals | {signal})
    return _on(saga, rules)


def receive_all(saga: Saga, signals: Iterable[Signal], rules: HistoryRules) -> Saga:
    for signal in sorted(signals, key=lambda one: (one.completed_utc, one.source_url_hash)):
        saga = receive(saga, signal, rules)
    return saga


def take_stock(saga: Saga, tallies: Mapping[Tier, Tally], now: datetime) -> Saga:
    """Y2, Y6: an empty tier holds nobody up, nor does one that is done whatever it signalled.

    The season is completed when every tier is, and not before; it is no longer when one is not.
    """
    whole = all(tallies.get(one, NO_TALLY).complete for one in TIERS)
    if not whole:
        saga = reopen(saga, now)
    while (tier := saga.waits_for) is not None:
        mine = tallies.get(tier, NO_TALLY)
        following = next_tier(tier)
        if following is None:
            if whole:
                return _enter(saga, SagaState.COMPLETED, now, COMPLETE)
            return saga
        if not mine.complete:
            return saga
        saga = _enter(saga, WAITING[following], now, EMPTY if mine.empty else COMPLETE)
    return saga


def force(saga: Saga, now: datetime, by: str) -> Saga:
    """Y5: a person starts the next tier. Completeness cannot be forced."""
    if saga.state is SagaState.NOT_STARTED:
        raise BadInput(f"{saga.key} has not been started", "Start it first")
    following = next_tier(saga.waits_for) if saga.waits_for else None
    if following is None:
        raise BadInput(
            f"{saga.key} has no further tier to start",
            "`footy history status` lists what is missing, `footy history retry` asks for it again",
        )
    return _enter(saga, WAITING[following], now, FORCED, by)


def reopen(saga: Saga, now: datetime) -> Saga:
    """Y10: what is refreshed is not complete until it was looked at again."""
    if saga.state is not SagaState.COMPLETED:
        return saga
    return _enter(saga, SagaState.WAITING_FOR_PLAYER_SEASON, now, REFRESHED)


def signals_of(key: LeagueSeason, documents: Iterable[SourcedDocument]) -> list[Signal]:
    """Y3, Y7: signals are read off the documents, so none can be lost and no failure is one."""
    return [
        Signal(
            key.correlation_id,
            document.wanted.tier,
            document.wanted.url_hash,
            document.completed_utc,
            str(key),
        )
        for document in documents
        if document.notify
        and document.processed
        and document.completed_utc is not None
        and document.wanted.role is Role.DOCUMENT
    ]


def _on(saga: Saga, rules: HistoryRules) -> Saga:
    while (tier := saga.waits_for) is not None and (following := next_tier(tier)) is not None:
        signals = saga.of(tier)
        if len(signals) < rules.threshold:
            break
        reached = signals[rules.threshold - 1].completed_utc
        at = max(reached, saga.since) if saga.since else reached
        saga = _enter(saga, WAITING[following], at, SIGNALLED)
    return saga


def _enter(saga: Saga, state: SagaState, at: datetime, because: str, by: str | None = None) -> Saga:
    return replace(saga, state=state, entered=(*saga.entered, Entered(state, at, because, by)))
