"""Merging the reports of all providers into one sighting."""

from dataclasses import replace

import pytest

from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import Poll, observe
from footy_assets.matchday.rules.sighting import Cancellation, FixtureSighting, GoalSighting, Player
from footy_assets.providers.rules.confidence import is_clock_stuck, with_clock, with_confidence
from footy_assets.providers.rules.match import Report
from footy_assets.providers.rules.merge import LeadAnswer, merge
from footy_assets.providers.rules.normalise import to_report
from footy_assets.providers.rules.reconcile import reconcile
from footy_assets.providers.rules.records import ProviderRecord
from footy_assets_tests.providers.reports import (
    HOME,
    NOON,
    SALAH,
    after,
    claim,
    goal,
    known,
    report,
    sighting,
)

RANK = {"main": 100, "second": 80, "third": 60}


def merged(
    main: FixtureSighting | None,
    *others: Report,
    trusted: bool = True,
    standing: tuple[GoalEvent, ...] = (),
) -> FixtureSighting:
    answer = None
    reports = list(others)
    if main is not None:
        own = replace(to_report(main, "main", NOON), confidence=1.0 if trusted else 0.4)
        answer = LeadAnswer(main, own)
        reports.append(own)
    return merge(known(), standing, answer, others, reconcile(reports, RANK).fields)


def goals_without_id(main: FixtureSighting, *others: Report) -> list[GoalSighting]:
    """The main provider's goals that the merged answer lists without a scorer's id."""
    listed = merged(main, *others).goals or ()
    return [one for one in main.goals or () if one not in listed]


def test_with_one_provider_nothing_changes() -> None:
    main = sighting(goal(10), goal(27, Player(None, None)), elapsed=31)
    assert merged(main) == main


def test_a_goal_that_another_lists_first_is_seen_at_once_without_an_id() -> None:
    found = merged(sighting(), report("second", 1, 0, minute=31, goals=(claim(31),)))
    assert found.goals == (goal(31, Player(None, "Salah")),)


def test_the_debounce_rule_holds_for_a_goal_seen_early() -> None:
    """E4: polls count from when the main provider names the scorer."""
    events: dict[str, GoalEvent] = {}

    def poll(number: int, seen: FixtureSighting) -> GoalEvent:
        at = Poll(f"p{number}", after(30 * number))
        for change in observe(list(events.values()), [], seen, at, lambda: f"k{number}"):
            events[change.after.key] = change.after
        (one,) = [event for event in events.values() if event.live]
        return one

    early = report("second", 1, 0, minute=31, goals=(claim(31),))
    first = poll(1, merged(sighting(), early))
    assert first.state is EventState.DETECTED
    assert first.seen_in_polls == ()
    key = first.key
    listed = sighting(goal(31), elapsed=32)
    for number in (2, 3):
        assert poll(number, merged(listed, early)).state is not EventState.STABLE
    stable = poll(4, merged(listed, early))
    assert stable.state is EventState.STABLE
    assert stable.key == key
    assert stable.event_id == "5000_40_234_Goal_1"


def test_a_goal_that_both_list_is_one_goal() -> None:
    found = merged(sighting(goal(27)), report("second", 1, 0, goals=(claim(28),)))
    assert found.goals == (goal(27),)


def test_a_goal_that_neither_of_two_others_confirms_is_seen_but_not_stable() -> None:
    main = sighting(goal(27), elapsed=30)
    found = merged(main, report("second", 0, 0, goals=()), report("third", 0, 0))
    assert found.goals == (goal(27, Player(None, "M. Salah")),)


def test_a_goal_that_one_of_two_contradicts_is_decided_by_precedence() -> None:
    main = sighting(goal(27), elapsed=30)
    assert goals_without_id(main, report("second", 0, 0)) == []
    assert goals_without_id(main, report("second", 0, 0), report("third", 1, 0)) == []


@pytest.mark.parametrize("minute", [26, 27, 28, 40])
def test_a_goal_waits_for_one_of_two_others_to_confirm_it(minute: int) -> None:
    """Otherwise a wrong goal would be stable before another provider contradicts it."""
    main = sighting(goal(27), elapsed=28)
    silent = [report(name, 0, 0, minute=minute) for name in ("second", "third")]
    assert goals_without_id(main, *silent) == [goal(27)]
    one = report("second", 1, 0, minute=minute)
    assert goals_without_id(main, one, silent[1]) == []


