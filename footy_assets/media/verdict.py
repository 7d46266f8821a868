"""V1–V5: does a clip show this goal? Cheap questions first; what cannot be judged is refused."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from footy_assets.errors import VisionError
from footy_assets.media.clock import ClockReading, read_clock
from footy_assets.media.clock_text import MINUTE, match_seconds, times_in
from footy_assets.media.decode import Progress, Scan, scan
from footy_assets.media.examine import STILLS_AT, Judged
from footy_assets.media.goal_minute import GoalMinute, verified_by
from footy_assets.media.looks import ASKED_AT, Looks, decide, judges, look, nearest
from footy_assets.media.opinion import FrameOpinion, SecondOpinion
from footy_assets.media.probe import LIMITS, Limits

# How near its threshold a probability leaves us unsure, in log odds: at 0.5, from 0.27 to 0.73.
UNSURE_WITHIN = 1.0

NO_CLOCK = ClockReading((), False, (), None, "not looked for")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The word on a clip. `verified` is None where no clock tells, False where it tells otherwise.

    `frames` says what was seen in each frame and by whom; `notes` what else happened on the way.
    """

    accepted: bool
    football: bool | None
    filmed_off_screen: bool | None
    clock_minutes: tuple[int, ...]
    verified: bool | None
    reasons: tuple[str, ...]
    frames: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "accepted": self.accepted,
            "football": self.football,
            "filmed_off_screen": self.filmed_off_screen,
            "clock_minutes": list(self.clock_minutes),
            "verified": self.verified is True,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "frames": [dict(frame) for frame in self.frames],
        }


@dataclass(frozen=True, slots=True)
class _Answers:
    """V2's questions answered by one judge for the whole clip."""

    football: bool | None
    off_screen: bool | None
    clock: tuple[int, ...] = ()
    frames: tuple[Mapping[str, Any], ...] = ()


def validate(
    path: Path | str,
    minute: GoalMinute | str | int | None = None,
    second_opinion: SecondOpinion | None = None,
    *,
    instead: bool = False,
    limits: Limits = LIMITS,
    on_progress: Progress | None = None,
) -> Verdict:
    """Judge a file. Without a minute the clock is read but verifies nothing."""
    wanted = None if minute is None else GoalMinute.of(minute)
    scanned = scan(path, STILLS_AT, limits, on_progress)
    return validate_scan(scanned, wanted, second_opinion, instead=instead)


def validate_scan(
    scanned: Scan,
    minute: GoalMinute | None = None,
    second_opinion: SecondOpinion | None = None,
    *,
    instead: bool = False,
) -> Verdict:
    """V1: pictures before the clock, our own eyes before a model that costs."""
    notes: list[str] = []
    if instead and second_opinion is not None:
        try:
            answers = _asked(scanned, second_opinion)
        except VisionError as error:
            return _refused(f"could not be judged: {error}")
        return _verdict(answers, _heard(answers), minute, notes)
    looks = look(scanned)
    answers = _own(looks)
    if second_opinion is not None and unsure(looks):
        try:
            other = _asked(scanned, second_opinion)
        except VisionError as error:
            notes.append(f"no second opinion: {error}")
        else:
            notes.append("our own judgement was unsure: the second opinion decides")
            answers = replace(other, frames=(*answers.frames, *other.frames))
    if not (answers.football is True and answers.off_screen is False):
        return _verdict(answers, NO_CLOCK, minute, notes)
    clock = read_clock(scanned.stills)
    if not clock.minutes and answers.clock:
        clock = _heard(answers)
    return _verdict(answers, clock, minute, notes)


def validator(
    second_opinion: SecondOpinion | None = None, *, instead: bool = False
) -> Callable[[Scan, int, int | None], Judged]:
    """The judge that a `FileExaminer` asks."""

    def judge(scanned: Scan, elapsed: int, extra: int | None) -> Judged:
        minute = GoalMinute(elapsed, extra or 0)
        verdict = validate_scan(scanned, minute, second_opinion, instead=instead)
        return Judged(
            verdict.accepted, verdict.verified is True, verdict.reasons, verdict.as_json()
        )

    return judge


