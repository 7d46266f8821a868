"""V1–V8: does a clip show this goal? Cheap checks first; what cannot be judged is refused."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from footy_assets.errors import VisionError
from footy_assets.media.abbreviations import ShownAbbreviation, abbreviation_shown
from footy_assets.media.assessment_models import assessment_models
from footy_assets.media.clock import ClockReading
from footy_assets.media.clock_text import MINUTE, parse_times, to_match_seconds
from footy_assets.media.decode import Scan
from footy_assets.media.evidence import (
    NO_EVIDENCE,
    MatchEvidence,
    VerifiedBy,
    match_evidence,
    verified_by,
)
from footy_assets.media.frame_assessment import (
    ASSESSED_AT,
    ClipAssessment,
    agreed_answer,
    assess_frames,
    nearest,
)
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.goal_minute import is_frozen_at, verify_minute
from footy_assets.media.ocr import TextBox
from footy_assets.media.scene_model import scene_model
from footy_assets.media.scorebug_picture import moments_of, text_box_of
from footy_assets.media.scorebug_reading import NO_SCOREBUG, ScorebugReading
from footy_assets.media.screen_text import ScreenText, read_screen_text
from footy_assets.media.teams_shown import TeamsShown
from footy_assets.media.vision_model import FrameAnswer, VisionModel

# How close to its threshold a probability counts as unsure, in log odds: at 0.5, 0.27 to 0.73.
UNSURE_WITHIN = 1.0

NO_TEXT = ScreenText(ClockReading((), False, (), None, "not looked for"))


UNKNOWN_GOAL = GoalFacts()
NAMED_BY_SCOREBUG = "the scorebug names both teams: it outweighs the picture"


class RefusalReason(StrEnum):
    """Why a clip is refused, as stored with it."""

    NOT_FOOTBALL = "not football"
    FOOTBALL_UNCERTAIN = "football is not certain"
    OFF_SCREEN = "filmed off a screen"
    OFF_SCREEN_UNCERTAIN = "may be filmed off a screen"
    WRONG_MATCH = "wrong match"
    WRONG_SCORE = "wrong score"
    WRONG_MINUTE = "wrong minute"
    NOT_JUDGED = "could not be judged"


@dataclass(frozen=True, slots=True)
class Refusal:
    reason: RefusalReason
    detail: str = ""

    def sentence(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The result for a clip.

    `clock_matches` is None without a readable clock, False if it shows another minute. `match` is
    what the scorebug's names and score say. `frames` lists the findings in each frame and who made
    them, `notes` what else happened on the way. `decided` is False if the clip is refused only
    because nothing could assess it.
    """

    accepted: bool
    football: bool | None = None
    filmed_off_screen: bool | None = None
    clock_minutes: tuple[int, ...] = ()
    clock_matches: bool | None = None
    refusals: tuple[Refusal, ...] = ()
    frames: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    decided: bool = True
    scorebug: ScorebugReading = NO_SCOREBUG
    match: MatchEvidence = NO_EVIDENCE
    frozen_clock_matches: bool = False
    # Where in the stills clock, names and score were read, and at which seconds of the clip.
    text_box: TextBox | None = None
    text_moments: tuple[float, ...] = ()
    # The clip was mirrored: `text_box` is in its stills mirrored back.
    mirrored: bool = False
    # What a clip with the goal's clock and score calls a side.
    abbreviation: ShownAbbreviation | None = None
    # What was read, so that it can be compared with the goal again.
    clock: ClockReading = NO_TEXT.clock

    @property
    def verified_by(self) -> VerifiedBy:
        """V7: what confirms that the clip shows this goal."""
        return verified_by(
            self.clock_matches, self.match, frozen_clock_matches=self.frozen_clock_matches
        )

    @property
    def verified(self) -> bool:
        """V3, V7: the clock shows the goal's minute."""
        return self.verified_by is not VerifiedBy.NOTHING

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(refusal.sentence() for refusal in self.refusals)

    def as_json(self) -> dict[str, Any]:
        return {
            "accepted": self.accepted,
            "football": self.football,
            "filmed_off_screen": self.filmed_off_screen,
            "clock_minutes": list(self.clock_minutes),
            "verified": self.verified,
            "verified_by": str(self.verified_by),
            "scorebug": {
                "text": self.scorebug.text(),
                "names": list(self.scorebug.names),
                "scores": [list(score.pair) for score in self.scorebug.scores],
                "box": list(self.scorebug.box) if self.scorebug.box else None,
                "text_box": list(self.text_box) if self.text_box else None,
                "text_seconds": list(self.text_moments),
                "mirrored": self.mirrored,
                "teams": str(self.match.teams),
                "score_right": self.match.score_right,
                "learned": self.match.learned,
            },
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "frames": [dict(frame) for frame in self.frames],
        }


Validator = Callable[[Scan, GoalFacts], ValidationResult]


