"""T1, T2: line-ups become snapshots, triggers listen to them, forms offer their players."""

from collections.abc import Sequence

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.matchday.store.documents import fixture_document
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import FIXTURES, Document, ensure_indexes
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.rules.line_up_moments import line_up_snapshots
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.targets import match_targets
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets_tests.matchday.goals import FIXTURE, KICKOFF
from footy_assets_tests.triggers.rules.builders import Json, option, run, trigger

SALAH = RosterPlayer(Player(306, "Mohamed Salah"), 11, "F", starts=True)
NUNEZ = RosterPlayer(Player(9, "Darwin Núñez"), 9, "F")
NAMELESS = RosterPlayer(Player(None, "A Youth"), 60, "F", starts=True)
HOME, AWAY = LineUp(40, (SALAH, NAMELESS, NUNEZ)), LineUp(33, (NAMELESS,))


def snapshots(*line_ups: LineUp) -> list[Snapshot]:
    return [Snapshot.model_validate(one) for one in line_up_snapshots(FIXTURE, line_ups)]


def test_t3_each_line_up_is_a_snapshot_of_its_own_an_hour_before_kickoff() -> None:
    home, away = snapshots(HOME, AWAY)
    assert home.options == {
        "football.match.status": "NS",
        "football.team": "home",
        "football.line_up.team": "home",
        "football.line_up.starter": ["306"],
        "football.line_up.substitute": ["9"],
    }
    assert (home.id, home.scope_id, away.id) == ("5000/line-up/home", "5000", "5000/line-up/away")
    assert (KICKOFF - home.timestamp).total_seconds() == 3600
    assert "football.line_up.starter" not in away.options, "nobody of it has an id"
    assert snapshots(LineUp(40, (NUNEZ,))) == [], "nobody starts yet"


@pytest.mark.parametrize(
    ("condition", "fires"),
    [
        (option("line_up.team", "in", "home"), [True, False]),
        (option("line_up.team", "in", "home", "away"), [True, True]),
        (option("line_up.starter", "in", "306"), [True, False]),
        (option("line_up.starter", "eq", "9"), [False, False]),
        (option("line_up.substitute", "in", "9", "306"), [True, False]),
        (
            option("line_up.starter", "ne", "9", options=[option("line_up.team", "eq", "home")]),
            [True, False],
        ),
    ],
)
def test_t5_triggers_listen_to_line_ups(condition: Json, fires: Sequence[bool]) -> None:
    steps = run(trigger(condition, limits={"scope": 0}), snapshots(HOME, AWAY))
    assert [bool(step.activations) for step in steps] == list(fires)


def test_t15_line_ups_that_are_stored_again_fire_once(database: Database[Document]) -> None:
    ensure_indexes(database)
    database[FIXTURES].insert_one(fixture_document(FIXTURE))
    triggers, clock = TriggerStore(database), ManualClock(KICKOFF)
    starts = option("line_up.starter", "in", "306")
    triggers.create(trigger(starts, limits={"scope": 0}), clock.now(), "starts")
    for line_ups in ((HOME,), (HOME, AWAY)):
        made = line_up_snapshots(FIXTURE, line_ups)
        RosterStore(database).save_line_ups(
            5000, line_ups, clock.now(), complete=len(line_ups) == 2, snapshots=made
        )
        SnapshotStore(database).store_from_fixtures()
        Evaluator(database, clock).run()
    fired = [one["snapshot_id"] for one in triggers.scope_activations("game/5000")]
    assert fired == ["5000/line-up/home"]
    assert SnapshotStore(database).count(["game/5000"]) == 2


def test_t2_a_form_offers_the_players_of_line_ups_and_squads(database: Database[Document]) -> None:
    database[FIXTURES].insert_one(fixture_document(FIXTURE))
    store = RosterStore(database)
    store.save_line_ups(5000, (HOME,), KICKOFF, complete=False)
    store.save_squad(33, (RosterPlayer(Player(8, "Bruno Fernandes")), NAMELESS), KICKOFF)
    players = match_targets(database, "5000").players
    assert [(one.value, one.label, one.parent) for one in players] == [
        ("8", "Bruno Fernandes", "away"),
        ("9", "Darwin Núñez", "home"),
        ("306", "Mohamed Salah", "home"),
    ]