def _verdict(
    answers: _Answers, clock: ClockReading, minute: GoalMinute | None, notes: Sequence[str]
) -> Verdict:
    reasons: list[str] = []
    if answers.football is not True:
        reasons.append("not football" if answers.football is False else "football is not certain")
    if answers.off_screen is not False:
        filmed = answers.off_screen is True
        reasons.append("filmed off a screen" if filmed else "may be filmed off a screen")
    verified = verified_by(clock, minute.elapsed, minute.extra) if minute else None
    if verified is False and minute is not None:
        shown = ", ".join(map(str, clock.minutes))
        reasons.append(f"wrong minute: the clock shows {shown}, expected {minute.on_the_clock}")
    reads = [
        {
            "seconds": read.seconds,
            "judge": "clock",
            "text": read.text,
            "match_seconds": read.match_seconds,
            "confidence": read.confidence,
        }
        for read in clock.frames
    ]
    return Verdict(
        accepted=not reasons,
        football=answers.football,
        filmed_off_screen=answers.off_screen,
        clock_minutes=clock.minutes,
        verified=verified,
        reasons=tuple(reasons),
        frames=(*answers.frames, *reads),
        notes=(*notes, f"clock: {clock.reason}"),
    )


def _refused(reason: str) -> Verdict:
    return Verdict(False, None, None, (), None, (reason,), ())


def _own(looks: Looks) -> _Answers:
    frames = tuple(
        {
            "seconds": frame.seconds,
            "judge": "own",
            "football": frame.football,
            "filmed_off_screen": frame.off_screen,
            "classes": dict(frame.classes),
            "reasons": list(frame.reasons),
        }
        for frame in looks.frames
    )
    return _Answers(looks.football, looks.off_screen, frames=frames)


def _asked(scanned: Scan, second_opinion: SecondOpinion) -> _Answers:
    """V2: 25 % and 75 %, and 50 % only when they disagree."""
    opinions: list[FrameOpinion] = []
    frames: list[Mapping[str, Any]] = []
    football = off_screen = None
    for part in ASKED_AT:
        still = nearest(scanned.stills, part * scanned.probe.duration)
        opinion = second_opinion.ask(still)
        opinions.append(opinion)
        frames.append(
            {
                "seconds": still.seconds,
                "judge": opinion.judge,
                "football": opinion.football,
                "filmed_off_screen": opinion.filmed_off_screen,
                "clock": opinion.clock,
            }
        )
        football = decide([o.football for o in opinions])
        off_screen = decide([o.filmed_off_screen for o in opinions])
        if football is not None and off_screen is not None:
            break
    minutes = {m for o in opinions if o.clock for m in written_minutes(o.clock)}
    return _Answers(football, off_screen, tuple(sorted(minutes)), tuple(frames))


def unsure(looks: Looks) -> bool:
    """Do the frames leave a question open, or answer one by little?"""
    if looks.football is None or looks.off_screen is None:
        return True
    football, off_screen = judges()
    return any(
        answer is not None and abs(_log_odds(answer) - _log_odds(threshold)) < UNSURE_WITHIN
        for frame in looks.frames
        for answer, threshold in (
            (frame.football, football.threshold),
            (frame.off_screen, off_screen.threshold),
        )
    )


def written_minutes(text: str) -> tuple[int, ...]:
    """V3: the minutes of a clock that someone else read: 45:00 +2:13 is 47, 2H 12:30 is 57."""
    minutes = set()
    for shown in times_in(text):
        if shown.base is not None:
            minutes.add(match_seconds(shown.base, shown.seconds, shown.period) // MINUTE)
        elif not shown.plus:
            minutes.add(match_seconds(shown.seconds, None, shown.period) // MINUTE)
    return tuple(sorted(minutes))


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))


def _heard(answers: _Answers) -> ClockReading:
    told = "read by the model" if answers.clock else "the model read none"
    return ClockReading(answers.clock, False, (), None, told)
