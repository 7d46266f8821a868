"""V6: the score over time, and films with scorebugs read by real OCR."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.scorebug_films import DrawnBug, DrawnFilm
from footy_assets.media import scan
from footy_assets.media.abbreviations import ShownAbbreviation, abbreviation_shown
from footy_assets.media.digit_model import Digit
from footy_assets.media.evidence import match_evidence
from footy_assets.media.examine import STILLS_AT
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.ocr import TextBox
from footy_assets.media.scorebug_digits import ScoreDigits
from footy_assets.media.scorebug_layout import ScoreLayout
from footy_assets.media.scorebug_reading import choose_scores
from footy_assets.media.screen_text import read_screen_text
from footy_assets.media.teams_shown import TeamsShown

FONTS = Path("/usr/share/fonts/truetype/dejavu")


def readings(*scores: tuple[int, int]) -> list[tuple[float, int, int]]:
    return [(float(second), *score) for second, score in enumerate(scores)]


def pairs(*scores: tuple[int, int]) -> list[tuple[int, int]]:
    return [score.pair for score in choose_scores(readings(*scores))]


def test_v6_a_score_in_several_stills_is_certain() -> None:
    assert pairs(*[(2, 1)] * 3) == [(2, 1)]
    assert pairs(*[(2, 1)] * 2) == []


def test_v6_a_goal_in_the_clip_gives_the_score_before_and_after() -> None:
    assert pairs(*[(0, 0)] * 4, *[(0, 1)] * 5) == [(0, 0), (0, 1)]


@pytest.mark.parametrize("after", [(2, 0), (1, 1), (0, 0)])
def test_v6_scores_that_no_goal_joins_are_not_certain(after: tuple[int, int]) -> None:
    before = (0, 0) if after != (0, 0) else (1, 0)
    assert pairs(*[before] * 4, *[after] * 4) == []


def test_v6_scores_in_turns_are_not_certain() -> None:
    assert pairs(*[(0, 0), (0, 1)] * 4) == []


def test_v6_one_misread_still_of_many_does_not_hide_the_score() -> None:
    assert pairs(*[(2, 1)] * 9, (8, 1)) == [(2, 1)]
    assert pairs(*[(2, 1)] * 4, (8, 1)) == []


def digit(value: int, probability: float, rival: float = 0.01) -> Digit:
    return Digit(value, probability, TextBox(0, 0, 10, 14), rival)


@pytest.mark.parametrize(
    ("home", "away", "layout", "sure"),
    [
        (digit(2, 0.9), digit(0, 0.9), ScoreLayout.AFTER, True),
        (digit(2, 0.9), digit(0, 0.7), ScoreLayout.BETWEEN, False),
        (digit(2, 0.9), digit(0, 0.9, rival=0.1), ScoreLayout.BETWEEN, False),
        # A 1 looks like a bar; between the names a bar would be a third glyph.
        (digit(2, 0.9), digit(1, 0.6), ScoreLayout.BETWEEN, True),
        (digit(2, 0.9), digit(1, 0.4), ScoreLayout.BETWEEN, False),
        (digit(2, 0.9), digit(1, 0.6, rival=0.1), ScoreLayout.BETWEEN, False),
        (digit(2, 0.9), digit(1, 0.6), ScoreLayout.AFTER, False),
        (digit(1, 0.6), digit(1, 0.6), ScoreLayout.BETWEEN, False),
    ],
)
def test_v6_digits_are_told_only_when_certain(
    home: Digit, away: Digit, layout: ScoreLayout, sure: bool
) -> None:
    assert ScoreDigits(0.0, home, away).is_sure(layout) is sure


def film(layout: str, look: str = "strip") -> DrawnFilm:
    bug = DrawnBug(
        layout=layout,
        look=look,
        font=FONTS / "DejaVuSans-Bold.ttf",
        names=("BOC", "UCA"),
        before=(0, 2),
        scorer=0,
        start=33 * 60 + 5,
        capitals=0.04,
        separator=" - ",
        colours=((255, 255, 255), (20, 40, 120)),
        score_colours=((20, 20, 20), (240, 240, 240)),
        left=0.05,
        top=0.06,
    )
    return DrawnFilm(bug, (640, 360), seed=3, crf=26, seconds=18.0)


@pytest.mark.skipif(not FONTS.is_dir(), reason="the fonts of fonts-dejavu-core are not installed")
@pytest.mark.parametrize("layout", ["C h S a", "h H / a A / C"])
def test_v6_names_score_and_clock_are_read_from_a_film(layout: str, tmp_path: Path) -> None:
    path = film(layout).write(tmp_path / "film.mp4")
    shown = read_screen_text(scan(path, stills_at=STILLS_AT).stills)
    assert shown.clock.minutes == (33,)
    assert shown.scorebug.names == ("BOC", "UCA")
    assert [score.pair for score in shown.scorebug.scores] == [(0, 2), (1, 2)]
    assert shown.scorebug.text() == "BOC 0-2 then 1-2 UCA"
    # V7: the film teaches what it calls a side of which no known name explains that.
    goal = GoalFacts(None, ("Boca Juniors",), ("Cruzados",), score_after=(1, 2), home_scored=True)
    assert match_evidence(shown.scorebug, goal).teams is TeamsShown.UNCLEAR
    taught = abbreviation_shown(shown.scorebug, goal)
    assert taught == ShownAbbreviation(is_home=False, text="UCA")
    learned = match_evidence(shown.scorebug, replace(goal, learned_away=(taught.text,)))
    assert learned.confirms
    assert learned.learned


def test_v6_without_stills_there_is_nothing_to_read() -> None:
    assert read_screen_text([]).scorebug.text() == ""
