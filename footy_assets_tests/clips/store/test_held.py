"""SE8: held files in MongoDB: everything that was read in a film comes back as it was."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pymongo.database import Database

from footy_assets.clips.rules.held import (
    HeldFile,
    HeldPlayable,
    HeldRendition,
    depends_on_goal,
    held_file_id,
    judged_for,
)
from footy_assets.clips.store.held import HeldFiles
from footy_assets.media import ClockReading, GoalMinute, Probe, RefusalReason, ValidationResult
from footy_assets.media.abbreviations import ShownAbbreviation
from footy_assets.media.evidence import MatchEvidence
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.ocr import TextBox
from footy_assets.media.playable import PlayableMethod
from footy_assets.media.scorebug_layout import Cell
from footy_assets.media.scorebug_reading import ScorebugReading, ShownScore
from footy_assets.media.teams_shown import TeamsShown
from footy_assets.media.text_tracks import FrameReading
from footy_assets.media.validation import Refusal
from footy_assets.store.collections import Document

BOX = TextBox(10, 20, 110, 40)
PROBE = Probe(12.5, 640, 360, 25.0, 0, 1.0, "h264", 900, 1400, True, 312)
FACTS = GoalFacts(
    GoalMinute(30, 0), ("Liverpool", "LIV"), ("Manchester United",), (1, 0), True, (1, 0), (1, 0)
)
READ = ValidationResult(
    accepted=True,
    football=True,
    filmed_off_screen=False,
    clock_minutes=(29,),
    clock_matches=True,
    frames=({"seconds": 3.1, "judge": "own", "classes": {"pitch": 0.9}},),
    notes=("clock: it runs",),
    scorebug=ScorebugReading(
        ("LIV", "MUN"), (ShownScore(0, 0, 0.5, 9.0, 7),), BOX, "", (Cell(BOX, "LIV", 0.9),), 29
    ),
    match=MatchEvidence(TeamsShown.SAME, True),
    text_box=BOX,
    text_moments=(1.0, 2.5),
    abbreviation=ShownAbbreviation(is_home=False, text="MUN"),
    clock=ClockReading((29,), True, (FrameReading(1.0, "29:10", 1750, 0.95),), BOX, "it runs"),
)
HELD = HeldFile(
    id=held_file_id("goal-a", "a" * 32),
    goal_key="goal-a",
    fixture_id=5000,
    md5="a" * 32,
    size=1400,
    probe=PROBE,
    validation=READ,
    facts=FACTS,
    held_at=datetime(2025, 5, 10, 14, 31, tzinfo=UTC),
    playable=HeldPlayable(
        "b" * 32,
        PROBE,
        PlayableMethod.TRANSCODED,
        (HeldRendition("c" * 32, PROBE, "vp9", "vp09.00.30.08"),),
    ),
    has_scorebug=True,
)


def test_se8_a_held_file_is_read_as_it_was_written(database: Database[Document]) -> None:
    files = HeldFiles(database)
    files.put(HELD)
    files.put(HELD)
    assert files.of_goal("goal-a") == [HELD]
    assert files.goals() == ["goal-a"]
    files.postpone("goal-a")
    assert files.goals() == []
    files.delete(HELD)
    assert files.of_goal("goal-a") == []


def test_se8_the_keys_of_held_objects_are_no_clip_s() -> None:
    stem = f"held/5000/goal-a/{'a' * 16}"
    endings = (".jpg", ".thumb.jpg", ".bug.jpg", ".vp9.mp4", ".mp4")
    assert HELD.object_keys == tuple(stem + ending for ending in endings)
    assert replace(HELD, playable=None).object_keys == ()


@pytest.mark.parametrize(
    ("facts", "refused"),
    [
        (FACTS, ()),
        (replace(FACTS, minute=GoalMinute(31, 0)), ()),
        (replace(FACTS, minute=GoalMinute(62, 0)), (RefusalReason.WRONG_MINUTE,)),
        (replace(FACTS, score_after=(3, 0)), (RefusalReason.WRONG_SCORE,)),
        (
            replace(FACTS, home=("Arsenal",), away=("Everton",)),
            (RefusalReason.WRONG_MATCH,),
        ),
    ],
)
def test_se8_v7_the_verdict_follows_what_is_known_of_the_goal(
    facts: GoalFacts, refused: tuple[RefusalReason, ...]
) -> None:
    verdict = judged_for(HELD, facts)
    assert tuple(one.reason for one in verdict.refusals) == refused
    assert verdict.accepted is not bool(refused)
    assert verdict.clock == READ.clock


def test_se8_only_refusals_for_what_is_known_of_the_goal_may_change() -> None:
    wrong_minute, not_football = (
        Refusal(RefusalReason.WRONG_MINUTE),
        Refusal(RefusalReason.NOT_FOOTBALL),
    )
    assert depends_on_goal(replace(READ, refusals=(wrong_minute,)))
    assert not depends_on_goal(replace(READ, refusals=(not_football, wrong_minute)))
    assert not depends_on_goal(READ)
