"""`footy aliases`, and what `footy ingest` says of names."""

from footy_assets.sim import fixture_json
from footy_assets_tests.cli.conftest import KICKOFF, Footy


def bring_in(footy: Footy) -> dict[str, object]:
    footy.sim.put(
        fixture_json(5000, home=33, home_name="Manchester United", away=40, kickoff=KICKOFF)
    )
    report: dict[str, object] = footy.json("ingest", "--ids", "5000")
    return report


def test_s3_ingest_finds_out_names_and_they_are_listed(footy: Footy) -> None:
    assert footy.json("aliases") == []
    report = bring_in(footy)
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


def test_s3_without_json_people_get_a_table(footy: Footy) -> None:
    bring_in(footy)
    said = footy("aliases").stdout
    assert "MUFC Utd Devils Manchester United" in said
    assert "wikidata" in said


def test_s3_a_wikidata_that_is_down_is_a_warning_and_not_a_failure(footy: Footy) -> None:
    footy.sim.wikidata.faults.fail(403, times=None)
    report = bring_in(footy)
    assert report["added"] == 1
    assert "refused" in str(report["warnings"])
    assert [row["provenance"] for row in footy.json("aliases")] == ["fallback", "fallback"]


def test_a_team_that_is_not_known_is_one_sentence(footy: Footy) -> None:
    done = footy("aliases", "--team", "7")
    assert done.returncode == 4
    assert "no names are known for team 7" in done.stderr
    assert done.stdout == ""
