"""T21, T23: each sport is a folder of data that holds together."""

from pathlib import Path

import pytest

from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.triggers.rules import vocabulary
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.rules.sports import FOLDER, SPORTS, VOCABULARY, read_sport
from footy_assets.triggers.rules.vocabulary import metadata
from footy_assets_tests.triggers.rules.builders import KICKOFF


def test_t21_three_sports_ship_and_football_is_the_first() -> None:
    assert list(SPORTS) == ["football", "baseball", "basketball"]
    assert {one.name for one in FOLDER.iterdir() if one.is_dir()} == set(SPORTS)


@pytest.mark.parametrize("sport", SPORTS)
def test_t21_every_name_in_the_data_of_a_sport_is_one_of_its_events(sport: str) -> None:
    terms = SPORTS[sport].terms
    for event, term in terms.items():
        named = [*term.preferred_options, *filter(None, (term.parent, term.selector))]
        if term.counted:
            named += [*filter(None, [term.counted.counts]), *term.counted.unless]
        assert {event, *named} <= set(terms), event
        assert event.startswith(f"{sport}."), event
        assert len(set(term.values)) == len(term.values), event
        ranged = term.minimum is not None and term.maximum is not None
        assert ranged == (term.targets_from == "typed"), event
        assert bool(term.choices) == (term.targets_from == "choices"), event
        assert not term.targets_like_parent or term.parent, event
    for limit in SPORTS[sport].limits:
        assert limit["limit"] in ("scope", "minute") or terms[limit["limit"]].limitable
        assert limit["label"]
        assert limit["description"]


def test_t21_a_sport_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "curling"
    folder.mkdir()
    (folder / "vocabulary.json").write_text(
        '[{"event": "curling.team", "label": "Team", "kind": "team"},'
        ' {"event": "curling.stones", "label": "Stones", "kind": "number", "maximum": 8}]'
    )
    (folder / "aggregates.json").write_text('{"curling.stones": {"of": "curling.team"}}')
    (folder / "limits.json").write_text("[]")
    sport = read_sport(folder)
    assert sport.name == "curling"
    stones = sport.terms["curling.stones"]
    assert (stones.aggregate, stones.parent, stones.maximum) == (True, "curling.team", 8)
    assert [one["limit"] for one in sport.limits] == ["scope", "minute"]


def test_t21_our_own_snapshots_have_events_and_statuses_of_the_vocabulary() -> None:
    names = {
        value
        for value in vars(vocabulary).values()
        if isinstance(value, str) and value.startswith("football.")
    }
    assert names <= set(VOCABULARY)
    assert set(VOCABULARY[vocabulary.STATUS].values) <= set(MatchStatus)


@pytest.mark.parametrize("sport", SPORTS)
def test_t23_metadata_has_all_that_a_form_shows(sport: str) -> None:
    for row in metadata(sport=sport):
        assert row["label"], row
        assert {"description", "preferred_options", "minimum", "maximum"} <= set(row)
        for target in row["targets"]:
            assert {"value", "label", "description", "group"} <= set(target)


def test_t21_a_snapshot_has_events_of_its_sport_only() -> None:
    body = {"id": "1", "datasource": "x", "scope_id": "1", "timestamp": KICKOFF}
    home_run = {"options": {"baseball.atbat.outcomes": "HR"}}
    assert Snapshot.model_validate({**body, **home_run, "sport": "baseball"}).sport == "baseball"
    with pytest.raises(ValueError, match="not a standard event of football"):
        Snapshot.model_validate({**body, **home_run})
    with pytest.raises(ValueError, match="is none of football, baseball, basketball"):
        Snapshot.model_validate({**body, **home_run, "sport": "curling"})
