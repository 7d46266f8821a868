"""V1–V5: how answers become a verdict. The answers themselves are tested where they are made."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from footy_assets.errors import VisionBudgetSpent, VisionError
from footy_assets.media import verdict as rules
from footy_assets.media.clock import ClockReading
from footy_assets.media.decode import Scan, Still
from footy_assets.media.goal_minute import GoalMinute
from footy_assets.media.looks import FrameLook, Looks
from footy_assets.media.motion import motion_evidence
from footy_assets.media.opinion import FrameOpinion
from footy_assets.media.pitch import pitch_evidence
from footy_assets.media.probe import Probe
from footy_assets.media.screen import screen_evidence
from footy_assets.media.verdict import Verdict, validate_scan, validator, written_minutes

PROBE = Probe(10.0, 640, 360, 25.0, 0, 1.0, "h264", 900_000, 1_000_000, True, 250)
PICTURE = np.zeros((36, 64, 3), np.uint8)
SCAN = Scan(
    PROBE,
    np.zeros((80, 128, 128), np.uint8),
    tuple(Still(second, PICTURE) for second in (2.5, 5.0, 7.5)),
    0,
)
EVIDENCE = pitch_evidence(PICTURE)
SURE, UNSURE = (0.99, 0.01), (0.5, 0.5)


def frame(second: float, football: float | None, off_screen: float | None) -> FrameLook:
    return FrameLook(second, football, off_screen, (), EVIDENCE, ())


LOOKS = Looks(
    True,
    False,
    (frame(2.5, *SURE), frame(7.5, *SURE)),
    screen_evidence(SCAN.samples, SCAN.stills),
    motion_evidence(SCAN.samples),
    (),
)
NO_CLOCK = ClockReading((), False, (), None, "no clock in sight")


class Eyes:
    """A second judge that says what it is told, frame by frame."""

    def __init__(self, *says: tuple[bool, bool, str | None] | VisionError) -> None:
        self.says = list(says)
        self.asked: list[float] = []

    def ask(self, still: Still) -> FrameOpinion:
        self.asked.append(still.seconds)
        said = self.says[len(self.asked) - 1]
        if isinstance(said, VisionError):
            raise said
        return FrameOpinion("eyes", *said)


Judge = Callable[..., Verdict]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    def judge(
        looks: Looks = LOOKS,
        clock: ClockReading = NO_CLOCK,
        minute: GoalMinute | None = None,
        eyes: Eyes | None = None,
        instead: bool = False,
    ) -> Verdict:
        monkeypatch.setattr(rules, "look", lambda _: looks)
        monkeypatch.setattr(rules, "read_clock", lambda _: clock)
        return validate_scan(SCAN, minute, eyes, instead=instead)

    return judge


def clock(*minutes: int) -> ClockReading:
    return ClockReading(minutes, True, (), None, "the clock runs")


def test_v1_football_without_a_clock_is_kept_unverified(judge: Judge) -> None:
    verdict = judge(minute=GoalMinute(30))
    assert (verdict.accepted, verdict.verified) == (True, None)
    assert verdict.as_json()["verified"] is False


def test_v3_the_right_minute_verifies_and_a_wrong_one_refuses(judge: Judge) -> None:
    assert judge(clock=clock(29), minute=GoalMinute(30)).verified is True
    assert judge(clock=clock(46), minute=GoalMinute(45, 2)).verified is True
    wrong = judge(clock=clock(61), minute=GoalMinute(30))
    assert (wrong.accepted, wrong.verified) == (False, False)
    assert wrong.reasons == ("wrong minute: the clock shows 61, expected 29",)


def test_v3_without_a_minute_the_clock_is_only_told(judge: Judge) -> None:
    verdict = judge(clock=clock(61))
    assert (verdict.accepted, verdict.clock_minutes, verdict.verified) == (True, (61,), None)


@pytest.mark.parametrize(
    ("football", "off_screen", "reason"),
    [
        (False, False, "not football"),
        (None, False, "football is not certain"),
        (True, True, "filmed off a screen"),
        (True, None, "may be filmed off a screen"),
    ],
)
def test_v1_what_is_not_known_to_be_right_is_refused(
    judge: Judge, football: bool | None, off_screen: bool | None, reason: str
) -> None:
    verdict = judge(replace(LOOKS, football=football, off_screen=off_screen))
    assert not verdict.accepted
    assert verdict.reasons == (reason,)


def test_v1_the_clock_is_not_read_where_the_pictures_refuse(judge: Judge) -> None:
    verdict = judge(replace(LOOKS, football=False), clock=clock(29), minute=GoalMinute(30))
    assert verdict.clock_minutes == ()
    assert verdict.notes == ("clock: not looked for",)


def test_v4_a_second_opinion_is_asked_only_when_we_are_unsure(judge: Judge) -> None:
    eyes = Eyes()
    assert judge(eyes=eyes).accepted
    assert eyes.asked == []


def test_v4_the_second_opinion_decides_what_we_are_unsure_of(judge: Judge) -> None:
    unsure = replace(LOOKS, football=None, frames=(frame(2.5, *UNSURE), frame(7.5, *UNSURE)))
    eyes = Eyes((True, False, None), (True, False, "29:10"))
    verdict = judge(unsure, eyes=eyes, minute=GoalMinute(30))
    assert verdict.accepted
    assert verdict.verified is True
    assert eyes.asked == [2.5, 7.5], "V2: a third frame only when two disagree"
    assert {f["judge"] for f in verdict.frames} == {"own", "eyes"}


def test_v2_the_third_frame_is_asked_when_two_disagree(judge: Judge) -> None:
    unsure = replace(LOOKS, football=None)
    eyes = Eyes((True, False, None), (False, False, None), (True, False, None))
    assert judge(unsure, eyes=eyes).accepted
    assert eyes.asked == [2.5, 7.5, 5.0]
    eyes = Eyes((True, False, None), (False, False, None), (False, False, None))
    assert judge(unsure, eyes=eyes).reasons == ("not football",)


def test_v1_no_second_opinion_leaves_our_own_verdict(judge: Judge) -> None:
    unsure = replace(LOOKS, football=None)
    verdict = judge(unsure, eyes=Eyes(VisionBudgetSpent("the day's budget is spent")))
    assert verdict.reasons == ("football is not certain",)
    assert "no second opinion: the day's budget is spent" in verdict.notes


def test_v4_a_model_may_judge_instead_of_us_and_fails_closed(judge: Judge) -> None:
    eyes = Eyes((True, False, "2H 12:30"), (True, False, None))
    verdict = judge(eyes=eyes, instead=True, minute=GoalMinute(58))
    assert (verdict.accepted, verdict.verified, verdict.clock_minutes) == (True, True, (57,))
    down = judge(eyes=Eyes(VisionBudgetSpent("no more")), instead=True)
    assert (down.accepted, down.reasons) == (False, ("could not be judged: no more",))


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
def test_v3_a_clock_read_by_others_is_parsed_like_ours(text: str, minutes: tuple[int, ...]) -> None:
    assert written_minutes(text) == minutes


def test_v5_every_verdict_is_json(judge: Judge) -> None:
    told = judge(clock=clock(29), minute=GoalMinute(30)).as_json()
    fields = {"accepted", "football", "filmed_off_screen", "clock_minutes", "verified"}
    assert fields | {"reasons", "frames", "notes"} == set(told)


def test_the_validator_gives_what_is_stored_with_the_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "look", lambda _: LOOKS)
    monkeypatch.setattr(rules, "read_clock", lambda _: clock(46))
    judged = validator()(SCAN, 45, 2)
    assert (judged.accepted, judged.verified) == (True, True)
    assert judged.explanation["clock_minutes"] == [46]