@dataclass(frozen=True, slots=True)
class _ClipAnswers:
    """V2's questions, answered for the whole clip by us or by the vision model."""

    football: bool | None
    off_screen: bool | None
    clock: tuple[int, ...] = ()
    frames: tuple[Mapping[str, Any], ...] = ()

    @property
    def acceptable(self) -> bool:
        """V1: only what is known to be football and known not to be filmed off a screen."""
        return self.football is True and self.off_screen is False


def validate_scan(
    scanned: Scan,
    goal: GoalFacts = UNKNOWN_GOAL,
    vision_model: VisionModel | None = None,
    *,
    vision_only: bool = False,
) -> ValidationResult:
    """V1: frames before the clock, our own assessment before a model that costs money. V8: the
    scorebug can outweigh the frames.

    What is not known of the goal is read but verifies nothing.
    """
    notes: list[str] = []
    if vision_only and vision_model is not None:
        try:
            answers = _ask_model(scanned, vision_model)
        except VisionError as error:
            refusal = Refusal(RefusalReason.NOT_JUDGED, str(error))
            return ValidationResult(accepted=False, refusals=(refusal,), decided=False)
        return _result(answers, ScreenText(_model_clock(answers)), goal, notes)
    assessment = assess_frames(scanned)
    answers = _own_answers(assessment)
    if vision_model is not None and is_unsure(assessment):
        try:
            other = _ask_model(scanned, vision_model)
        except VisionError as error:
            notes.append(f"no second opinion: {error}")
        else:
            notes.append("our own judgement was unsure: the second opinion decides")
            answers = replace(other, frames=(*answers.frames, *other.frames))
    if not answers.acceptable and not _scorebug_may_outweigh(answers, goal):
        return _result(answers, NO_TEXT, goal, notes)
    shown = read_screen_text(scanned.stills)
    if not shown.clock.minutes and answers.clock:
        shown = replace(shown, clock=_model_clock(answers))
    return _result(answers, shown, goal, notes)


def make_validator(
    vision_model: VisionModel | None = None, *, vision_only: bool = False
) -> Validator:
    """The validator of a `FileExaminer`."""

    def validate(scanned: Scan, goal: GoalFacts) -> ValidationResult:
        return validate_scan(scanned, goal, vision_model, vision_only=vision_only)

    return validate


def is_unsure(assessment: ClipAssessment) -> bool:
    """Whether the frames leave a question open, or answer one by a narrow margin."""
    if assessment.football is None or assessment.off_screen is None:
        return True
    models, scene = assessment_models(), scene_model()
    return any(
        answer is not None and abs(_log_odds(answer) - _log_odds(threshold)) < UNSURE_WITHIN
        for frame in assessment.frames
        for answer, threshold in (
            (frame.football, models.football.threshold),
            (frame.off_screen, models.off_screen.threshold),
            (frame.scene, scene.threshold),
        )
    )


