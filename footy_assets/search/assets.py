"""The assets `team_aliases` and `discovered_videos`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import dagster as dg

from footy_assets.matchday.assets import fixtures, live_events
from footy_assets.matchday.metadata import TABLE_ROWS
from footy_assets.matchday.partitions import a_week_per_run, goals, matchday_of, matchdays
from footy_assets.matchday.rules.sighting import Side
from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.operator_runs import operator_action
from footy_assets.run_labels import label_run, search_label, sweep_label
from footy_assets.search.aliases import teams_of
from footy_assets.search.canary import run_due_canaries
from footy_assets.search.checks import site_evaluations
from footy_assets.search.resource import SearcherResource, TeamAliasesResource
from footy_assets.search.searcher import AttemptResult, StartedAttempt
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.team_aliases import AliasProvenance, ResolvedAliases, TeamAliasStore
from footy_assets.search.sweep import SearchOutcome
from footy_assets.tracing import flush_traces
from resources.clock import ClockResource
from resources.mongo.resource import MongoResource

SHOWN = 20

VIDEO_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("source"),
        dg.TableColumn("url"),
        dg.TableColumn("posted_at"),
        dg.TableColumn("seconds", type="float"),
        dg.TableColumn("popularity", type="int"),
    ]
)


ALIAS_COLUMNS = dg.TableSchema(
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
    backfill_policy=a_week_per_run,
    group_name="matchday",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    description=(
        "Words that fans use for both teams of each fixture (SE3), from the provider and Wikidata, "
        "resolved at ingest so that searches find them stored. Today's partition also covers every "
        "later match. A team that cannot be resolved is a warning: the words of its name are used."
    ),
)
def team_aliases(
    context: dg.AssetExecutionContext,
    mongo: MongoResource,
    aliases: TeamAliasesResource,
    clock: ClockResource,
) -> None:
    time = clock.clock()
    store, known = MatchdayStore(mongo.database), TeamAliasStore(mongo.database)
    for day in (matchday_of(key) for key in context.partition_keys):
        teams = teams_of(store, day, time.now())
        calls_before = aliases.wikidata_calls
        report = aliases.aliases.precache(teams)
        for warning in report.warnings:
            context.log.warning(warning)
        words = known.known([team.id for team in teams])
        context.add_asset_metadata(
            {
                **aliases_metadata(teams, words.values()),
                "cached": report.cached,
                "left_for_match_time": len(report.left),
                "api_calls": report.calls,
                "wikidata_calls": aliases.wikidata_calls - calls_before,
            },
            partition_key=day.isoformat(),
        )


def aliases_metadata(teams: Sequence[Side], known: Iterable[ResolvedAliases]) -> dict[str, Any]:
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
        **{f"from_{kind}": by_provenance[kind] for kind in AliasProvenance},
        "table": dg.MetadataValue.table(records, ALIAS_COLUMNS),
    }


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(StartedAttempt, io_manager_key="attempts"),
    description="SE4: claim the goal's next attempt, and write its query.",
)
def write_query(
    context: dg.OpExecutionContext,
    mongo: MongoResource,
    searching: SearcherResource,
    clock: ClockResource,
) -> StartedAttempt:
    goal = GoalStore(mongo.database).require(context.partition_key)
    by = operator_action(context, mongo.database, clock.clock())
    with by.recorded("search", goal.event_id) as entry:
        started = searching.begin_now(by, goal)
        entry.outcome = f"attempt {started.attempt.number} began"
    label_run(context, search_label(started.attempt.fixture, started.attempt.goal))
    context.log.info(started.query.for_x())
    return started


@dg.op(
    out=dg.Out(SearchOutcome, io_manager_key="attempts"),
    description="SE5, SE7: search every site, each failing alone.",
)
def search_sites(
    context: dg.OpExecutionContext, searching: SearcherResource, started: StartedAttempt
) -> SearchOutcome:
    with searching.searcher.recording_failure(started, context.log.info):
        outcome = searching.searcher.search_sites(started, context.log.info)
    for alert in outcome.alerts:
        context.log.error(alert)
    return outcome


@dg.op(out=dg.Out(dg.Nothing), description="SE6: choose which posts to download.")
def choose_videos(
    context: dg.OpExecutionContext,
    searching: SearcherResource,
    started: StartedAttempt,
    outcome: SearchOutcome,
) -> None:
    with searching.searcher.recording_failure(started, context.log.info):
        searched = searching.searcher.finish(started, outcome)
    context.add_output_metadata(search_metadata(searched))


@dg.graph_asset(
    name="discovered_videos",
    partitions_def=goals,
    ins={
        "seen": dg.AssetIn(
            live_events.key,
            partition_mapping=dg.LastPartitionMapping(),
            dagster_type=dg.Nothing,
        )
    },
    group_name="clips",
    kinds={"python", "mongodb"},
    owners=["team:footy"],
    description=(
        "Posts with videos found for one goal (SE1–SE7). The `search` job runs the ten attempts of "
        "all goals and reports here; a run of this asset by an operator is one more attempt."
    ),
)
def discovered_videos(seen: None) -> Any:
    started = write_query(seen)
    return choose_videos(started, search_sites(started))


@dg.op(description="SE1: run every attempt that is due, while more are due soon; then canaries.")
def sweep_due_attempts(
    context: dg.OpExecutionContext, mongo: MongoResource, searching: SearcherResource
) -> None:
    attempts, found, names = 0, 0, set()
    lags: list[float] = []
    for searched in searching.searcher.sweep(context.log.info):
        attempts += 1
        found += len(searched.chosen)
        names.add(searched.attempt.goal.key)
        lags.append(searched.lag_seconds)
        for alert in searched.outcome.alerts:
            context.log.error(alert)
        context.log_event(
            dg.AssetMaterialization(
                asset_key="discovered_videos",
                partition=searched.attempt.goal.event_id,
                metadata=search_metadata(searched),
            )
        )
    sites, health = searching.sites.as_settings().sites, SiteHealth(mongo.database)
    health.forget_canaries_except(sites)
    canaries = list(run_due_canaries(searching.searcher, searching.canaries, context.log.info))
    for alert in (canary.alert for canary in canaries if canary.alert):
        context.log.error(alert)
    for evaluation in site_evaluations(health, sites):
        # It accepts more kinds of events than its signature says.
        context.log_event(evaluation)  # type: ignore[arg-type]
    label_run(context, sweep_label(len(names)))
    flush_traces()
    context.add_output_metadata(
        {
            "attempts": attempts,
            "chosen": found,
            "lag_seconds_max": max(lags, default=0.0),
            "canaries": len(canaries),
            "canaries_failed": sum(canary.problem is not None for canary in canaries),
        }
    )


def search_metadata(searched: AttemptResult) -> dict[str, Any]:
    attempt, outcome = searched.attempt, searched.outcome
    return {
        "attempt": attempt.number,
        "of": attempt.goal.attempts_planned,
        "failed_before": len(attempt.failed),
        "looked_at": outcome.looked_at,
        "chosen": len(searched.chosen),
        "lag_seconds": searched.lag_seconds,
        "refused": dict(Counter(searched.refused)),
        "failures": {failure.site: failure.reason for failure in outcome.failures},
        "matchday": attempt.fixture.matchday.isoformat(),
        "match": attempt.fixture.name,
        "videos": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {
                        "source": post.site,
                        "url": post.url,
                        "posted_at": post.posted_at.isoformat(),
                        "seconds": post.duration or 0.0,
                        "popularity": post.popularity,
                    }
                )
                for post in searched.chosen[:SHOWN]
            ],
            VIDEO_COLUMNS,
        ),
    }
