"""E2, E3, E5: goals keep their identities whatever the provider edits."""

import pytest

from footy_assets.matchday.rules.goal import event_id
from footy_assets.matchday.rules.identity import lowest_free_sequence
from footy_assets.matchday.rules.minute import minutes_apart
from footy_assets.matchday.rules.sighting import NOBODY, Player
from footy_assets_tests.matchday.rules.polled_match import AWAY, HOME, PolledMatch, at, goal, var


def test_E2_an_identity_reads_fixture_team_player_type_sequence() -> None:
    assert event_id(5000, 40, Player(234, "M. Salah"), 1) == "5000_40_234_Goal_1"


def test_E2_a_hat_trick_is_numbered_from_one() -> None:
    match = PolledMatch()
    match.poll(goal(12), goal(37), goal(74, detail="Penalty"))
    assert match.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2", "5000_40_234_Goal_3"]


def test_E2_goals_without_a_scorer_have_identities_too() -> None:
    match = PolledMatch()
    match.poll(goal(12, None), goal(30, None, team=AWAY))
    assert match.ids == ["5000_40_unknown_Goal_1", "5000_50_unknown_Goal_2"]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("45", "45+2", 2), ("67", "68", 1), ("90", "90+5", 5), ("45+2", "47", 4), ("105+1", "106", 2)],
)
def test_E3_time_is_measured_in_playing_minutes(one: str, other: str, apart: int) -> None:
    assert minutes_apart(at(one), at(other)) == minutes_apart(at(other), at(one)) == apart


@pytest.mark.parametrize(
    ("before", "after"), [("45", "45+2"), ("67", "68"), ("90", "90+5"), ("45+2", "45"), (67, 64)]
)
def test_E3_a_minute_edited_by_the_provider_makes_no_new_goal(
    before: str | int, after: str | int
) -> None:
    match = PolledMatch()
    match.poll_times(2, goal(before))
    first = match[before]
    match.poll(goal(after))
    assert match.ids == ["5000_40_234_Goal_1"]
    assert match[after].key == first.key
    assert match[after].seen_in_polls == ("p1", "p2", "p3")


def test_E3_removing_the_first_goal_does_not_rename_the_second() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(20), goal(26))
    second = match[26]
    match.poll_times(3, goal(26))
    assert match.ids == ["5000_40_234_Goal_2"]
    assert match[26] == type(second)(
        **{n: getattr(second, n) for n in second.__slots__} | {"score_after": (1, 0)}
    )
    assert [e.event_id for e in match.removed] == ["5000_40_234_Goal_1"]


def test_E3_a_goal_still_listed_at_its_minute_is_itself() -> None:
    """24' is dropped and 29' added in one poll: 26' is mistaken for neither of them."""
    match = PolledMatch()
    match.poll_times(3, goal(24), goal(26))
    keys = {24: match[24].key, 26: match[26].key}
    match.poll(goal(26), goal(29))
    assert match[26].key == keys[26]
    assert match[26].missing_in_polls == ()
    assert match[24].missing_in_polls == ("p4",)
    assert match[29].key not in keys.values()
    assert match[29].event_id == "5000_40_234_Goal_3"


def test_E3_two_goals_of_one_scorer_may_both_be_edited_at_once() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(20), goal(70))
    keys = [match[20].key, match[70].key]
    match.poll(goal(21), goal(69))
    assert [match[21].key, match[69].key] == keys


def test_E3_a_second_goal_far_away_is_a_new_one() -> None:
    match = PolledMatch()
    match.poll(goal(20))
    match.poll(goal(20), goal(24))
    assert match.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]


def test_E3_a_new_goal_takes_the_lowest_free_number() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(10), goal(20), goal(30))
    match.poll_times(3, goal(20), goal(30))
    match.poll(goal(20), goal(30), goal(40))
    assert match[40].event_id == "5000_40_234_Goal_1"
    assert [match[20].event_id, match[30].event_id] == ["5000_40_234_Goal_2", "5000_40_234_Goal_3"]


def test_E3_the_number_of_a_missing_goal_is_not_free_yet() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(10))
    match.poll(goal(40))
    assert match.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]


