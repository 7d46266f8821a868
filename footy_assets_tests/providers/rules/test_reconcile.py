"""Reconciliation per field, and the rules that keep a score from falling."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import Cancellation
from footy_assets.providers.rules.match import LastEvent
from footy_assets.providers.rules.normalise import to_report
from footy_assets.providers.rules.reconcile import FieldValue, choose, conflicts_about, reconcile
from footy_assets.providers.rules.scoreline import Scoreline, after_poll, after_report, raise_score
from footy_assets_tests.providers.reports import AWAY, NOON, after, report, sighting

BY_RANK = {"main": 100, "second": 80, "third": 80}


def value_of(
    value: object, provider: str = "a", precedence: int = 50, **named: float
) -> FieldValue:
    at = after(named.get("at", 0))
    return FieldValue(value, provider, precedence, named.get("confidence", 1.0), at)


def test_187_from_weight_100_beats_a_newer_186_from_weight_80() -> None:
    kept = choose([value_of(187, "a", 100), value_of(186, "b", 80, at=60)])
    assert kept is not None
    assert (kept.value, kept.provider) == (187, "a")


def test_confidence_below_a_half_is_dropped() -> None:
    kept = choose([value_of(1, "a", 100, confidence=0.49), value_of(2, "b", 10, confidence=0.5)])
    assert kept is not None
    assert kept.value == 2
    assert choose([value_of(1, confidence=0.49)]) is None


def test_missing_falls_back_to_the_next() -> None:
    kept = choose([value_of(None, "a", 100), value_of(2, "b", 10), value_of(3, "c", 5)])
    assert kept is not None
    assert kept.value == 2


def test_equal_precedence_takes_the_newest() -> None:
    kept = choose([value_of(1, "a", at=5), value_of(2, "b", at=6), value_of(3, "c", at=4)])
    assert kept is not None
    assert kept.value == 2


@given(
    st.lists(
        st.builds(
            FieldValue,
            st.one_of(st.none(), st.integers(0, 5)),
            st.sampled_from("abcd"),
            st.integers(0, 100),
            st.floats(0, 1),
            st.integers(0, 100).map(after),
        )
    )
)
def test_no_usable_value_beats_the_chosen_one(values: list[FieldValue]) -> None:
    kept = choose(values)
    usable = [one for one in values if one.confidence >= 0.5 and one.value is not None]
    assert (kept is None) == (not usable)
    for one in usable:
        assert kept is not None
        assert (one.precedence, one.at) <= (kept.precedence, kept.at)


@pytest.mark.parametrize(
    ("field", "ours", "theirs", "logged"),
    [
        ("attendance", 1000, 950, False),
        ("attendance", 1000, 949, True),
        ("attendance", 949, 1000, True),
        ("score.home", 100, 99, True),
        ("cards.away", 1, 0, True),
        ("score.home", 1, 1, False),
        ("venue", "Anfield", "Anfield Road", False),
        ("minute", [67, None], [80, None], True),
        ("minute", [90, 2], [90, 7], False),
        ("minute", [67, None], [68, None], False),
        ("minute", [67, None], None, False),
    ],
)
def test_numbers_over_5_percent_apart_are_logged_and_any_goal_or_card(
    field: str, ours: object, theirs: object, logged: bool
) -> None:
    kept, other = value_of(ours, "a", 100), value_of(theirs, "b", 80)
    assert bool(conflicts_about(field, kept, [kept, other])) is logged


@pytest.mark.parametrize(
    ("period", "status"),
    [
        ("NS", "upcoming"),
        ("PST", "upcoming"),
        ("1H", "live"),
        ("HT", "live"),
        ("INT", "live"),
        ("FT", "completed"),
        ("PEN", "completed"),
        ("CANC", "abandoned"),
        ("ABD", "abandoned"),
    ],
)
def test_R5_a_match_independent_of_any_provider(period: str, status: str) -> None:
    original = report(period=period, venue="Anfield", minute=30, extra=2)
    last = LastEvent(MatchMinute(27), "home", "Normal Goal", "Salah")
    match = replace(original.match, last_event=last, metadata={"main_id": "7"})
    assert (match.id, match.domain) == (5000, "main")
    fields = reconcile([replace(original, match=match)], {"main": 100}).fields
    assert fields["title"] == "Liverpool – Manchester City"
    assert fields["status"] == status
    assert (fields["teams.home"], fields["score.home"], fields["period"]) == (
        "Liverpool",
        0,
        period,
    )
    assert (fields["minute"], fields["venue"]) == ([30, 2], "Anfield")
    assert fields["start"] == match.start.isoformat()
    assert fields["last_event"]["player"] == "Salah"
    assert fields["metadata.main_id"] == "7"


def test_every_field_has_its_provider() -> None:
    found = reconcile(
        [report("main", 1, 0), report("second", 2, 0, venue="Anfield", confidence=0.8)], BY_RANK
    )
    assert found.fields["score.home"] == 1
    assert found.provenance["score.home"].provider == "main"
    assert found.fields["venue"] == "Anfield"
    assert found.provenance["venue"].provider == "second"
    assert found.provenance["venue"].confidence == 0.8
    assert found.provenance["venue"].timestamp == NOON
    assert [(c.field, c.kept, c.other) for c in found.conflicts] == [("score.home", 1, 2)]


def test_a_minute_of_another_period_is_not_used() -> None:
    found = reconcile(
        [report("main", period="HT", minute=None), report("second", minute=45)], BY_RANK
    )
    assert found.fields["period"] == "HT"
    assert "minute" not in found.fields


def test_a_lower_score_needs_three_confirmations() -> None:
    line = Scoreline(2)
    for poll in ("p1", "p2"):
        line = after_report(line, 1, poll, var=False)
        assert line.goals == 2
    assert after_report(line, 1, "p3", var=False).goals == 1


def test_a_lower_score_reported_thrice_in_one_poll_is_one_confirmation() -> None:
    line = Scoreline(2)
    for _ in range(5):
        line = after_report(line, 1, "p1", var=False)
    assert line.goals == 2


def test_f11_an_extra_poll_confirms_no_lower_score() -> None:
    line = Scoreline(2)
    for poll in ("p1", None, None, "p2", None):
        line = after_report(line, 1, poll, var=False)
    assert line.goals == 2
    assert after_report(line, 1, "p3", var=False).goals == 1
    assert after_report(line, 1, None, var=True).goals == 1
    assert after_report(line, 3, None, var=False).goals == 3


def test_a_lower_score_with_a_VAR_event_counts_at_once() -> None:
    assert after_report(Scoreline(2), 1, "p1", var=True).goals == 1


def test_a_VAR_event_of_minute_12_does_not_permit_a_rollback_at_70() -> None:
    line = after_poll(Scoreline(1), 0, "p1", ["12'"])
    assert line.goals == 0
    line = after_poll(line, 2, "p2", ["12'"])
    assert after_poll(line, 1, "p3", ["12'"]).goals == 2
    assert after_poll(line, 1, "p3", ["12'", "70'"]).goals == 1


def test_a_VAR_event_counts_for_the_side_that_it_is_against() -> None:
    decision = Cancellation(AWAY.id, None, MatchMinute(12), "Goal Disallowed")
    value_of = to_report(sighting(cancellations=(decision,)), "main", NOON)
    assert value_of.cancellations == (("away", "12'"),)


def test_an_untrusted_answer_lowers_no_score() -> None:
    line = Scoreline(2, decisions=("12",))
    assert [raise_score(line, goals).goals for goals in (None, 1, 2, 3)] == [2, 2, 2, 3]
    assert raise_score(line, 3).decisions == ("12",)


def test_confirmations_start_over_after_a_higher_score() -> None:
    line = Scoreline(2)
    for poll, reported_goals in (("p1", 1), ("p2", 1), ("p3", 2), ("p4", 1), ("p5", 1)):
        line = after_report(line, reported_goals, poll, var=False)
    assert line.goals == 2


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans())))
def test_no_history_rolls_a_score_back_without_a_reason(history: list[tuple[int, bool]]) -> None:
    line = Scoreline()
    last_three: list[int] = []
    for number, (goals, var) in enumerate(history):
        before = line.goals
        line = after_report(line, goals, f"p{number}", var)
        last_three = [*last_three, goals][-3:]
        if before is not None and line.goals is not None and line.goals < before and not var:
            assert last_three == [line.goals] * 3