@pytest.mark.parametrize("wrong", [25, 26, 27, 28])
def test_a_real_goal_nearby_does_not_confirm_a_wrong_one(wrong: int) -> None:
    obody = goal(wrong, Player(999, "N. Obody"))
    main = sighting(goal(27), obody, elapsed=30)
    others = [report(n, 1, 0, goals=(claim(27),)) for n in ("second", "third")]
    assert goals_without_id(main, *others) == [obody]


def test_at_half_time_every_provider_should_list_the_goals_before() -> None:
    main = sighting(goal(45), status="HT", elapsed=45)
    others = [report(n, 0, 0, period="HT", minute=None) for n in ("second", "third")]
    assert goals_without_id(main, *others) == [goal(45)]


def test_a_goal_only_of_a_lower_provider_is_dropped_when_the_main_one_is_past_its_minute() -> None:
    second = report("second", 1, 0, minute=33, goals=(claim(31),))
    assert len(merged(sighting(elapsed=32), second).goals or ()) == 1
    assert merged(sighting(elapsed=33), second).goals == ()


def test_a_goal_that_two_others_list_stays() -> None:
    two = [report(n, 1, 0, minute=35, goals=(claim(31),)) for n in ("second", "third")]
    assert len(merged(sighting(elapsed=35), *two).goals or ()) == 1


def test_E6_a_cancelled_goal_is_not_restored_by_a_slower_provider() -> None:
    verdict = Cancellation(HOME.id, SALAH.id, MatchMinute(31), "Goal Disallowed")
    main = sighting(elapsed=32, cancellations=(verdict,))
    second = report("second", 1, 0, minute=32, goals=(claim(31),))
    assert merged(main, second).goals == ()


def test_main_down_the_match_continues_and_no_goal_is_missing() -> None:
    second = report("second", 1, 0, minute=40, goals=(claim(31),))
    found = merged(None, second)
    assert (found.goals_home, found.status, found.elapsed) == (1, "1H", 40)
    assert found.goals == (goal(31, Player(None, "Salah")),)
    assert not found.goals_complete
    only_scores = merged(None, report("second", 2, 0, minute=41))
    assert only_scores.goals is None
    assert only_scores.goals_home == 2


def test_main_down_a_stored_goal_keeps_its_ids() -> None:
    salahs = GoalEvent("k", "5000_40_234_Goal_1", 5000, 40, SALAH, MatchMinute(30), "Normal Goal")
    second = report("second", 2, 0, minute=40, goals=(claim(31), claim(38)))
    found = merged(None, second, standing=(salahs,))
    assert found.goals == (goal(30), goal(38, Player(None, "Salah")))
    at = Poll("p1", NOON)
    changes = observe([salahs], [], found, at, lambda: "new")
    assert [(change.after.key, change.after.player.known) for change in changes] == [
        ("k", True),
        ("new", False),
    ]


def test_an_untrusted_main_provider_is_treated_as_down() -> None:
    second = report("second", 1, 0, minute=40, goals=(claim(31),))
    found = merged(sighting(elapsed=20), second, trusted=False)
    assert (found.goals_home, found.elapsed, found.goals_complete) == (1, 40, False)


def test_an_answer_with_a_stuck_clock_is_not_trusted() -> None:
    record = with_clock(ProviderRecord(5000, "main", NOON), report(minute=30).match, NOON)
    late = report(minute=30, at=after(119))
    assert (
        with_confidence(late, with_clock(record, late.match, after(119)), [], RANK).confidence
        == 1.0
    )
    later = report(minute=30, at=after(120))
    assert (
        with_confidence(later, with_clock(record, later.match, after(120)), [], RANK).confidence
        < 0.5
    )
    moved = report(minute=31, at=after(120))
    assert (
        with_confidence(moved, with_clock(record, moved.match, after(120)), [], RANK).confidence
        == 1.0
    )


@pytest.mark.parametrize(("period", "minute"), [("1H", 45), ("2H", 90), ("HT", 45), ("NS", 0)])
def test_a_clock_may_rest_in_stoppage_time_and_breaks(period: str, minute: int) -> None:
    match = report(period=period, minute=minute).match
    assert not is_clock_stuck(with_clock(ProviderRecord(1, "m", NOON), match, NOON), after(1200))