def test_E3_a_number_is_free_in_the_poll_that_removes_its_goal() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    match.poll(goal(40), cancelled=[var(30)])
    assert match.ids == ["5000_40_234_Goal_1"]
    assert match[40].seen_in_polls == ("p4",)


def test_E3_the_lowest_free_number_fills_gaps() -> None:
    salah = Player(234, "M. Salah")
    taken = ["5000_40_234_Goal_1", "5000_40_234_Goal_3", "5000_40_7_Goal_2"]
    assert lowest_free_sequence(taken, salah) == 2
    assert lowest_free_sequence([], NOBODY) == 1


def test_E5_a_scorer_who_becomes_known_keeps_the_goal() -> None:
    match = PolledMatch()
    match.poll_times(4, goal(21, None))
    born = match[21]
    match.poll(goal(21))
    named = match[21]
    assert (named.event_id, named.key) == ("5000_40_234_Goal_1", born.key)
    assert named.first_seen_at == born.first_seen_at
    assert [(f.event_id, f.reason) for f in named.formerly] == [("5000_40_unknown_Goal_1", "named")]
    assert named.seen_in_polls == ("p5",)
    assert match.removed == []


def test_E5_of_two_unnamed_goals_the_right_one_gets_the_name() -> None:
    match = PolledMatch()
    match.poll(goal(21, None), goal(22, None))
    keys = {21: match[21].key, 22: match[22].key}
    match.poll(goal(21, None), goal(22, 234))
    assert match[22].key == keys[22]
    assert match[22].event_id == "5000_40_234_Goal_1"
    assert (match[21].key, match[21].event_id) == (keys[21], "5000_40_unknown_Goal_1")


def test_E5_of_two_unnamed_goals_in_one_minute_one_gets_the_name() -> None:
    """The provider may know a scorer's name before his id."""
    salah, diaz = Player(None, "M. Salah"), Player(None, "L. Diaz")
    match = PolledMatch()
    match.poll(goal(21, salah), goal(21, diaz))
    key = next(e.key for e in match.live if e.player == salah)
    match.poll(goal(21, 234), goal(21, diaz))
    assert next(e.key for e in match.live if e.player.id == 234) == key


def test_E5_a_reattributed_goal_keeps_everything_and_records_its_former_identity() -> None:
    match = PolledMatch(search_attempts=10)
    match.poll_times(3, goal(26))
    before = match[26]
    match.poll(goal(26, 7))
    after = match[26]
    assert (after.key, after.event_id) == (before.key, "5000_40_7_Goal_1")
    assert after.seen_in_polls == before.seen_in_polls
    assert (after.stable_at, after.attempts_planned) == (before.stable_at, 10)
    assert after.stable
    [former] = after.formerly
    assert (former.event_id, former.reason, former.poll_id) == (
        "5000_40_234_Goal_1",
        "reattributed",
        "p4",
    )
    assert match.removed == []


def test_E5_a_goal_reattributed_before_it_is_stable_keeps_its_polls() -> None:
    match = PolledMatch()
    match.poll_times(2, goal(26))
    match.poll(goal(26, 7))
    assert match[26].seen_in_polls == ("p1", "p2", "p3")
    assert match[26].stable


def test_E5_ruled_an_own_goal_is_a_reattribution() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(53, team=AWAY))
    key = match[53].key
    match.poll(goal(53, 66, team=AWAY, detail="Own Goal"))
    assert (match[53].key, match[53].event_id) == (key, "5000_50_66_Goal_1")


def test_E5_reattribution_to_a_player_who_has_goals_leaves_those_alone() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30), goal(33, 7))
    keys = {30: match[30].key, 33: match[33].key}
    match.poll(goal(30, 7), goal(33, 7))
    assert (match[33].key, match[33].event_id) == (keys[33], "5000_40_7_Goal_1")
    assert (match[30].key, match[30].event_id) == (keys[30], "5000_40_7_Goal_2")


def test_E5_within_one_minute_is_the_same_goal_and_two_minutes_are_not() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(26))
    key = match[26].key
    match.poll(goal(27, 7))
    assert match[27].key == key
    match.poll(goal(29, 9))
    assert match[29].key != key
    assert match[27].missing_in_polls == ("p5",)


