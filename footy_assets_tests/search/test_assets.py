"""Materialising `team_aliases` through Dagster: with ingest, and during outages."""

from typing import Any

import dagster as dg
import pytest

from footy_assets.matchday.assets import fixtures
from footy_assets.search.aliases import sides
from footy_assets.search.assets import team_aliases
from footy_assets.search.checks import alias_checks
from footy_assets.search.jobs import ingest_job
from footy_assets.search.resource import TeamAliasesResource
from footy_assets.search.store.team_aliases import AliasProvenance, TeamAliasStore
from footy_assets_tests.fixtures.past_days import Scenario
from resources.wikidata.resource import WikidataResource

pytestmark = pytest.mark.slow


def ingest(scenario: Scenario, day: str) -> dg.ExecuteInProcessResult:
    """The job that the schedule runs."""
    needed = {name: scenario.resources[name] for name in ("mongo", "provider", "clock")}
    wikidata = WikidataResource(url=scenario.sim.wikidata_url)
    resources: dict[str, Any] = {
        **scenario.resources,
        "aliases": TeamAliasesResource(**needed, wikidata=wikidata),
    }
    definitions = dg.Definitions(
        assets=[fixtures, team_aliases],
        asset_checks=alias_checks,
        jobs=[ingest_job],
        resources=resources,
    )
    return definitions.resolve_job_def(ingest_job.name).execute_in_process(
        partition_key=day, instance=scenario.instance
    )


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOOTY_ALIAS_LLM_URL", raising=False)


def metadata_of(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    (event,) = result.asset_materializations_for_node("team_aliases")
    return {name: value.value for name, value in event.metadata.items()}


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {e.check_name: e.passed for e in result.get_asset_check_evaluations()}


def test_se3_ingest_resolves_the_aliases_of_both_teams(past_days: Scenario) -> None:
    day = past_days.days()[0]
    result = ingest(past_days, day)
    assert result.success
    teams = sides(past_days.store.fixtures_of(past_days.world.days[0]))
    known = TeamAliasStore(past_days.store.database).known([team.id for team in teams])
    assert set(known) == {team.id for team in teams}
    assert {words.provenance for words in known.values()} == {AliasProvenance.WIKIDATA}
    metadata = metadata_of(result)
    assert metadata["teams"] == metadata["from_wikidata"] == len(teams)
    assert metadata["without_words"] == metadata["from_fallback"] == metadata["cached"] == 0
    assert metadata["wikidata_calls"] > 0
    assert checks(result) == {"aliases_known": True, "aliases_found_out": True}


def test_se3_metadata_has_a_table_of_teams_and_aliases(past_days: Scenario) -> None:
    result = ingest(past_days, past_days.days()[0])
    (event,) = result.asset_materializations_for_node("team_aliases")
    records = event.metadata["table"].records
    assert all(record.data["words"] and record.data["item"] for record in records)


def test_se3_a_second_ingest_sends_no_requests_for_aliases(past_days: Scenario) -> None:
    day = past_days.days()[0]
    ingest(past_days, day)
    requests = len(past_days.sim.wikidata.requests)
    metadata = metadata_of(ingest(past_days, day))
    assert metadata["cached"] == metadata["teams"]
    assert metadata["wikidata_calls"] == 0
    assert len(past_days.sim.wikidata.requests) == requests


def test_se3_wikidata_down_warns_and_the_run_succeeds(
    past_days: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    past_days.sim.wikidata.faults.fail(403, times=None)
    result = ingest(past_days, past_days.days()[0])
    assert result.success
    metadata = metadata_of(result)
    assert metadata["from_wikidata"] == 0
    assert metadata["from_fallback"] > 0
    assert not checks(result)["aliases_found_out"]
    assert not checks(result)["aliases_known"], "teams without aliases are resolved at search time"
