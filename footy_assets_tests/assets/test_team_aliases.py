"""Materialising `team_aliases` through Dagster: with ingest, and whoever is down."""

from typing import Any

import dagster as dg
import pytest

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.jobs import ingest_job
from footy_assets.assets.team_aliases import alias_checks, team_aliases
from footy_assets.operations.aliases import sides
from footy_assets.store.team_aliases import Provenance, TeamAliasStore
from footy_assets_tests.assets.conftest import Setting
from resources.wikidata.resource import WikidataResource


def ingest(setting: Setting, day: str) -> dg.ExecuteInProcessResult:
    """The job that the schedule runs."""
    resources: dict[str, Any] = {
        **setting.resources,
        "wikidata": WikidataResource(url=setting.sim.wikidata_url),
    }
    definitions = dg.Definitions(
        assets=[fixtures, team_aliases],
        asset_checks=alias_checks,
        jobs=[ingest_job],
        resources=resources,
    )
    return definitions.resolve_job_def(ingest_job.name).execute_in_process(
        partition_key=day, instance=setting.instance
    )


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOOTY_ALIAS_LLM_URL", raising=False)


def shown(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    (event,) = result.asset_materializations_for_node("team_aliases")
    return {name: value.value for name, value in event.metadata.items()}


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {e.check_name: e.passed for e in result.get_asset_check_evaluations()}


def test_s3_ingest_finds_out_the_names_of_both_teams(past_days: Setting) -> None:
    day = past_days.days()[0]
    result = ingest(past_days, day)
    assert result.success
    teams = sides(past_days.store.fixtures_of(past_days.world.days[0]))
    known = TeamAliasStore(past_days.store.database).known([team.id for team in teams])
    assert set(known) == {team.id for team in teams}
    assert {words.provenance for words in known.values()} == {Provenance.WIKIDATA}
    metadata = shown(result)
    assert metadata["teams"] == metadata["from_wikidata"] == len(teams)
    assert metadata["without_words"] == metadata["from_fallback"] == metadata["cached"] == 0
    assert metadata["wikidata_calls"] > 0
    assert checks(result) == {"aliases_known": True, "aliases_found_out": True}


def test_s3_a_table_of_teams_and_words_is_shown(past_days: Setting) -> None:
    result = ingest(past_days, past_days.days()[0])
    (event,) = result.asset_materializations_for_node("team_aliases")
    records = event.metadata["table"].records
    assert all(record.data["words"] and record.data["item"] for record in records)


def test_s3_a_second_ingest_asks_nobody_for_names(past_days: Setting) -> None:
    day = past_days.days()[0]
    ingest(past_days, day)
    asked = len(past_days.sim.wikidata.requests)
    metadata = shown(ingest(past_days, day))
    assert metadata["cached"] == metadata["teams"]
    assert metadata["wikidata_calls"] == 0
    assert len(past_days.sim.wikidata.requests) == asked


def test_s3_wikidata_down_warns_and_the_run_succeeds(
    past_days: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    past_days.sim.wikidata.faults.fail(403, times=None)
    result = ingest(past_days, past_days.days()[0])
    assert result.success
    metadata = shown(result)
    assert metadata["from_wikidata"] == 0
    assert metadata["from_fallback"] > 0
    assert not checks(result)["aliases_found_out"]
    assert not checks(result)["aliases_known"], "those left for match time have none yet"
