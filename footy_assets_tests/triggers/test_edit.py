"""T19, T23: targets are checked against the teams and rosters that are stored of a match."""

import pytest
from pymongo.database import Database

from footy_assets.matchday.rules.line_up import RosterPlayer
from footy_assets.matchday.rules.sighting import Player
from footy_assets.matchday.store.documents import fixture_document
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import FIXTURES, TRIGGERS, Document
from footy_assets.triggers.edit import change_trigger, create_trigger, merge, shown_trigger
from footy_assets.triggers.rules.targets import WrongTargets
from footy_assets.triggers.store.targets import match_targets
from footy_assets.triggers.store.triggers import TriggerStore, trigger_document
from footy_assets_tests.triggers.rules.builders import (
    GOAL_AT_HOME,
    KICKOFF,
    document,
    option,
    trigger,
)
from footy_assets_tests.triggers.rules.test_line_up_moments import FIXTURE, HOME

SALAH = document(option("goal.player", "in", "306"))


@pytest.fixture
def match(database: Database[Document]) -> Database[Document]:
    database[FIXTURES].insert_one(fixture_document(FIXTURE))
    return database


def know_rosters(database: Database[Document]) -> None:
    """The home team has named its line-up; of the other the squad is known, before kickoff."""
    store = RosterStore(database)
    store.save_line_ups(5000, (HOME,), KICKOFF, complete=False)
    store.save_squad(FIXTURE.away.id, (RosterPlayer(Player(8, "Bruno Fernandes")),), KICKOFF)


def test_t19_players_are_checked_once_both_rosters_are_known(match: Database[Document]) -> None:
    assert len(create_trigger(match, SALAH, KICKOFF).warnings) == 1
    RosterStore(match).save_line_ups(5000, (HOME,), KICKOFF, complete=False)
    unknown = document(option("goal.player", "in", "77"))
    assert len(create_trigger(match, unknown, KICKOFF).warnings) == 1
    know_rosters(match)
    assert create_trigger(match, SALAH, KICKOFF).warnings == ()
    with pytest.raises(WrongTargets, match="no player"):
        create_trigger(match, unknown, KICKOFF)


def test_t19_a_team_by_its_name_is_stored_as_its_side(match: Database[Document]) -> None:
    body = document(option("goal.team", "in", FIXTURE.away.name.upper()))
    stored = create_trigger(match, body, KICKOFF).stored
    assert stored.trigger.conditions[0].targets == ("away",)


def test_t19_only_changed_conditions_are_checked_again(match: Database[Document]) -> None:
    """A trigger of a player who has left can still be switched off."""
    know_rosters(match)
    old = trigger(option("goal.player", "in", "77"))
    id = TriggerStore(match).create(old, KICKOFF).id
    off = change_trigger(match, id, merge({"trigger": {"disabled": True}}), KICKOFF)
    assert off.stored.trigger.trigger.disabled
    other = merge({"conditions": [option("goal.player", "in", "78")]})
    with pytest.raises(WrongTargets):
        change_trigger(match, id, other, KICKOFF)


def test_t23_before_kickoff_players_come_from_rosters_in_groups(match: Database[Document]) -> None:
    know_rosters(match)
    known = match_targets(match, "5000")
    groups = {one.label: (one.group, one.parent) for one in known.players}
    assert groups["Mohamed Salah"] == (FIXTURE.home.name, "home")
    assert groups["Bruno Fernandes"] == (FIXTURE.away.name, "away")
    assert known.all_players


def test_t20_a_trigger_that_was_stored_before_still_works(database: Database[Document]) -> None:
    """Its document has none of the new fields, and no `recent`."""
    id = TriggerStore(database).create(trigger(GOAL_AT_HOME), KICKOFF).id
    head = {"entity": "user", "entity_id": "7", "scope": "game", "scope_id": "5000"}
    condition = {**GOAL_AT_HOME, "type": "string", "options": []}
    old = {"trigger": head, "conditions": [condition], "limits": {}}
    assert trigger_document(trigger(GOAL_AT_HOME)).keys() == old.keys()
    database[TRIGGERS].update_one({"_id": id}, {"$set": {"trigger": old}, "$unset": {"recent": 1}})
    stored = TriggerStore(database).get(id)
    assert stored.trigger == trigger(GOAL_AT_HOME)
    shown = shown_trigger(stored, KICKOFF)["attributes"]
    assert shown["counts"] == {"scope": 0, "minute": 0}
    changed = change_trigger(database, id, merge({"limits": {"scope": 2}}), KICKOFF)
    assert changed.stored.trigger.limits == {"scope": 2}
