"""E2, E3, E5: which goal is which, whatever the provider does to them."""

import pytest

from footy_assets.matchday.goal import event_id
from footy_assets.matchday.identity import lowest_free_sequence
from footy_assets.matchday.minute import minutes_apart
from footy_assets.matchday.sighting import NOBODY, Player
from footy_assets_tests.matchday.watching import AWAY, HOME, Watch, at, goal, var


def test_E2_an_identity_reads_fixture_team_player_type_sequence() -> None:
    assert event_id(5000, 40, Player(234, "M. Salah"), 1) == "5000_40_234_Goal_1"


def test_E2_a_hat_trick_is_numbered_from_one() -> None:
    watch = Watch()
    watch.poll(goal(12), goal(37), goal(74, detail="Penalty"))
    assert watch.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2", "5000_40_234_Goal_3"]


def test_E2_goals_without_a_scorer_have_identities_too() -> None:
    watch = Watch()
    watch.poll(goal(12, None), goal(30, None, team=AWAY))
    assert watch.ids == ["5000_40_unknown_Goal_1", "5000_50_unknown_Goal_2"]


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
    watch = Watch()
    watch.polls_of(2, goal(before))
    first = watch[before]
    watch.poll(goal(after))
    assert watch.ids == ["5000_40_234_Goal_1"]
    assert watch[after].key == first.key
    assert watch[after].seen_in_polls == ("p1", "p2", "p3")


def test_E3_removing_the_first_goal_does_not_rename_the_second() -> None:
    watch = Watch()
    watch.polls_of(3, goal(20), goal(26))
    second = watch[26]
    watch.polls_of(3, goal(26))
    assert watch.ids == ["5000_40_234_Goal_2"]
    assert watch[26] == type(second)(
        **{n: getattr(second, n) for n in second.__slots__} | {"score_after": (1, 0)}
    )
    assert [e.event_id for e in watch.removed] == ["5000_40_234_Goal_1"]


def test_E3_a_goal_still_listed_at_its_minute_is_itself() -> None:
    """24' goes and 29' comes in one poll: 26' must neither become 24's nor lend itself to 29'."""
    watch = Watch()
    watch.polls_of(3, goal(24), goal(26))
    keys = {24: watch[24].key, 26: watch[26].key}
    watch.poll(goal(26), goal(29))
    assert watch[26].key == keys[26]
    assert watch[26].missing_in_polls == ()
    assert watch[24].missing_in_polls == ("p4",)
    assert watch[29].key not in keys.values()
    assert watch[29].event_id == "5000_40_234_Goal_3"


def test_E3_two_goals_of_one_scorer_may_both_be_edited_at_once() -> None:
    watch = Watch()
    watch.polls_of(3, goal(20), goal(70))
    keys = [watch[20].key, watch[70].key]
    watch.poll(goal(21), goal(69))
    assert [watch[21].key, watch[69].key] == keys


def test_E3_a_second_goal_far_away_is_a_new_one() -> None:
    watch = Watch()
    watch.poll(goal(20))
    watch.poll(goal(20), goal(24))
    assert watch.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]


def test_E3_a_new_goal_takes_the_lowest_free_number() -> None:
    watch = Watch()
    watch.polls_of(3, goal(10), goal(20), goal(30))
    watch.polls_of(3, goal(20), goal(30))
    watch.poll(goal(20), goal(30), goal(40))
    assert watch[40].event_id == "5000_40_234_Goal_1"
    assert [watch[20].event_id, watch[30].event_id] == ["5000_40_234_Goal_2", "5000_40_234_Goal_3"]


def test_E3_the_number_of_a_goal_on_its_way_out_is_not_free_yet() -> None:
    watch = Watch()
    watch.polls_of(3, goal(10))
    watch.poll(goal(40))
    assert watch.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]


def test_E3_a_number_is_free_in_the_poll_that_removes_its_goal() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    watch.poll(goal(40), cancelled=[var(30)])
    assert watch.ids == ["5000_40_234_Goal_1"]
    assert watch[40].seen_in_polls == ("p4",)


