"""Y3–Y6: the saga's state table, and any history of signals."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.errors import BadInput
from footy_assets.history.rules.documents import (
    DocumentRequest,
    DocumentState,
    Role,
    SourcedDocument,
    TierTally,
)
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.history.rules.saga import (
    Saga,
    Signal,
    apply_signal,
    apply_signals,
    apply_tallies,
    begin,
    force,
    reopen,
    signals_from,
)
from footy_assets.history.rules.tiers import TIERS, WAITING, SagaState, Tier, started

KEY = LeagueSeason(39, 2023)
RULES = HistoryRules()
NOON = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
DONE = TierTally(processed=3, total=3, planned=True)
ORDER = [
    SagaState.NOT_STARTED,
    SagaState.WAITING_FOR_SEASON,
    SagaState.WAITING_FOR_VENUE,
    SagaState.WAITING_FOR_TEAM_SEASON,
    SagaState.WAITING_FOR_PLAYER_SEASON,
    SagaState.COMPLETED,
]


def signal(tier: Tier, document: int = 0, seconds: int = 0) -> Signal:
    at = NOON + timedelta(seconds=seconds)
    return Signal(KEY.correlation_id, tier, f"{tier}-{document}", at, str(KEY))


def saga_in_state(state: SagaState) -> Saga:
    saga = Saga(KEY)
    if state is SagaState.NOT_STARTED:
        return saga
    saga = begin(saga, NOON)
    while saga.state is not state and saga.state is not SagaState.WAITING_FOR_PLAYER_SEASON:
        saga = force(saga, NOON, "a test")
    if state is SagaState.COMPLETED:
        saga = apply_tallies(saga, dict.fromkeys(TIERS, DONE), NOON)
    assert saga.state is state
    return saga


@pytest.mark.parametrize("state", ORDER)
@pytest.mark.parametrize("tier", TIERS)
def test_y4_only_the_awaited_signal_advances_the_saga(state: SagaState, tier: Tier) -> None:
    after = apply_signal(saga_in_state(state), signal(tier, seconds=5), RULES).state
    is_awaited = WAITING[tier] is state and tier is not Tier.PLAYER_SEASON
    assert after is (ORDER[ORDER.index(state) + 1] if is_awaited else state)


def test_y4_the_next_tier_starts_at_once_and_is_stamped_with_the_signals_time() -> None:
    saga = apply_signal(begin(Saga(KEY), NOON), signal(Tier.SEASON, seconds=7), RULES)
    assert saga.state is SagaState.WAITING_FOR_VENUE
    assert saga.since == NOON + timedelta(seconds=7)
    assert saga.entered[-1].because == "signalled"


def test_y4_duplicates_count_once() -> None:
    rules = HistoryRules(threshold=2)
    saga = begin(Saga(KEY), NOON)
    again = replace(signal(Tier.SEASON), completed_utc=NOON + timedelta(minutes=1))
    saga = apply_signals(saga, [signal(Tier.SEASON), signal(Tier.SEASON), again], rules)
    assert saga.state is SagaState.WAITING_FOR_SEASON
    assert apply_signal(saga, signal(Tier.SEASON, 1), rules).state is SagaState.WAITING_FOR_VENUE


def test_y4_early_signals_are_not_lost() -> None:
    saga = apply_signals(Saga(KEY), [signal(tier) for tier in reversed(TIERS)], RULES)
    assert saga.state is SagaState.NOT_STARTED
    saga = apply_signal(begin(saga, NOON), signal(Tier.SEASON), RULES)
    assert saga.state is SagaState.WAITING_FOR_PLAYER_SEASON


def test_y4_a_signal_of_another_season_is_ignored() -> None:
    saga = begin(Saga(KEY), NOON)
    other = replace(signal(Tier.SEASON), correlation_id=LeagueSeason(39, 2022).correlation_id)
    assert apply_signal(saga, other, RULES) == saga


def test_y2_an_empty_tier_starts_the_next_one() -> None:
    saga = saga_in_state(SagaState.WAITING_FOR_VENUE)
    tallies = {Tier.SEASON: DONE, Tier.VENUE: TierTally(planned=True)}
    saga = apply_tallies(saga, tallies, NOON)
    assert saga.state is SagaState.WAITING_FOR_TEAM_SEASON
    assert saga.entered[-1].because == "empty"


def test_y4_a_complete_tier_advances_with_fewer_flags_than_the_threshold() -> None:
    saga = apply_tallies(saga_in_state(SagaState.WAITING_FOR_VENUE), {Tier.VENUE: DONE}, NOON)
    assert saga.state is SagaState.WAITING_FOR_TEAM_SEASON


@pytest.mark.parametrize("missing", TIERS)
@pytest.mark.parametrize(
    "tally",
    [
        TierTally(processed=2, failed=1, total=3, planned=True),
        TierTally(processed=3, total=3, planned=False),
        TierTally(),
    ],
)
def test_y6_advanced_is_not_complete(missing: Tier, tally: TierTally) -> None:
    tallies = {tier: tally if tier is missing else DONE for tier in TIERS}
    saga = apply_signal(
        saga_in_state(SagaState.WAITING_FOR_PLAYER_SEASON), signal(Tier.PLAYER_SEASON), RULES
    )
    assert apply_tallies(saga, tallies, NOON).state is SagaState.WAITING_FOR_PLAYER_SEASON
    whole = dict.fromkeys(TIERS, DONE)
    assert apply_tallies(saga, whole, NOON).state is SagaState.COMPLETED


def test_y5_an_operator_may_force_the_next_tier_and_it_is_recorded() -> None:
    saga = force(begin(Saga(KEY), NOON), NOON + timedelta(hours=1), "me: in a hurry")
    assert saga.state is SagaState.WAITING_FOR_VENUE
    assert saga.entered[-1].because == "forced"
    assert saga.entered[-1].by == "me: in a hurry"


@pytest.mark.parametrize(
    "state",
    [SagaState.NOT_STARTED, SagaState.WAITING_FOR_PLAYER_SEASON, SagaState.COMPLETED],
)
def test_y5_completeness_cannot_be_forced(state: SagaState) -> None:
    with pytest.raises(BadInput):
        force(saga_in_state(state), NOON, "me")


def test_y7_a_second_start_changes_nothing() -> None:
    saga = saga_in_state(SagaState.WAITING_FOR_VENUE)
    assert begin(saga, NOON + timedelta(days=1)) == saga


def test_y10_a_refreshed_season_is_reopened() -> None:
    assert (
        reopen(saga_in_state(SagaState.COMPLETED), NOON).state
        is SagaState.WAITING_FOR_PLAYER_SEASON
    )
    assert reopen(saga_in_state(SagaState.WAITING_FOR_VENUE), NOON) == saga_in_state(
        SagaState.WAITING_FOR_VENUE
    )


@pytest.mark.parametrize("missing", TIERS)
def test_y10_a_completed_season_with_documents_due_is_reopened(missing: Tier) -> None:
    done = saga_in_state(SagaState.COMPLETED)
    assert apply_tallies(done, dict.fromkeys(TIERS, DONE), NOON) == done
    tallies = dict.fromkeys(TIERS, DONE) | {missing: replace(DONE, processed=2)}
    saga = apply_tallies(done, tallies, NOON)
    assert saga.state is SagaState.WAITING_FOR_PLAYER_SEASON
    assert saga.entered[-1].because == "refreshed"


def document(state: DocumentState, notify: bool, role: Role = Role.DOCUMENT) -> SourcedDocument:
    request = DocumentRequest(Tier.VENUE, 0, "/venues", (("id", 1),), role)
    done = NOON if state is DocumentState.PROCESSED else None
    return SourcedDocument(request, notify, state, completed_utc=done)


def test_y3_a_flagged_document_that_was_processed_signals() -> None:
    (sent_signal,) = signals_from(KEY, [document(DocumentState.PROCESSED, notify=True)])
    assert sent_signal == Signal(
        correlation_id=KEY.correlation_id,
        document_type=Tier.VENUE,
        source_url_hash=DocumentRequest(Tier.VENUE, 0, "/venues", (("id", 1),)).url_hash,
        completed_utc=NOON,
        season="39:2023",
    )


@pytest.mark.parametrize(
    "silent",
    [
        document(DocumentState.PROCESSED, notify=False),
        document(DocumentState.WAITING, notify=True),
        document(DocumentState.FAILED, notify=True),
        document(DocumentState.PARKED, notify=True),
    ],
)
def test_y3_a_failure_never_signals(silent: SourcedDocument) -> None:
    assert signals_from(KEY, [silent]) == []


# -- any history ------------------------------------------------------------------------------

sent = st.builds(
    signal,
    st.sampled_from(TIERS),
    st.integers(min_value=0, max_value=3),
    st.integers(min_value=0, max_value=3600),
)
happenings = st.lists(st.one_of(sent, st.sampled_from(["restart", "start"])), max_size=40)


def expected_state(was_started: bool, seen: set[tuple[Tier, str]], threshold: int) -> SagaState:
    if not was_started:
        return SagaState.NOT_STARTED
    for tier in TIERS[:-1]:
        if len({name for kind, name in seen if kind is tier}) < threshold:
            return WAITING[tier]
    return SagaState.WAITING_FOR_PLAYER_SEASON


@given(happenings, st.integers(min_value=1, max_value=3))
def test_y4_signals_in_any_order_duplicated_early_late_and_after_restarts(
    history: list[Signal | str], threshold: int
) -> None:
    """The state depends only on which documents have signalled."""
    rules = HistoryRules(threshold=threshold)
    saga = Saga(KEY)
    was_started = False
    first: dict[tuple[Tier, str], Signal] = {}
    for happening in history:
        before = saga
        if happening == "start":
            was_started = True
            saga = begin(saga, NOON)
            # As the worker does: known signals are applied again.
            saga = apply_signals(saga, first.values(), rules)
        elif happening == "restart":
            # Y7: the record keeps no signals; they follow from the documents again.
            saga = apply_signals(replace(saga, signals=frozenset()), first.values(), rules)
            assert saga.state is before.state
            assert saga.entered == before.entered
        elif isinstance(happening, Signal):
            first.setdefault((happening.document_type, happening.source_url_hash), happening)
            saga = apply_signal(saga, happening, rules)
        assert ORDER.index(saga.state) >= ORDER.index(before.state)
        assert saga.state is expected_state(was_started, set(first), threshold)
    states = [entered.state for entered in saga.entered]
    assert states == ORDER[1 : len(states) + 1]
    assert [e.at for e in saga.entered] == sorted(e.at for e in saga.entered)
    lost_record = apply_signals(begin(Saga(KEY), NOON), first.values(), rules)
    if was_started:
        assert lost_record.state is saga.state


def test_only_started_tiers_are_fetched() -> None:
    assert started(SagaState.NOT_STARTED) == ()
    assert started(SagaState.WAITING_FOR_TEAM_SEASON) == TIERS[:3]
    assert started(SagaState.COMPLETED) == TIERS
