"""P5: what people do by hand, as jobs for the Launchpad. Each asks for its target and why."""

import dagster as dg

from footy_assets.assets.asking import asked
from footy_assets.assets.labels import label_run
from footy_assets.operations import by_hand, clips_by_hand
from footy_assets.operations.ingest import Ingest
from footy_assets.operations.rules import following
from footy_assets.settings import load_settings
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore
from resources.clip_work import ClipWorkResource
from resources.clock import ClockResource
from resources.football import FootballResource
from resources.mongo import MongoResource


class OneGoal(dg.Config):
    """`event` as in 5000_40_234_Goal_1."""

    event: str
    why: str


class OneClip(dg.Config):
    clip_id: str
    why: str


class OneFixture(dg.Config):
    fixture_id: int
    why: str


class SomeFixtures(dg.Config):
    ids: list[int]
    why: str


@dg.op(description="F2: bring in fixtures by id, whoever plays.")
def ingest_by_id(
    context: dg.OpExecutionContext,
    config: SomeFixtures,
    mongo: MongoResource,
    football: FootballResource,
    clock: ClockResource,
) -> None:
    label_run(context, f"ingest-{'-'.join(map(str, config.ids))}")
    time = clock.clock()
    ingest = Ingest(MatchdayStore(mongo.database), football.feed, time, following(load_settings()))
    by = asked(context, mongo.database, time, config.why)
    report = by_hand.ingest_ids(ingest, by, config.ids)
    context.add_output_metadata({"kept": len(report.kept_ids), "added": report.added})


@dg.op(description="Judge a goal's stored clips again; one that is refused now is removed.")
def judge_again(
    context: dg.OpExecutionContext,
    config: OneGoal,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    label_run(context, f"revalidate-{config.event}")
    work = clip_work.work
    goal = clips_by_hand.known_goal(work.documents, config.event)
    by = asked(context, mongo.database, work.clock, config.why)
    found = clips_by_hand.revalidate(work, by, goal, context.run_id, context.log.info)
    context.add_output_metadata(
        {"judged": len(found), "removed": sum(one.accepted is False for one in found)}
    )


@dg.op(description="H6: rank a goal's clips anew.")
def rank_again(
    context: dg.OpExecutionContext,
    config: OneGoal,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    label_run(context, f"rerank-{config.event}")
    work = clip_work.work
    goal = clips_by_hand.known_goal(work.documents, config.event)
    by = asked(context, mongo.database, work.clock, config.why)
    context.add_output_metadata({"clips": len(clips_by_hand.rerank(work, by, goal))})


@dg.op(description="Remove a stored clip; what it shows does not come back.")
def take_clip_away(
    context: dg.OpExecutionContext,
    config: OneClip,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
) -> None:
    label_run(context, f"remove-{config.clip_id}")
    work = clip_work.work
    by = asked(context, mongo.database, work.clock, config.why)
    context.add_output_metadata({"key": clips_by_hand.remove_clip(work, by, config.clip_id).key})


@dg.op(description="Close a match for good, and the searches for its goals.")
def close_match(
    context: dg.OpExecutionContext,
    config: OneFixture,
    mongo: MongoResource,
    clock: ClockResource,
) -> None:
    label_run(context, f"close-{config.fixture_id}")
    by = asked(context, mongo.database, clock.clock(), config.why)
    closed = by_hand.close_fixture(
        MatchdayStore(mongo.database), SearchStore(mongo.database), by, config.fixture_id
    )
    context.add_output_metadata({"closed_because": closed.closed_because or ""})


@dg.job(description="Bring in fixtures by id, whoever plays. A day: materialize `fixtures`.")
def ingest_fixtures() -> None:
    ingest_by_id()


@dg.job(description="Judge a goal's stored clips again; one that is refused now is removed.")
def revalidate_goal() -> None:
    judge_again()


@dg.job(description="Rank a goal's clips anew.")
def rerank_goal() -> None:
    rank_again()


@dg.job(description="Remove a stored clip; what it shows does not come back.")
def remove_clip() -> None:
    take_clip_away()


@dg.job(description="Close a match for good, and the searches for its goals.")
def close_fixture() -> None:
    close_match()


by_hand_jobs = [ingest_fixtures, revalidate_goal, rerank_goal, remove_clip, close_fixture]
