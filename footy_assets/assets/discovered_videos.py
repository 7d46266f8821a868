"""Videos that fans posted about a goal: asked for by the sweep, or for one goal by hand."""

from collections import Counter
from typing import Any

import dagster as dg

from footy_assets.assets.asking import asked
from footy_assets.assets.labels import label_run, search_label, sweep_label
from footy_assets.assets.live_events import live_events
from footy_assets.assets.partitions import goals
from footy_assets.assets.source_checks import source_evaluations
from footy_assets.operations.clips_by_hand import known_goal
from footy_assets.operations.search_sources import SearchOutcome
from footy_assets.operations.searching import Begun, Searched
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.source_health import SourceHealth
from resources.clock import ClockResource
from resources.mongo import MongoResource
from resources.searching import SearcherResource

IN_MEMORY = "in_memory"
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


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(Begun, io_manager_key=IN_MEMORY),
    description="S4: claim the goal's next attempt, and write its query.",
)
def write_query(
    context: dg.OpExecutionContext,
    mongo: MongoResource,
    searching: SearcherResource,
    clock: ClockResource,
) -> Begun:
    goal = known_goal(ClipDocuments(mongo.database), context.partition_key)
    by = asked(context, mongo.database, clock.clock())
    with by.recorded("search", goal.event_id) as entry:
        begun = searching.begin_now(by, goal)
        entry.outcome = f"attempt {begun.attempt.number} began"
    label_run(context, search_label(begun.attempt.fixture, begun.attempt.goal))
    context.log.info(begun.query.for_x())
    return begun


@dg.op(
    out=dg.Out(SearchOutcome, io_manager_key=IN_MEMORY),
    description="S5, S7: ask every source, each failing alone.",
)
def search_sources(
    context: dg.OpExecutionContext, searching: SearcherResource, begun: Begun
) -> SearchOutcome:
    outcome = searching.searcher.look(begun, context.log.info)
    for alert in outcome.alerts:
        context.log.error(alert)
    return outcome


@dg.op(out=dg.Out(dg.Nothing), description="S6: which of the posts to fetch.")
def choose_videos(
    context: dg.OpExecutionContext,
    searching: SearcherResource,
    begun: Begun,
    outcome: SearchOutcome,
) -> None:
    context.add_output_metadata(search_metadata(searching.searcher.finish(begun, outcome)))


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
        "Posts with videos found for one goal (S1–S7). While a goal's ten attempts run, the "
        "`search` job serves all goals together and reports here; a run by hand is one attempt."
    ),
)
def discovered_videos(seen: None) -> Any:
    begun = write_query(seen)
    return choose_videos(begun, search_sources(begun))


@dg.op(description="S1: every attempt that is due, with one browser, while more are due soon.")
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
    for evaluation in source_evaluations(SourceHealth(mongo.database)):
        # Its signature names fewer kinds of events than it takes.
        context.log_event(evaluation)  # type: ignore[arg-type]
    label_run(context, sweep_label(len(names)))
    context.add_output_metadata(
        {"attempts": attempts, "chosen": found, "lag_seconds_max": max(lags, default=0.0)}
    )


@dg.job(
    name="search",
    description="Search for every goal whose attempt is due; stays while more are due soon.",
)
def search_job() -> None:
    sweep_due_attempts()


def search_metadata(searched: Searched) -> dict[str, Any]:
    attempt, outcome = searched.attempt, searched.outcome
    return {
        "attempt": attempt.number,
        "of": attempt.goal.attempts_planned,
        "looked_at": outcome.looked_at,
        "chosen": len(searched.chosen),
        "lag_seconds": searched.lag_seconds,
        "refused": dict(Counter(searched.refused)),
        "failures": {failure.source: failure.reason for failure in outcome.failures},
        "matchday": attempt.fixture.matchday.isoformat(),
        "match": attempt.fixture.name,
        "videos": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {
                        "source": post.source,
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


def searched_goals(store: MatchdayStore) -> set[str]:
    """Identities of the goals that stand and are searched for: the partitions there should be."""
    return set(store.events.distinct("event_id", {"live": True, "search": {"$exists": True}}))


def known_goals(store: MatchdayStore) -> set[str]:
    """Every identity that a goal has or had, whatever became of it."""
    return {
        name for field in ("event_id", "formerly.event_id") for name in store.events.distinct(field)
    }