def test_E5_the_other_sides_goal_is_never_the_same() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(26))
    key = match[26].key
    match.poll(goal(26, 66, team=AWAY))
    assert next(e for e in match.live if e.team_id == AWAY).key != key
    assert match.events[key].missing_in_polls == ("p4",)


def test_E5_a_disallowed_goal_at_30_and_a_real_one_at_31_are_two() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    key = match[30].key
    match.poll()
    match.poll(goal(31, 7))
    assert match[31].key != key
    assert match[31].formerly == ()
    match.poll_times(2, goal(31, 7))
    assert [e.key for e in match.removed] == [key]
    assert match[31].event_id == "5000_40_7_Goal_1"


def test_E5_a_var_decision_in_the_same_poll_forbids_reattribution() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    key = match[30].key
    match.poll(goal(31, 7), cancelled=[var(30)])
    assert [(e.key, e.removal.reason) for e in match.removed if e.removal] == [(key, "var")]
    assert match[31].formerly == ()
    assert match[31].seen_in_polls == ("p4",)


def test_E5_the_same_scorers_real_goal_a_minute_after_his_disallowed_one_counts() -> None:
    """The decision stays listed; his 31' is neither ignored nor taken for the old goal."""
    match = PolledMatch()
    match.poll_times(3, goal(30))
    key = match[30].key
    match.poll_times(3, goal(31), cancelled=[var(30)])
    assert [e.key for e in match.removed] == [key]
    assert match[31].stable
    assert match[31].event_id == "5000_40_234_Goal_1"


def test_E5_scorers_swapped_in_one_poll_both_keep_their_goals() -> None:
    """No goal takes a number that the other had in this poll: an identity never moves (E3)."""
    match = PolledMatch()
    match.poll_times(3, goal(30), goal(55, 7))
    keys = {30: match[30].key, 55: match[55].key}
    match.poll(goal(30, 7), goal(55))
    assert {30: match[30].key, 55: match[55].key} == keys
    assert match.ids == ["5000_40_7_Goal_2", "5000_40_234_Goal_2"]
    assert all(e.stable for e in match.live)


def test_E5_a_chain_of_renames_in_one_poll_moves_nothing_else() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30), goal(55, 7), goal(70, 9))
    keys = [match[minute].key for minute in (30, 55, 70)]
    match.poll(goal(30, 7), goal(55, 9), goal(70, 18))
    assert [match[minute].key for minute in (30, 55, 70)] == keys
    assert match.ids == ["5000_40_7_Goal_2", "5000_40_9_Goal_2", "5000_40_18_Goal_1"]
    assert [len(match[minute].formerly) for minute in (30, 55, 70)] == [1, 1, 1]


def test_E5_from_a_list_with_unreadable_parts_nothing_is_reattributed() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    key = match[30].key
    match.poll(goal(30, 7), complete=False)
    assert match.events[key].event_id == "5000_40_234_Goal_1"
    assert match.events[key].missing_in_polls == ()


def test_E3_a_goal_listed_twice_is_one_where_the_score_says_so() -> None:
    match = PolledMatch()
    match.poll(goal(30), goal(30), score=(1, 0))
    assert match.ids == ["5000_40_234_Goal_1"]


def test_E3_two_goals_in_one_minute_are_two_where_the_score_says_so() -> None:
    match = PolledMatch()
    match.poll(goal(30), goal(30), score=(2, 0))
    assert match.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]
    changes = match.poll(goal(30), goal(30), score=(2, 0))
    assert all(change.before is not None for change in changes)


@pytest.mark.parametrize("lost", [Player(234, None), Player(234, "Unknown"), NOBODY])
def test_E5_a_name_lost_for_one_poll_is_not_forgotten(lost: Player) -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    before = match[30]
    match.poll(goal(30, lost))
    assert match[30] == before
    match.poll()
    assert match[30].missing_in_polls == ("p5",)


def test_E5_a_known_scorer_is_replaced_only_by_a_known_one() -> None:
    match = PolledMatch()
    match.poll_times(3, goal(30))
    key = match[30].key
    match.poll(goal(30, Player(7, "Unknown")))
    assert match[30].event_id == "5000_40_234_Goal_1"
    match.poll(goal(30, 7))
    assert (match[30].key, match[30].event_id) == (key, "5000_40_7_Goal_1")
    assert match[30].team_id == HOME
