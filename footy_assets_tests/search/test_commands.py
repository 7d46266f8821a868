"""`footy aliases`, and the aliases that `footy ingest` resolves."""

import pytest

from footy_assets.sim import fixture_json
from footy_assets_tests.fixtures.command import KICKOFF, Footy

pytestmark = pytest.mark.slow


def ingest(footy: Footy) -> dict[str, object]:
    footy.sim.put(
        fixture_json(5000, home=33, home_name="Manchester United", away=40, kickoff=KICKOFF)
    )
    report: dict[str, object] = footy.json("ingest", "--ids", "5000")
    return report


def test_se3_ingest_resolves_aliases_and_they_are_listed(footy: Footy) -> None:
    assert footy.json("aliases") == []
    report = ingest(footy)
    assert report["aliases"] == {"teams": 2, "cached": 0, "left": 0, "wikidata": 2}
    assert report["warnings"] == []
    rows = {row["team_id"]: row for row in footy.json("aliases")}
    assert rows[33]["words"] == ["MUFC", "Utd", "Devils", "Manchester", "United"]
    assert rows[33]["item"] == "Q18656"
    assert rows[33]["picked_by"] == "ranking"
    assert rows[33]["candidates"]["Devils"] == "nickname"
    assert rows[33]["fresh"] is True
    assert rows[40]["words"] == ["LFC", "Reds", "Anfield", "Liverpool"]
    (one,) = footy.json("aliases", "--team", "40")
    assert one["name"] == "Liverpool"


def test_se3_without_json_a_table_is_printed(footy: Footy) -> None:
    ingest(footy)
    output = footy("aliases").stdout
    assert "MUFC Utd Devils Manchester United" in output
    assert "wikidata" in output


def test_se3_a_wikidata_that_is_down_is_a_warning_and_not_a_failure(footy: Footy) -> None:
    footy.sim.wikidata.faults.fail(403, times=None)
    report = ingest(footy)
    assert report["added"] == 1
    assert "refused" in str(report["warnings"])
    assert [row["provenance"] for row in footy.json("aliases")] == ["fallback", "fallback"]


def test_an_unknown_team_is_a_one_line_error(footy: Footy) -> None:
    done = footy("aliases", "--team", "7")
    assert done.returncode == 4
    assert "team 7 has no aliases yet" in done.stderr
    assert done.stdout == ""
