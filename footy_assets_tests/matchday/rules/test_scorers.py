"""A goal with a name but no id gets the id of the one player of its team that the name means."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.line_up import LineUp, MatchRosters, RosterPlayer, are_complete
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import Poll, observe
from footy_assets.matchday.rules.scorers import find_player_id, lacks_players, name_scorers
from footy_assets.matchday.rules.sighting import (
    NOBODY,
    FixtureSighting,
    GoalDetail,
    GoalSighting,
    League,
    Player,
    Side,
)
from footy_assets_tests.matchday.goals import FIXTURE

HOME, AWAY = 40, 33
NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)


def players(*people: tuple[int | None, str | None]) -> list[Player]:
    return [Player(*one) for one in people]


def rosters(home: list[Player], away: list[Player], squads: bool = False) -> MatchRosters:
    sides = {HOME: home, AWAY: away}
    listed = {id_: tuple(map(RosterPlayer, people)) for id_, people in sides.items()}
    if squads:
        return MatchRosters(squads=listed)
    return MatchRosters(tuple(LineUp(id_, people) for id_, people in listed.items()))


def goal(
    scorer: Player, team: int = HOME, *, own: bool = False, assist: Player = NOBODY
) -> GoalSighting:
    detail = GoalDetail.OWN_GOAL if own else GoalDetail.NORMAL_GOAL
    return GoalSighting(team, scorer, MatchMinute(30), detail, assist)


def sighting(*goals: GoalSighting) -> FixtureSighting:
    sides = Side(HOME, "Liverpool"), Side(AWAY, "Manchester United")
    league = League(39, "Premier League")
    return FixtureSighting(5000, NOON, "1H", 31, None, league, *sides, 1, 0, tuple(goals))


@pytest.mark.parametrize(
    ("name", "roster", "found"),
    [
        ("Mohamed Salah", [(306, "Mohamed Salah")], 306),
        ("Martin Odegaard", [(37, "Martin Ødegaard"), (7, "Bukayo Saka")], 37),
        ("N'Golo Kanté", [(2, "N’Golo Kante")], 2),
        ("Son Heung-Min", [(186, "Heung-Min Son")], 186),
        ("M. Salah", [(306, "Mohamed Salah"), (7, "Ahmed Salah")], 306),
        ("Mohamed Salah", [(306, "M. Salah")], 306),
        ("Mo Salah", [(306, "Mohamed Salah")], 306),
        ("J.-P. Mateta", [(25, "Jean-Philippe Mateta")], 25),
        ("V. van Dijk", [(290, "Virgil van Dijk")], 290),
        ("Salah", [(306, "Mohamed Salah"), (7, "Luis Díaz")], 306),
        ("van Dijk", [(290, "Virgil van Dijk")], 290),
        ("Virgil van Dijk", [(290, "van Dijk")], 290),
        ("Diogo Jota", [(20, "Jota"), (7, "Luis Díaz")], 20),
        ("Danilo", [(6, "Danilo"), (7, "Danilo Silva")], 6),
        # The same player in the line-up and in the squad.
        ("Mohamed Salah", [(306, "M. Salah"), (306, "Mohamed Salah")], 306),
        ("Mohamed Salah", [(None, "Mohamed Salah"), (306, "Mohamed Salah")], 306),
        # Not certain.
        ("M. Salah", [(306, "Mohamed Salah"), (7, "Mahmoud Salah")], None),
        ("Salah", [(306, "Mohamed Salah"), (7, "Ahmed Salah")], None),
        ("Silva", [(10, "Silva"), (3, "Thiago Silva")], None),
        ("van Dijk", [(10, "van Dijk"), (3, "M. van Dijk")], None),
        ("Mohamed Salah", [(306, "Salah"), (7, "Ahmed Salah")], None),
        ("M. Salah", [(306, "Mohamed Salah"), (7, "Salah")], None),
        ("Danilo", [(6, "Danilo"), (7, "Danilo")], None),
        ("Josh Murphy", [(6, "Jacob Murphy")], None),
        ("Mahmoud Salah", [(306, "M. Salah"), (306, "Mohamed Salah")], None),
        ("Mohamed Salah", [(7, "Luis Díaz")], None),
        ("Mohamed Salah", [], None),
        ("Unknown", [(7, "Unknown")], None),
        ("?", [(7, "?")], None),
        # The one that it means has no id.
        ("Mohamed Salah", [(None, "Mohamed Salah")], None),
        ("M. Salah", [(None, "Mohamed Salah"), (7, "Luis Díaz")], None),
        ("Salah", [(306, "Mohamed Salah"), (None, "Ahmed Salah")], None),
    ],
)
def test_a_name_means_a_player_only_if_that_is_certain(
    name: str, roster: list[tuple[int | None, str]], found: int | None
) -> None:
    assert find_player_id(name, players(*roster)) == found
    assert find_player_id(name, players(*reversed(roster))) == found


@pytest.mark.parametrize("squads", [False, True])
def test_scorer_and_assist_get_ids_from_line_ups_and_squads(squads: bool) -> None:
    known = rosters(players((306, "Mohamed Salah"), (7, "Luis Díaz")), [], squads)
    seen = sighting(goal(Player(None, "M. Salah"), assist=Player(None, "L. Diaz")))
    (named,) = name_scorers(seen, known).goals or ()
    assert (named.scorer, named.assist) == (Player(306, "M. Salah"), Player(7, "L. Diaz"))


def test_a_surname_must_be_unique_in_line_up_and_squad_together() -> None:
    line_up = LineUp(HOME, (RosterPlayer(Player(306, "Mohamed Salah"), starts=True),))
    squad = {HOME: (RosterPlayer(Player(7, "Ahmed Salah")),)}
    seen = sighting(goal(Player(None, "Salah")))
    assert name_scorers(seen, MatchRosters((line_up,))) != seen
    assert name_scorers(seen, MatchRosters((line_up,), squad)) == seen


def test_the_scorer_of_an_own_goal_plays_for_the_other_team() -> None:
    known = rosters(players((1, "John Smith")), players((2, "Jack Smith")))
    name = Player(None, "Smith")
    seen = sighting(goal(name), goal(name, own=True), goal(name, AWAY), goal(name, AWAY, own=True))
    assert [one.scorer.id for one in name_scorers(seen, known).goals or ()] == [1, 2, 2, 1]


def test_a_scorer_with_an_id_but_no_name_gets_the_name_of_the_roster() -> None:
    known = rosters(players((306, "Mohamed Salah")), players((9, "Rasmus Højlund")))
    seen = sighting(goal(Player(306)), goal(Player(9, "Unknown"), own=True), goal(Player(9)))
    named = [one.scorer for one in name_scorers(seen, known).goals or ()]
    assert named == [Player(306, "Mohamed Salah"), Player(9, "Rasmus Højlund"), Player(9)]


def test_what_is_known_or_not_listed_stays_as_it_is() -> None:
    known = rosters(players((306, "Mohamed Salah")), [])
    for seen in (
        sighting(goal(Player(7, "Mohamed Salah"))),
        sighting(goal(NOBODY)),
        replace(sighting(), goals=None),
    ):
        assert not lacks_players(seen)
        assert name_scorers(seen, known) is seen
    assert lacks_players(sighting(goal(Player(None, "M. Salah"))))
    assert lacks_players(sighting(goal(Player(7, "D"), assist=Player(None, "M. Salah"))))


def test_e4_a_goal_named_by_the_roster_becomes_stable() -> None:
    seen, known = sighting(goal(Player(None, "M. Salah"))), players((306, "Mohamed Salah"))
    goals: list[GoalEvent] = []
    for number in range(2):
        goals = polled(goals, seen, number)
    assert (goals[0].event_id, goals[0].seen_in_polls) == ("5000_40_unknown_Goal_1", ())
    for number in range(2, 5):
        goals = polled(goals, name_scorers(seen, rosters(known, [])), number)
    assert (goals[0].event_id, goals[0].stable) == ("5000_40_306_Goal_1", True)
    # The rosters are deleted: the goal keeps its scorer.
    (kept,) = polled(goals, seen, 5)
    assert (kept.event_id, kept.player.id, kept.stable) == ("5000_40_306_Goal_1", 306, True)


def polled(goals: list[GoalEvent], seen: FixtureSighting, number: int) -> list[GoalEvent]:
    changes = observe(goals, [], seen, Poll(f"p{number}", NOON), new_key=lambda: "key")
    return [change.after for change in changes] or goals


def test_line_ups_are_complete_when_both_teams_name_who_starts() -> None:
    starter, substitute = (RosterPlayer(Player(1, "A"), starts=starts) for starts in (True, False))
    home, away = LineUp(FIXTURE.home.id, (starter, substitute)), LineUp(FIXTURE.away.id, (starter,))
    assert are_complete((home, away), FIXTURE)
    assert not are_complete((home,), FIXTURE)
    assert not are_complete((home, replace(away, players=(substitute,))), FIXTURE)
    assert (home.starters, home.substitutes) == ((starter,), (substitute,))


# -- any roster, any name -------------------------------------------------------------------

first_names = st.sampled_from(["", "M.", "Mohamed", "Mahmoud", "A.", "Ahmed", "Jean-Paul", "J."])
surnames = st.sampled_from(["Salah", "Silva", "Ødegaard", "Odegaard", "van Dijk", "Dijk"])
names = st.builds(lambda first, last: f"{first} {last}".strip(), first_names, surnames)
home_people = st.lists(st.builds(Player, st.none() | st.integers(1, 9), names), max_size=6)
away_people = st.lists(st.builds(Player, st.none() | st.integers(11, 19), names), max_size=6)
some = st.builds(Player, st.none() | st.just(5), st.none() | names)
goals = st.builds(goal, some, st.sampled_from([HOME, AWAY]), own=st.booleans(), assist=some)
sightings = st.lists(goals, max_size=4).map(lambda several: sighting(*several))


@given(sightings, home_people, away_people, st.booleans())
def test_nobody_is_taken_from_the_other_team(
    seen: FixtureSighting, home: list[Player], away: list[Player], squads: bool
) -> None:
    named = name_scorers(seen, rosters(home, away, squads)).goals or ()
    for before, after in zip(seen.goals or (), named, strict=True):
        own = after.detail == GoalDetail.OWN_GOAL
        assert (after.team_id, after.minute, after.detail) == (
            before.team_id,
            before.minute,
            before.detail,
        )
        for old, new, is_home in (
            (before.scorer, after.scorer, (after.team_id == HOME) != own),
            (before.assist, after.assist, after.team_id == HOME),
        ):
            assert old.id is None or new.id == old.id
            assert old.name is None or new.name == old.name
            if old.id is None and new.id is not None:
                assert new.id in {one.id for one in (home if is_home else away)}


@given(sightings, home_people, away_people)
def test_naming_twice_is_naming_once(
    seen: FixtureSighting, home: list[Player], away: list[Player]
) -> None:
    known = rosters(home, away)
    once = name_scorers(seen, known)
    assert name_scorers(once, known) == once


@given(first_names, first_names, surnames, st.none() | st.just(2))
def test_a_surname_that_two_players_have_is_never_guessed(
    one: str, other: str, surname: str, other_id: int | None
) -> None:
    roster = players((1, f"{one} {surname}".strip()), (other_id, f"{other} {surname}".strip()))
    # Without an id, the same name is the same player.
    assume(one != other or other_id is not None)
    assert find_player_id(surname, roster) is None
    assert find_player_id(f"X. {surname}", roster) is None


@given(names, home_people)
def test_the_order_of_the_roster_decides_nothing(name: str, home: list[Player]) -> None:
    shuffled = sorted(home, key=lambda one: (str(one.name), one.id or 0))
    assert find_player_id(name, home) == find_player_id(name, shuffled)
