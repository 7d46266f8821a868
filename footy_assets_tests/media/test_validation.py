"""V1–V7: assessments, clock and vision model combine to one result."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from footy_assets.errors import VisionBudgetSpent, VisionError
from footy_assets.media import validation
from footy_assets.media.clock import ClockReading
from footy_assets.media.decode import Scan, Still
from footy_assets.media.evidence import VerifiedBy
from footy_assets.media.frame_assessment import ClipAssessment, FrameAssessment
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.pitch import pitch_evidence
from footy_assets.media.probe import Probe
from footy_assets.media.scorebug_reading import NO_SCOREBUG, ScorebugReading, ShownScore
from footy_assets.media.screen_text import ScreenText
from footy_assets.media.validation import (
    ValidationResult,
    compare_with_goal,
    make_validator,
    parse_clock_minutes,
    validate_scan,
)
from footy_assets.media.vision_model import FrameAnswer

PROBE = Probe(10.0, 640, 360, 25.0, 0, 1.0, "h264", 900_000, 1_000_000, True, 250)
PICTURE = np.zeros((36, 64, 3), np.uint8)
SCAN = Scan(
    PROBE,
    np.zeros((80, 128, 128), np.uint8),
    tuple(Still(second, PICTURE) for second in (2.5, 5.0, 7.5)),
)
EVIDENCE = pitch_evidence(PICTURE)
SURE, UNSURE = (0.99, 0.01), (0.5, 0.5)


def frame(second: float, football: float | None, off_screen: float | None) -> FrameAssessment:
    return FrameAssessment(second, football, off_screen, (), EVIDENCE, ())


ASSESSMENT = ClipAssessment(True, False, (frame(2.5, *SURE), frame(7.5, *SURE)))
NO_CLOCK = ClockReading((), False, (), None, "no clock found")


GOAL = GoalFacts(None, ("Boca Juniors",), ("Universidad Católica",), (1, 0), home_scored=True)


def shown(*scores: tuple[int, int], names: tuple[str, ...] = ("BOC", "UCA")) -> ScorebugReading:
    found = tuple(
        ShownScore(home, away, float(number), float(number), 5)
        for number, (home, away) in enumerate(scores)
    )
    return ScorebugReading(names, found)


class FakeModel:
    """A vision model with scripted answers, one per frame."""

    def __init__(self, *answers: tuple[bool, bool, str | None] | VisionError) -> None:
        self.answers = list(answers)
        self.frames: list[float] = []

    def ask(self, still: Still) -> FrameAnswer:
        self.frames.append(still.seconds)
        answer = self.answers[len(self.frames) - 1]
        if isinstance(answer, VisionError):
            raise answer
        return FrameAnswer("model", *answer)


Validate = Callable[..., ValidationResult]


@pytest.fixture
def validate(monkeypatch: pytest.MonkeyPatch) -> Validate:
    def validate(
        assessment: ClipAssessment = ASSESSMENT,
        clock: ClockReading = NO_CLOCK,
        minute: GoalMinute | None = None,
        model: FakeModel | None = None,
        vision_only: bool = False,
        bug: ScorebugReading = NO_SCOREBUG,
        goal: GoalFacts = GOAL,
    ) -> ValidationResult:
        monkeypatch.setattr(validation, "assess_frames", lambda _: assessment)
        monkeypatch.setattr(validation, "read_screen_text", lambda _: ScreenText(clock, bug))
        goal = replace(goal, minute=minute)
        return validate_scan(SCAN, goal, model, vision_only=vision_only)

    return validate


def clock(*minutes: int) -> ClockReading:
    return ClockReading(minutes, True, (), None, "the clock runs")


def test_v1_football_without_a_clock_is_kept_unverified(validate: Validate) -> None:
    result = validate(minute=GoalMinute(30))
    assert (result.accepted, result.clock_matches) == (True, None)
    assert result.as_json()["verified"] is False


def test_v3_the_right_minute_verifies_and_a_wrong_one_refuses(validate: Validate) -> None:
    assert validate(clock=clock(29), minute=GoalMinute(30)).verified is True
    assert validate(clock=clock(46), minute=GoalMinute(45, 2)).verified is True
    wrong = validate(clock=clock(61), minute=GoalMinute(30))
    assert (wrong.accepted, wrong.clock_matches) == (False, False)
    assert wrong.reasons == ("wrong minute: the clock shows 61, expected 29",)


def test_v3_without_a_minute_the_clock_is_reported_only(validate: Validate) -> None:
    result = validate(clock=clock(61))
    assert (result.accepted, result.clock_minutes, result.clock_matches) == (True, (61,), None)


@pytest.mark.parametrize(
    ("football", "off_screen", "reason"),
    [
        (False, False, "not football"),
        (None, False, "football is not certain"),
        (True, True, "filmed off a screen"),
        (True, None, "may be filmed off a screen"),
    ],
)
def test_v1_an_uncertain_clip_is_refused(
    validate: Validate, football: bool | None, off_screen: bool | None, reason: str
) -> None:
    result = validate(replace(ASSESSMENT, football=football, off_screen=off_screen))
    assert not result.accepted
    assert result.reasons == (reason,)


@pytest.mark.parametrize(
    ("assessment", "goal"),
    [
        (replace(ASSESSMENT, football=False), GoalFacts()),
        (replace(ASSESSMENT, football=False), GOAL),
        (replace(ASSESSMENT, football=None), replace(GOAL, away=())),
        (replace(ASSESSMENT, off_screen=True), GOAL),
    ],
)
def test_v1_the_clock_is_not_read_if_the_frames_are_refused(
    validate: Validate, assessment: ClipAssessment, goal: GoalFacts
) -> None:
    result = validate(assessment, clock=clock(29), minute=GoalMinute(30), goal=goal)
    assert result.clock_minutes == ()
    assert result.notes == ("clock: not looked for",)


def test_v8_a_scorebug_that_names_both_teams_outweighs_an_unsure_picture(
    validate: Validate,
) -> None:
    unlike = replace(ASSESSMENT, football=None)
    named = validate(unlike, clock=clock(29), minute=GoalMinute(30), bug=shown((0, 0), (1, 0)))
    assert (named.accepted, named.football) == (True, None), "the picture says what it says"
    assert named.verified_by is VerifiedBy.MATCH
    assert validation.NAMED_BY_SCOREBUG in named.notes
    other = compare_with_goal(named, replace(GOAL, home=("Estudiantes",), away=("Tigre",)))
    assert not other.accepted
    assert validation.NAMED_BY_SCOREBUG not in other.notes


@pytest.mark.parametrize(
    ("bug", "reasons"),
    [
        (NO_SCOREBUG, ("football is not certain",)),
        (shown((0, 0), names=("BOC", "XYZ")), ("football is not certain",)),
        (
            shown((88, 79)),
            ("wrong score: the scorebug shows BOC 88-79 UCA, expected 0-0 or 1-0",),
        ),
    ],
)
def test_v8_a_scorebug_without_this_match_leaves_the_picture_to_decide(
    validate: Validate, bug: ScorebugReading, reasons: tuple[str, ...]
) -> None:
    result = validate(replace(ASSESSMENT, football=None), bug=bug)
    assert (result.accepted, result.reasons) == (False, reasons)


def test_v4_the_model_is_called_only_if_the_own_assessment_is_unsure(validate: Validate) -> None:
    model = FakeModel()
    assert validate(model=model).accepted
    assert model.frames == []


def test_v4_the_model_decides_if_our_assessment_is_unsure(validate: Validate) -> None:
    unsure = replace(ASSESSMENT, football=None, frames=(frame(2.5, *UNSURE), frame(7.5, *UNSURE)))
    model = FakeModel((True, False, None), (True, False, "29:10"))
    result = validate(unsure, model=model, minute=GoalMinute(30))
    assert result.accepted
    assert result.verified is True
    assert model.frames == [2.5, 7.5], "V2: a third frame only when two disagree"
    assert {f["judge"] for f in result.frames} == {"own", "model"}


def test_v2_the_model_sees_a_third_frame_if_two_disagree(validate: Validate) -> None:
    unsure = replace(ASSESSMENT, football=None)
    model = FakeModel((True, False, None), (False, False, None), (True, False, None))
    assert validate(unsure, model=model).accepted
    assert model.frames == [2.5, 7.5, 5.0]
    model = FakeModel((True, False, None), (False, False, None), (False, False, None))
    assert validate(unsure, model=model).reasons == ("not football",)


def test_v1_our_own_assessment_counts_if_the_model_fails(validate: Validate) -> None:
    unsure = replace(ASSESSMENT, football=None)
    result = validate(unsure, model=FakeModel(VisionBudgetSpent("the day's budget is spent")))
    assert result.reasons == ("football is not certain",)
    assert "no second opinion: the day's budget is spent" in result.notes


def test_v4_the_model_alone_may_decide_and_its_failure_refuses(validate: Validate) -> None:
    model = FakeModel((True, False, "2H 12:30"), (True, False, None))
    result = validate(model=model, vision_only=True, minute=GoalMinute(58))
    assert (result.accepted, result.verified, result.clock_minutes) == (True, True, (57,))
    down = validate(model=FakeModel(VisionBudgetSpent("no more")), vision_only=True)
    assert (down.accepted, down.decided) == (False, False)
    assert down.reasons == ("could not be judged: no more",)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("23:41", (23,)),
        ("45:00 +2:13", (47,)),
        ("90+4:58", (94,)),
        ("2H 12:30", (57,)),
        ("ET 14:02", (104,)),
        ("105:30", (105,)),
        ("2-1", ()),
        ("", ()),
        ("no clock", ()),
    ],
)
def test_v3_the_models_clock_text_is_parsed_like_ours(text: str, minutes: tuple[int, ...]) -> None:
    assert parse_clock_minutes(text) == minutes


def test_v5_every_result_is_json(validate: Validate) -> None:
    row = validate(clock=clock(29), minute=GoalMinute(30)).as_json()
    fields = {"accepted", "football", "filmed_off_screen", "clock_minutes", "verified"}
    fields |= {"verified_by", "scorebug"}
    assert fields | {"reasons", "frames", "notes"} == set(row)


def test_a_validator_takes_the_goals_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "assess_frames", lambda _: ASSESSMENT)
    monkeypatch.setattr(validation, "read_screen_text", lambda _: ScreenText(clock(46)))
    result = make_validator()(SCAN, GoalFacts(GoalMinute(45, 2)))
    assert (result.accepted, result.verified) == (True, True)
    assert result.as_json()["clock_minutes"] == [46]


def test_v7_match_and_clock_verify_more_than_the_clock_alone(validate: Validate) -> None:
    both = validate(clock=clock(29), minute=GoalMinute(30), bug=shown((0, 0), (1, 0)))
    assert (both.accepted, both.verified_by) == (True, VerifiedBy.MATCH)
    unread = validate(clock=clock(29), minute=GoalMinute(30), bug=shown((0, 0), names=()))
    assert (unread.accepted, unread.verified_by) == (True, VerifiedBy.CLOCK)
    no_clock = validate(minute=GoalMinute(30), bug=shown((1, 0)))
    assert (no_clock.accepted, no_clock.verified_by) == (True, VerifiedBy.NOTHING)


def test_v7_another_pair_of_teams_refuses_even_in_the_right_minute(validate: Validate) -> None:
    other = shown((0, 0), names=("LIV", "WHX"))
    result = validate(clock=clock(29), minute=GoalMinute(30), bug=other)
    assert not result.accepted
    assert result.reasons == (
        "wrong match: the scorebug shows LIV 0-0 WHX, expected Boca Juniors and "
        "Universidad Católica",
    )


@pytest.mark.parametrize("scores", [[(0, 1)], [(2, 0)], [(1, 0), (2, 0)], [(3, 3)]])
def test_v7_a_score_that_the_goal_cannot_have_refuses(
    validate: Validate, scores: list[tuple[int, int]]
) -> None:
    result = validate(clock=clock(29), minute=GoalMinute(30), bug=shown(*scores))
    assert [refusal.reason for refusal in result.refusals] == ["wrong score"]


def test_v7_the_score_counts_from_the_side_that_is_named_first(validate: Validate) -> None:
    swapped = shown((0, 1), names=("UCA", "BOC"))
    result = validate(clock=clock(29), minute=GoalMinute(30), bug=swapped)
    assert result.verified_by is VerifiedBy.MATCH


def test_v7_a_frozen_clock_counts_only_where_the_match_is_right(validate: Validate) -> None:
    frozen = replace(NO_CLOCK, frozen_minutes=(29,))
    alone = validate(clock=frozen, minute=GoalMinute(30))
    assert (alone.accepted, alone.verified_by) == (True, VerifiedBy.NOTHING)
    right = validate(clock=frozen, minute=GoalMinute(30), bug=shown((1, 0)))
    assert right.verified_by is VerifiedBy.CLOCK
    other_minute = replace(frozen, frozen_minutes=(61,))
    assert validate(clock=other_minute, minute=GoalMinute(30), bug=shown((1, 0))).accepted


def test_v7_a_clock_without_seconds_counts_as_a_frozen_one(validate: Validate) -> None:
    marked = replace(shown((1, 0)), minute_mark=30)
    assert validate(minute=GoalMinute(30), bug=marked).verified_by is VerifiedBy.CLOCK
    elsewhere = replace(marked, minute_mark=61)
    assert validate(minute=GoalMinute(30), bug=elsewhere).verified_by is VerifiedBy.NOTHING