def clock_at(
    domain: str, period: str, minute: int, seconds: float, extra: int | None = None
) -> ProviderRecord:
    match = report(domain, period=period, minute=minute, extra=extra).match
    record = with_clock(ProviderRecord(1, domain, NOON), match, after(seconds))
    return replace(record, last_success=after(130))


@pytest.mark.parametrize(
    ("period", "minute", "moved", "trusted"),
    [
        ("2H", 46, 130, True),
        ("2H", 47, 130, False),
        ("HT", 45, 10, True),
        ("1H", 45, 130, True),
        ("NS", 0, 0, True),
    ],
)
def test_a_provider_a_period_behind_for_two_minutes_is_not_trusted(
    period: str, minute: int, moved: float, trusted: bool
) -> None:
    own, other = clock_at("main", "1H", 45, 0), clock_at("second", period, minute, moved)
    rated = report(period="1H", minute=45, at=after(130))
    assert (with_confidence(rated, own, [other], RANK).confidence >= 0.5) is trusted


@pytest.mark.parametrize("period", ["HT", "BT", "P"])
def test_in_a_break_a_provider_without_a_minute_is_not_behind(period: str) -> None:
    own, other = clock_at("page", period, 0, 0), clock_at("second", period, 45, 0)
    rated = report("page", period=period, minute=None, at=after(600))
    assert with_confidence(rated, own, [other], RANK).confidence == 1.0


@pytest.mark.parametrize(("period", "minute"), [("NS", 0), ("HT", 45), ("2H", 90)])
def test_a_lesser_provider_alone_ends_no_match(period: str, minute: int) -> None:
    own, page = clock_at("main", period, minute, 0), clock_at("third", "FT", 90, 0)
    rated = report(period=period, minute=minute, at=after(130))
    second = clock_at("second", period, minute, 0)
    assert with_confidence(rated, own, [page], RANK).confidence == 1.0
    assert with_confidence(rated, own, [second, page], RANK).confidence == 1.0
    backed = clock_at("second", "FT", 90, 0)
    assert with_confidence(rated, own, [backed, page], RANK).confidence < 0.5


def test_a_lesser_provider_does_not_outvote_two_that_agree() -> None:
    rated = report(period="HT", minute=45, at=after(130))
    own, page = clock_at("main", "HT", 45, 0), clock_at("third", "2H", 50, 130)
    second = clock_at("second", "HT", 45, 0)
    assert with_confidence(rated, own, [second, page], RANK).confidence == 1.0
    silent = replace(second, last_success=after(10))
    assert with_confidence(rated, own, [silent, page], RANK).confidence < 0.5


def test_one_provider_of_higher_precedence_that_is_ahead_is_enough() -> None:
    page, main = clock_at("third", "1H", 45, 0), clock_at("main", "HT", 45, 0)
    rated = report("third", period="1H", minute=45, at=after(130))
    assert with_confidence(rated, page, [main], RANK).confidence < 0.5


def test_a_match_with_a_stuck_clock_is_not_ended_by_a_lesser_provider_alone() -> None:
    main = sighting(goal(27), status="2H", elapsed=67)
    page = report("third", 1, 0, period="FT", minute=None)
    assert merged(main, page, trusted=False).status == "2H"
    second = report("second", 1, 0, period="FT", minute=None)
    assert merged(main, second, page, trusted=False).status == "FT"
    assert merged(None, page).status == "FT"


@pytest.mark.parametrize(("period", "minute"), [("1H", 45), ("2H", 90), ("ET", 105), ("ET", 120)])
def test_a_resting_minute_is_not_behind_one_in_stoppage_time(period: str, minute: int) -> None:
    own = clock_at("main", period, minute, 0)
    others = [clock_at(name, period, minute, 130, extra=5) for name in ("second", "third")]
    rated = report(period=period, minute=minute, at=after(130))
    assert with_confidence(rated, own, others, RANK).confidence == 1.0


def test_a_clock_left_at_the_start_of_a_half_is_behind_one_that_plays_it() -> None:
    own = clock_at("main", "2H", 45, 0)
    rated = report(period="2H", minute=45, at=after(130))
    assert with_confidence(rated, own, [clock_at("second", "2H", 48, 130)], RANK).confidence < 0.5