def test_E3_the_lowest_free_number_fills_gaps() -> None:
    salah = Player(234, "M. Salah")
    taken = ["5000_40_234_Goal_1", "5000_40_234_Goal_3", "5000_40_7_Goal_2"]
    assert lowest_free_sequence(taken, salah) == 2
    assert lowest_free_sequence([], NOBODY) == 1


def test_E5_a_scorer_who_becomes_known_keeps_the_goal() -> None:
    watch = Watch()
    watch.polls_of(4, goal(21, None))
    born = watch[21]
    watch.poll(goal(21))
    named = watch[21]
    assert (named.event_id, named.key) == ("5000_40_234_Goal_1", born.key)
    assert named.first_seen_at == born.first_seen_at
    assert [(f.event_id, f.reason) for f in named.formerly] == [("5000_40_unknown_Goal_1", "named")]
    assert named.seen_in_polls == ("p5",)
    assert watch.removed == []


def test_E5_of_two_unnamed_goals_the_right_one_gets_the_name() -> None:
    watch = Watch()
    watch.poll(goal(21, None), goal(22, None))
    keys = {21: watch[21].key, 22: watch[22].key}
    watch.poll(goal(21, None), goal(22, 234))
    assert watch[22].key == keys[22]
    assert watch[22].event_id == "5000_40_234_Goal_1"
    assert (watch[21].key, watch[21].event_id) == (keys[21], "5000_40_unknown_Goal_1")


def test_E5_of_two_unnamed_goals_in_one_minute_the_name_tells_them_apart() -> None:
    """The provider may know a scorer's name before his id."""
    salah, diaz = Player(None, "M. Salah"), Player(None, "L. Diaz")
    watch = Watch()
    watch.poll(goal(21, salah), goal(21, diaz))
    key = next(e.key for e in watch.live if e.player == salah)
    watch.poll(goal(21, 234), goal(21, diaz))
    assert next(e.key for e in watch.live if e.player.id == 234) == key


def test_E5_a_reattributed_goal_keeps_everything_and_lineage_says_so() -> None:
    watch = Watch(search_attempts=10)
    watch.polls_of(3, goal(26))
    before = watch[26]
    watch.poll(goal(26, 7))
    after = watch[26]
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
    assert watch.removed == []


def test_E5_a_goal_reattributed_before_it_is_stable_keeps_its_polls() -> None:
    watch = Watch()
    watch.polls_of(2, goal(26))
    watch.poll(goal(26, 7))
    assert watch[26].seen_in_polls == ("p1", "p2", "p3")
    assert watch[26].stable


def test_E5_ruled_an_own_goal_is_a_reattribution() -> None:
    watch = Watch()
    watch.polls_of(3, goal(53, team=AWAY))
    key = watch[53].key
    watch.poll(goal(53, 66, team=AWAY, detail="Own Goal"))
    assert (watch[53].key, watch[53].event_id) == (key, "5000_50_66_Goal_1")


def test_E5_reattribution_to_a_player_who_has_goals_leaves_those_alone() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30), goal(33, 7))
    keys = {30: watch[30].key, 33: watch[33].key}
    watch.poll(goal(30, 7), goal(33, 7))
    assert (watch[33].key, watch[33].event_id) == (keys[33], "5000_40_7_Goal_1")
    assert (watch[30].key, watch[30].event_id) == (keys[30], "5000_40_7_Goal_2")


def test_E5_within_one_minute_is_the_same_goal_and_two_minutes_are_not() -> None:
    watch = Watch()
    watch.polls_of(3, goal(26))
    key = watch[26].key
    watch.poll(goal(27, 7))
    assert watch[27].key == key
    watch.poll(goal(29, 9))
    assert watch[29].key != key
    assert watch[27].missing_in_polls == ("p5",)


def test_E5_the_other_sides_goal_is_never_the_same() -> None:
    watch = Watch()
    watch.polls_of(3, goal(26))
    key = watch[26].key
    watch.poll(goal(26, 66, team=AWAY))
    assert next(e for e in watch.live if e.team_id == AWAY).key != key
    assert watch.events[key].missing_in_polls == ("p4",)


