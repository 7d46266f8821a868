"""The asset `clips`: a goal's videos downloaded, validated, deduplicated, stored and ranked."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.coverage import match_figures
from footy_assets.clips.resource import ClipWorkResource
from footy_assets.clips.rules.keys import public_path, watch_path
from footy_assets.clips.rules.reasons import REASONS, reason_kind
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.coverage import CoverageStore
from footy_assets.matchday.partitions import goals
from footy_assets.run_labels import clips_label, label_run
from footy_assets.search.assets import discovered_videos
from footy_assets.search.rules.video import VideoState
from footy_assets.store.counts import known_or_other
from footy_assets.tracing import flush_traces
from resources.mongo.resource import MongoResource
from resources.policy import PolicyResource
from resources.s3.clip_store import ClipStore

CLIP_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("rank", type="int"),
        dg.TableColumn("verified", type="bool"),
        dg.TableColumn("popularity", type="int"),
        dg.TableColumn("size"),
        dg.TableColumn("seconds", type="float"),
        dg.TableColumn("attempt", type="int"),
        dg.TableColumn("source"),
        dg.TableColumn("url"),
    ]
)

batch_out = dg.Out(ClipBatch, io_manager_key="batches")


def step_tags(number: int) -> dict[str, str]:
    """A video that is on its way goes before the next one."""
    return {"dagster/priority": str(number)}


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    out={
        "batch": batch_out,
        "videos": dg.DynamicOut(ClipBatch, io_manager_key="batches"),
    },
    description="Load the chosen videos of the goal, the likeliest first, and begin to download.",
)
def load_videos(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource
) -> Iterator[dg.Output[ClipBatch] | dg.DynamicOutput[ClipBatch]]:
    goal = clip_work.work.documents.goals.require(context.partition_key)
    batch = clip_work.work.begin(goal, context.run_id)
    with clip_work.work.cleaning_up_on_failure(batch):
        clip_work.work.load_videos(batch, context.log.info)
    fixture = clip_work.work.documents.goals.fixture_of(goal)
    label_run(context, clips_label(fixture, goal, len(batch.videos)))
    yield dg.Output(batch, "batch")
    for number, _ in enumerate(batch.videos, 1):
        yield dg.DynamicOutput(batch, f"video_{number}", output_name="videos")


@dg.op(
    out=batch_out,
    tags=step_tags(1),
    description="D1: take the next video that is downloaded; a failure is stored with its cause.",
)
def download_video(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: ClipBatch
) -> ClipBatch:
    with clip_work.work.cleaning_up_on_failure(batch):
        part = clip_work.work.download(batch, context.log.info)
    context.add_output_metadata({"video": ", ".join(one["url"] for one in part.videos) or "none"})
    return part


@dg.op(
    out=batch_out,
    tags=step_tags(2),
    description="D2, D3, V1–V5: refuse what does not show this goal.",
)
def validate_video(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, part: ClipBatch
) -> ClipBatch:
    with clip_work.work.cleaning_up_on_failure(part):
        return clip_work.work.examine(part, context.log.info)


@dg.op(
    out=batch_out,
    tags=step_tags(3),
    description="H2: compare with the videos of the batch that were accepted before.",
)
def dedup_video(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, part: ClipBatch
) -> ClipBatch:
    with clip_work.work.cleaning_up_on_failure(part):
        return clip_work.work.dedup(part, context.log.info)


@dg.op(
    out=dg.Out(dg.Nothing),
    tags=step_tags(4),
    description="H2–H7: compare with stored clips, upload, replace, rank; store the outcome.",
)
def store_clip(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, part: ClipBatch
) -> None:
    with clip_work.work.cleaning_up_on_failure(part):
        clip_work.work.publish(part, context.log.info)


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(dg.Nothing),
    description="SE2: count the attempts whose videos are done; give back what is left for later.",
)
def settle_videos(
    context: dg.OpExecutionContext,
    mongo: MongoResource,
    clip_work: ClipWorkResource,
    policy: PolicyResource,
    batch: ClipBatch,
) -> None:
    with clip_work.work.cleaning_up_on_failure(batch):
        clip_work.work.settle(batch, context.log.info)
    clip_work.work.clean(batch)
    flush_traces()
    gallery = policy.as_settings().gallery_url
    context.add_output_metadata(
        {
            **clips_metadata(clip_work.work.documents, clip_work.objects, batch.goal.key, gallery),
            **batch_metadata(batch),
            **match_figures(CoverageStore(mongo.database), batch.goal.fixture_id),
            "gallery": dg.MetadataValue.url(f"{gallery}/goals/{batch.goal.event_id}"),
        }
    )


@dg.graph_asset(
    name="clips",
    partitions_def=goals,
    ins={"found": dg.AssetIn(discovered_videos.key, dagster_type=dg.Nothing)},
    group_name="clips",
    kinds={"python", "s3", "mongodb"},
    owners=["team:footy"],
    description=(
        "The best copy of each clip that shows a goal, in S3, ranked (D, V, H). The sensor "
        "`clips_due` requests a run when videos are chosen; a run by an operator does the same."
    ),
)
def clips(found: None) -> Any:
    batch, videos = load_videos(found)
    stored = videos.map(lambda one: store_clip(dedup_video(validate_video(download_video(one)))))
    return settle_videos(batch, after=stored.collect())


def batch_metadata(batch: ClipBatch) -> dict[str, Any]:
    """The batch in numbers, which Dagster plots."""
    outcomes = list(batch.outcomes.values())
    states = Counter(outcome["state"] for outcome in outcomes)
    refused = Counter(
        known_or_other(reason_kind(outcome), REASONS)
        for outcome in outcomes
        if outcome["state"] is VideoState.REFUSED
    )
    return {
        "videos": len(batch.videos),
        "left_for_later": len(batch.videos) - len(batch.taken) if batch.gives_way else 0,
        "downloaded": len(batch.downloads),
        "accepted": len(batch.accepted),
        "stored": len(batch.stored),
        "replaced": len(batch.replaced),
        "duplicates": states[VideoState.DUPLICATE],
        "refused": states[VideoState.REFUSED],
        "refused_because": dict(refused),
    }


def clips_metadata(
    documents: ClipDocuments, objects: ClipStore, goal_key: str, gallery: str
) -> dict[str, Any]:
    """The goal's clips in numbers, and a link to the page of the best. No address that opens S3
    without a login: everyone who sees Dagster would have it, for as long as it is valid. No image:
    the gallery gives its images to no page of another origin, and the Dagster UI is one."""
    found = documents.documents_of([goal_key])
    pages = [gallery + watch_path(clip["public_key"]) for clip in found]
    return {
        "clips": len(found),
        "verified": sum(bool(clip["verified"]) for clip in found),
        "popularity": sum(clip["popularity"] for clip in found),
        "preview": dg.MetadataValue.md(f"[play the best]({pages[0]})" if pages else "no clip yet"),
        "table": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {
                        "rank": clip["rank"] or 0,
                        "verified": bool(clip["verified"]),
                        "popularity": clip["popularity"],
                        "size": f"{clip['width']}×{clip['height']}",
                        "seconds": round(clip["duration"], 1),
                        "attempt": clip["attempt"] or 0,
                        "source": clip["source_url"],
                        "url": public_path(objects.bucket, clip["public_key"]),
                    }
                )
                for clip in found
            ],
            CLIP_COLUMNS,
        ),
    }
