"""When the details of a match are asked for."""

from dataclasses import replace

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import IncidentKind
from footy_assets.providers.rules.adapter import (
    CancellationClaim,
    IncidentClaim,
    LineUpClaim,
    MatchDetails,
    ProviderMatch,
)
from footy_assets.providers.rules.details_due import (
    LOOKS_FOR_A_DECISION,
    KnownDetails,
    after_look,
    are_due,
    most_urgent,
)
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import PersonClaim
from footy_assets.providers.rules.sightings import IdsOfMatch, persons_of, to_sighting, with_details
from footy_assets_tests.providers.reports import NOON, claim

LISTED = ListedMatch("760415", NOON, "Liverpool", "Manchester City", "Premier League", "eng.1")
GOAL = replace(claim(27), scorer_id="253")
CARD = IncidentClaim(
    IncidentKind.CARD, "away", MatchMinute(30), "Yellow Card", PersonClaim("9", "Rodri")
)
DECISION = CancellationClaim("home", MatchMinute(28), "Goal cancelled")


def match(*goals: object, incidents: tuple[IncidentClaim, ...] = ()) -> ProviderMatch:
    return ProviderMatch(LISTED, "1H", goals=tuple(goals), incidents=incidents)


def test_details_are_due_once_when_the_list_changed() -> None:
    known = KnownDetails()
    assert not are_due(match(), known)
    assert are_due(match(GOAL), known)
    known = after_look(match(GOAL), known, MatchDetails())
    assert not are_due(match(GOAL), known)
    assert are_due(match(GOAL, incidents=(CARD,)), known)


def test_a_list_that_is_not_complete_asks_for_nothing() -> None:
    assert not are_due(replace(match(GOAL), goals_complete=False), KnownDetails())
    assert not are_due(replace(match(), goals=None), KnownDetails())


def test_a_goal_that_vanished_is_looked_for_until_its_decision_is_there() -> None:
    seen = after_look(match(GOAL), KnownDetails(), MatchDetails())
    looks = 0
    while are_due(match(), seen):
        seen = after_look(match(), seen, MatchDetails())
        looks += 1
    assert looks == LOOKS_FOR_A_DECISION
    seen = after_look(match(GOAL), seen, MatchDetails())
    seen = after_look(match(), seen, MatchDetails(cancellations=(DECISION,)))
    assert not are_due(match(), seen)


def test_goals_come_before_cards_and_some_wait_for_the_next_poll() -> None:
    card, goal = match(incidents=(CARD,)), match(GOAL)
    other = replace(goal, listed=replace(LISTED, id="2"))
    assert most_urgent([card, other], {}, 1) == [other]
    assert most_urgent([card, other], {}, 5) == [other, card]


def test_details_add_assists_incidents_and_decisions() -> None:
    assisted = replace(GOAL, assist=PersonClaim("7", "L. Díaz"))
    change = replace(CARD, kind=IncidentKind.SUBSTITUTION, detail="Substitution 1")
    details = MatchDetails((assisted,), (change,), (DECISION,))
    whole = with_details(match(GOAL, incidents=(CARD,)), details)
    assert whole.goals == (assisted,)
    assert whole.incidents == (change, CARD)
    assert whole.cancellations == (DECISION,)
    assert with_details(whole, details) == whole
    assert persons_of(whole) == {"253", "7", "9"}


def test_L1_a_match_in_our_numbers() -> None:
    whole = with_details(
        replace(match(GOAL, incidents=(CARD,)), minute=MatchMinute(45, 2)),
        MatchDetails(cancellations=(DECISION,)),
    )
    found = to_sighting(whole, IdsOfMatch(5000, 39, 40, 50, {"253": 234}))
    assert (found.fixture_id, found.home.id, found.away.id, found.league.id) == (5000, 40, 50, 39)
    assert (found.elapsed, found.extra) == (45, 2)
    assert found.goals is not None
    assert [(one.team_id, one.scorer.id, one.scorer.name) for one in found.goals] == [
        (40, 234, "Salah")
    ]
    assert [(one.team_id, one.minute.elapsed) for one in found.cancellations] == [(40, 28)]
    assert found.incidents is not None
    assert [(one.team_id, one.player.id) for one in found.incidents] == [(50, None)]


def test_line_ups_are_not_kept_with_the_details() -> None:
    """Every poll reads the details of all matches, and line-ups are the most of them."""
    found = MatchDetails(goals=(GOAL,), line_ups=(LineUpClaim("home", ()),))
    assert after_look(match(GOAL), KnownDetails(), found).details == MatchDetails(goals=(GOAL,))
