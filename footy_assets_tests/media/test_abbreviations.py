"""V7: which abbreviations a clip teaches."""

import pytest

from footy_assets.media.abbreviations import ShownAbbreviation, abbreviation_shown
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.scorebug_reading import ScorebugReading, ShownScore

GOAL = GoalFacts(None, ("Atlético Mineiro",), ("Flamengo",), (2, 1), home_scored=True)


def shown(names: tuple[str, ...], *scores: tuple[int, int]) -> ScorebugReading:
    return ScorebugReading(
        names, tuple(ShownScore(*score, float(n), n + 0.5, 4) for n, score in enumerate(scores))
    )


@pytest.mark.parametrize(
    ("bug", "taught"),
    [
        (shown(("GAL", "FLA"), (1, 1), (2, 1)), ShownAbbreviation(is_home=True, text="GAL")),
        (shown(("FLA", "GAL"), (1, 2)), ShownAbbreviation(is_home=True, text="GAL")),
        (shown(("ATM", "RUBRO"), (2, 1)), ShownAbbreviation(is_home=False, text="RUBRO")),
        # Both are known, or none is.
        (shown(("ATM", "FLA"), (2, 1)), None),
        (shown(("GAL", "RUB"), (2, 1)), None),
        # Another score, or none.
        (shown(("GAL", "FLA"), (3, 1)), None),
        (shown(("FLA", "GAL"), (2, 1)), None),
        (shown(("GAL", "FLA")), None),
        (shown((), (2, 1)), None),
        (shown(("ГАЛ", "FLA"), (2, 1)), None),
    ],
)
def test_v7_a_side_is_learned_beside_the_other_one_and_the_right_score(
    bug: ScorebugReading, taught: ShownAbbreviation | None
) -> None:
    assert abbreviation_shown(bug, GOAL) == taught


def test_v7_an_uncertain_score_teaches_nothing() -> None:
    uncertain = GoalFacts(None, GOAL.home, GOAL.away, None, True, listed_score=(2, 1))
    assert abbreviation_shown(shown(("GAL", "FLA"), (2, 1)), uncertain) is None