def parse_clock_minutes(text: str) -> tuple[int, ...]:
    """V3: the minutes in a clock's text: 45:00 +2:13 is 47, 2H 12:30 is 57."""
    minutes = set()
    for shown in parse_times(text):
        if shown.base is not None:
            minutes.add(to_match_seconds(shown.base, shown.seconds, shown.period) // MINUTE)
        elif not shown.behind_plus:
            minutes.add(to_match_seconds(shown.seconds, None, shown.period) // MINUTE)
    return tuple(sorted(minutes))


def _result(
    answers: _ClipAnswers, shown: ScreenText, goal: GoalFacts, notes: Sequence[str]
) -> ValidationResult:
    clock, bug = shown.clock, shown.scorebug
    readings = [
        {
            "seconds": reading.seconds,
            "judge": "clock",
            "text": reading.text,
            "match_seconds": reading.match_seconds,
            "confidence": reading.confidence,
        }
        for reading in clock.frames
    ]
    shown_in_clip = ValidationResult(
        accepted=False,
        football=answers.football,
        filmed_off_screen=answers.off_screen,
        clock_minutes=clock.minutes,
        frames=(*answers.frames, *readings),
        notes=(*notes, f"clock: {clock.reason}", *_scorebug_notes(bug)),
        scorebug=bug,
        text_box=text_box_of(shown),
        text_moments=moments_of(shown),
        mirrored=shown.mirrored,
        clock=clock,
    )
    return compare_with_goal(shown_in_clip, goal)


def compare_with_goal(result: ValidationResult, goal: GoalFacts) -> ValidationResult:
    """V3, V7: the verdict on what was read in a clip, for what is known of the goal now. Nothing is
    decoded or read again."""
    clock, bug, minute = result.clock, result.scorebug, goal.minute
    match = match_evidence(bug, goal)
    clock_matches = verify_minute(clock, minute.elapsed, minute.extra) if minute else None
    # V8: the clip keeps what its picture says, for another comparison.
    named = result.football is not True and match.teams is TeamsShown.SAME and not match.learned
    answers = _ClipAnswers(named or result.football, result.filmed_off_screen)
    refusals = [Refusal(reason) for reason in _frame_reasons(answers)]
    refusals += _scorebug_refusals(bug, match, goal)
    if clock_matches is False and minute is not None:
        minutes = ", ".join(map(str, clock.minutes))
        detail = f"the clock shows {minutes}, expected {minute.clock_minute}"
        refusals.append(Refusal(RefusalReason.WRONG_MINUTE, detail))
    # What a learned abbreviation verified does not teach it again.
    teaches = clock_matches is True and not refusals and not match.learned
    return replace(
        result,
        accepted=not refusals,
        clock_matches=clock_matches,
        refusals=tuple(refusals),
        notes=_with_note(result.notes, NAMED_BY_SCOREBUG, named),
        match=match,
        frozen_clock_matches=minute is not None and is_frozen_at(clock, minute, bug.minute_mark),
        abbreviation=abbreviation_shown(bug, goal) if teaches else None,
    )


def _with_note(notes: tuple[str, ...], note: str, applies: bool) -> tuple[str, ...]:
    others = tuple(one for one in notes if one != note)
    return (*others, note) if applies else others


def _scorebug_may_outweigh(answers: _ClipAnswers, goal: GoalFacts) -> bool:
    """V8: a scorebug that names both sides outweighs a picture that may not be football.
    Text is dear to read: not for what is surely something else or was filmed off a screen, nor
    without names to compare it with."""
    unsure = answers.football is None and answers.off_screen is False
    return unsure and bool(goal.home) and bool(goal.away)


def _scorebug_refusals(
    bug: ScorebugReading, match: MatchEvidence, goal: GoalFacts
) -> list[Refusal]:
    """V7: a readable other pair of teams, or a score that this goal cannot have."""
    if match.teams is TeamsShown.OTHER:
        detail = f"the scorebug shows {bug.text()}, expected {goal.home[0]} and {goal.away[0]}"
        return [Refusal(RefusalReason.WRONG_MATCH, detail)]
    if match.score_right is False:
        wanted = " or ".join(f"{home}-{away}" for home, away in sorted(goal.conceivable_scores))
        detail = f"the scorebug shows {bug.text()}, expected {wanted}"
        return [Refusal(RefusalReason.WRONG_SCORE, detail)]
    return []


def _scorebug_notes(bug: ScorebugReading) -> list[str]:
    if not bug.reason:
        return []
    text = bug.text()
    return [f"scorebug: {text} ({bug.reason})" if text else f"scorebug: {bug.reason}"]


def _frame_reasons(answers: _ClipAnswers) -> list[RefusalReason]:
    reasons: list[RefusalReason] = []
    if answers.football is False:
        reasons.append(RefusalReason.NOT_FOOTBALL)
    elif answers.football is None:
        reasons.append(RefusalReason.FOOTBALL_UNCERTAIN)
    if answers.off_screen is True:
        reasons.append(RefusalReason.OFF_SCREEN)
    elif answers.off_screen is None:
        reasons.append(RefusalReason.OFF_SCREEN_UNCERTAIN)
    return reasons


def _own_answers(assessment: ClipAssessment) -> _ClipAnswers:
    frames = tuple(
        {
            "seconds": frame.seconds,
            "judge": "own",
            "football": frame.football,
            "filmed_off_screen": frame.off_screen,
            "scene": frame.scene,
            "classes": dict(frame.classes),
            "reasons": list(frame.reasons),
        }
        for frame in assessment.frames
    )
    return _ClipAnswers(assessment.football, assessment.off_screen, frames=frames)


def _ask_model(scanned: Scan, vision_model: VisionModel) -> _ClipAnswers:
    """V2: 25 % and 75 %, and 50 % only when they disagree."""
    answers: list[FrameAnswer] = []
    frames: list[Mapping[str, Any]] = []
    football = off_screen = None
    for part in ASSESSED_AT:
        still = nearest(scanned.stills, part * scanned.probe.duration)
        answer = vision_model.ask(still)
        answers.append(answer)
        frames.append(
            {
                "seconds": still.seconds,
                "judge": answer.judge,
                "football": answer.football,
                "filmed_off_screen": answer.filmed_off_screen,
                "clock": answer.clock,
            }
        )
        football = agreed_answer([each.football for each in answers])
        off_screen = agreed_answer([each.filmed_off_screen for each in answers])
        if football is not None and off_screen is not None:
            break
    minutes = {m for each in answers if each.clock for m in parse_clock_minutes(each.clock)}
    return _ClipAnswers(football, off_screen, tuple(sorted(minutes)), tuple(frames))


def _model_clock(answers: _ClipAnswers) -> ClockReading:
    reason = "read by the model" if answers.clock else "the model read none"
    return ClockReading(answers.clock, False, (), None, reason)


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(clipped / (1 - clipped))
