"""What fans call the teams of a matchday."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

import dagster as dg

from footy_assets.assets.fixtures import fixtures
from footy_assets.assets.metadata import TABLE_ROWS
from footy_assets.assets.partitions import matchday_of, matchdays
from footy_assets.matchday.sighting import Side
from footy_assets.operations.aliases import sides
from footy_assets.operations.audit import Finding, aliases_found_out, aliases_known
from footy_assets.settings import load_settings
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.team_aliases import Provenance, TeamAliasStore, TeamWords
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource
from resources.team_aliases import open_team_aliases
from resources.wikidata.resource import WikidataResource

COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("team"),
        dg.TableColumn("words"),
        dg.TableColumn("provenance"),
        dg.TableColumn("item"),
        dg.TableColumn("until"),
        dg.TableColumn("team_id", type="int"),
    ]
)


@dg.asset(
    partitions_def=matchdays,
    deps=[fixtures],
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=7),
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    description=(
        "Words that fans use for both teams of each fixture (S3), from the provider and Wikidata, "
        "found out at ingest so that a search at match time asks nobody. Today's partition covers "
        "every match to come. What cannot be found out is a warning: the name's own words serve."
    ),
)
def team_aliases(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    football: FootballResource,
    wikidata: WikidataResource,
    clock: ClockResource,
) -> None:
    time = clock.clock()
    store, known = MatchdayStore(mongo.database), TeamAliasStore(mongo.database)
    settings, client = load_settings(), wikidata.client
    with open_team_aliases(settings, mongo.database, football.feed, time, client) as aliases:
        for day in (matchday_of(key) for key in context.partition_keys):
            teams = teams_of(store, day, time.now())
            calls_before = client.calls
            report = aliases.precache(teams)
            for warning in report.warnings:
                context.log.warning(warning)
            words = known.known([team.id for team in teams])
            context.add_asset_metadata(
                {
                    **aliases_metadata(teams, words.values()),
                    "cached": report.cached,
                    "left_for_match_time": len(report.left),
                    "api_calls": report.calls,
                    "wikidata_calls": client.calls - calls_before,
                },
                partition_key=day.isoformat(),
            )


def teams_of(store: MatchdayStore, day: date, now: datetime) -> list[Side]:
    """The teams of a day; of today, also those of every match to come."""
    ahead = store.unfinished() if day == now.date() else []
    return sides([*store.fixtures_of(day), *ahead])


def aliases_metadata(teams: Sequence[Side], known: Iterable[TeamWords]) -> dict[str, Any]:
    found = sorted(known, key=lambda words: (words.name, words.team_id))
    by_provenance = Counter(words.provenance for words in found)
    records = [
        dg.TableRecord(
            {
                "team": words.name,
                "words": " ".join(words.words),
                "provenance": str(words.provenance),
                "item": words.facts.get("item") or "",
                "until": f"{words.expires_at:%Y-%m-%d %H:%M}",
                "team_id": words.team_id,
            }
        )
        for words in found[:TABLE_ROWS]
    ]
    return {
        "teams": len(teams),
        "without_words": len(teams) - len(found),
        **{f"from_{kind}": by_provenance[kind] for kind in Provenance},
        "table": dg.MetadataValue.table(records, COLUMNS),
    }


def _check(question: Any) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=team_aliases, name=question.__name__, description=question.__doc__)
    def check(
        context: dg.AssetCheckExecutionContext, mongo: MongoResource, clock: ClockResource
    ) -> dg.AssetCheckResult:
        now = clock.clock().now()
        store = MatchdayStore(mongo.database)
        run = context.op_execution_context
        has_days = run.has_partition_key or run.has_partition_key_range
        days = [matchday_of(key) for key in run.partition_keys] if has_days else [now.date()]
        teams = {team.id: team for day in days for team in teams_of(store, day, now)}
        finding: Finding = question(TeamAliasStore(mongo.database), list(teams.values()))
        return dg.AssetCheckResult(
            passed=finding.passed,
            severity=dg.AssetCheckSeverity.WARN,
            description=finding.summary,
            metadata=finding.details,
        )

    return check


alias_checks = [_check(aliases_known), _check(aliases_found_out)]
