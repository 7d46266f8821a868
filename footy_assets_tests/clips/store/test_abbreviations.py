"""V7: learned abbreviations of teams, and how a batch of clips learns them."""

from dataclasses import replace
from pathlib import Path

from pymongo.database import Database

from footy_assets.clips.store.abbreviations import TeamAbbreviations
from footy_assets.media import Scan
from footy_assets.media.abbreviations import ShownAbbreviation
from footy_assets.media.examine import FileExaminer
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.validation import ValidationResult
from footy_assets.store.collections import TEAM_ABBREVIATIONS, Document
from footy_assets_tests.clips.clip_harness import LENIENT, ClipHarness, validate
from footy_assets_tests.matchday.goals import GOAL, STABLE, put_goal
from footy_assets_tests.media.cells import shared_cell
from resources.s3.clip_store import ClipStore


def test_v7_an_abbreviation_counts_after_two_other_matches(database: Database[Document]) -> None:
    store = TeamAbbreviations(database)
    for fixture in (1, 1, 2):
        store.learn(39, 40, "GAL", fixture, STABLE)
    store.learn(39, 40, "RUB", 1, STABLE)
    store.learn(61, 40, "OTH", 1, STABLE)
    store.learn(61, 40, "OTH", 2, STABLE)
    assert store.of_teams(39, [40, 33], 3) == {40: ("GAL",), 33: ()}
    assert store.of_teams(39, [40], 2) == {40: ()}, "one of the two is the match itself"
    assert database[TEAM_ABBREVIATIONS].count_documents({}) == 3


def teaches(scanned: Scan, goal: GoalFacts) -> ValidationResult:
    shown = ShownAbbreviation(is_home=True, text="POOL")
    return replace(validate(scanned, goal), abbreviation=shown)


def test_v7_a_stored_clip_teaches_and_the_next_match_knows(
    database: Database[Document], clip_store: ClipStore, tmp_path: Path
) -> None:
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path)
    work = replace(harness.work(), examiner=FileExaminer(teaches, shared_cell(), LENIENT))
    fixture = work.documents.goals.fixture_of(GOAL)
    assert fixture is not None
    harness.choose(good=1)
    harness.run(work)
    (learned,) = database[TEAM_ABBREVIATIONS].find()
    assert learned["fixtures"] == [GOAL.fixture_id]
    assert (learned["team_id"], learned["text"]) == (fixture.home.id, "POOL")
    for other in (GOAL.fixture_id + 1, GOAL.fixture_id + 2):
        work.documents.abbreviations.learn(
            fixture.league.id, fixture.home.id, "POOL", other, STABLE
        )
    facts = work.facts_of(GOAL)
    assert (facts.learned_home, facts.learned_away) == (("POOL",), ())