def test_E5_a_disallowed_goal_at_30_and_a_real_one_at_31_are_two() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    key = watch[30].key
    watch.poll()
    watch.poll(goal(31, 7))
    assert watch[31].key != key
    assert watch[31].formerly == ()
    watch.polls_of(2, goal(31, 7))
    assert [e.key for e in watch.removed] == [key]
    assert watch[31].event_id == "5000_40_7_Goal_1"


def test_E5_a_var_decision_in_the_same_poll_forbids_reattribution() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    key = watch[30].key
    watch.poll(goal(31, 7), cancelled=[var(30)])
    assert [(e.key, e.removal.reason) for e in watch.removed if e.removal] == [(key, "var")]
    assert watch[31].formerly == ()
    assert watch[31].seen_in_polls == ("p4",)


def test_E5_the_same_scorers_real_goal_a_minute_after_his_disallowed_one_counts() -> None:
    """The decision stays listed all match long; his 31' is neither ignored nor the old goal."""
    watch = Watch()
    watch.polls_of(3, goal(30))
    key = watch[30].key
    watch.polls_of(3, goal(31), cancelled=[var(30)])
    assert [e.key for e in watch.removed] == [key]
    assert watch[31].stable
    assert watch[31].event_id == "5000_40_234_Goal_1"


def test_E5_scorers_swapped_in_one_poll_both_keep_their_goals() -> None:
    """Nobody takes a number that the other held a moment ago: an identity never moves (E3)."""
    watch = Watch()
    watch.polls_of(3, goal(30), goal(55, 7))
    keys = {30: watch[30].key, 55: watch[55].key}
    watch.poll(goal(30, 7), goal(55))
    assert {30: watch[30].key, 55: watch[55].key} == keys
    assert watch.ids == ["5000_40_7_Goal_2", "5000_40_234_Goal_2"]
    assert all(e.stable for e in watch.live)


def test_E5_a_chain_of_renames_in_one_poll_moves_nothing_else() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30), goal(55, 7), goal(70, 9))
    keys = [watch[minute].key for minute in (30, 55, 70)]
    watch.poll(goal(30, 7), goal(55, 9), goal(70, 18))
    assert [watch[minute].key for minute in (30, 55, 70)] == keys
    assert watch.ids == ["5000_40_7_Goal_2", "5000_40_9_Goal_2", "5000_40_18_Goal_1"]
    assert [len(watch[minute].formerly) for minute in (30, 55, 70)] == [1, 1, 1]


def test_E5_from_a_list_with_unreadable_parts_nothing_is_reattributed() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    key = watch[30].key
    watch.poll(goal(30, 7), complete=False)
    assert watch.events[key].event_id == "5000_40_234_Goal_1"
    assert watch.events[key].missing_in_polls == ()


def test_E3_a_goal_listed_twice_is_one_where_the_score_says_so() -> None:
    watch = Watch()
    watch.poll(goal(30), goal(30), score=(1, 0))
    assert watch.ids == ["5000_40_234_Goal_1"]


def test_E3_two_goals_in_one_minute_are_two_where_the_score_says_so() -> None:
    watch = Watch()
    watch.poll(goal(30), goal(30), score=(2, 0))
    assert watch.ids == ["5000_40_234_Goal_1", "5000_40_234_Goal_2"]
    changes = watch.poll(goal(30), goal(30), score=(2, 0))
    assert all(change.before is not None for change in changes)


@pytest.mark.parametrize("lost", [Player(234, None), Player(234, "Unknown"), NOBODY])
def test_E5_a_name_lost_for_one_poll_is_not_forgotten(lost: Player) -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    before = watch[30]
    watch.poll(goal(30, lost))
    assert watch[30] == before
    watch.poll()
    assert watch[30].missing_in_polls == ("p5",)


def test_E5_a_known_scorer_is_replaced_only_by_a_known_one() -> None:
    watch = Watch()
    watch.polls_of(3, goal(30))
    key = watch[30].key
    watch.poll(goal(30, Player(7, "Unknown")))
    assert watch[30].event_id == "5000_40_234_Goal_1"
    watch.poll(goal(30, 7))
    assert (watch[30].key, watch[30].event_id) == (key, "5000_40_7_Goal_1")
    assert watch[30].team_id == HOME
