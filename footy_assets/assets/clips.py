"""The clips of a goal: fetched, judged, compared, stored, ranked, one op for each."""

from collections import Counter
from typing import Any

import dagster as dg

from footy_assets.archive.keys import beside, public_path
from footy_assets.assets.discovered_videos import IN_MEMORY, discovered_videos
from footy_assets.assets.labels import clips_label, label_run
from footy_assets.assets.partitions import goals
from footy_assets.errors import NotFound
from footy_assets.operations.clip_batch import Batch
from footy_assets.settings import load_settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import Document
from resources.clip_store import ClipStore
from resources.clip_work import ClipWorkResource

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

batch_out = dg.Out(Batch, io_manager_key=IN_MEMORY)


@dg.op(
    ins={"after": dg.In(dg.Nothing)},
    out=batch_out,
    description="The chosen videos of the goal that wait to be fetched.",
)
def take_up_videos(context: dg.OpExecutionContext, clip_work: ClipWorkResource) -> Batch:
    goal = clip_work.work.documents.goal_called(context.partition_key)
    if goal is None:
        raise NotFound(f"no goal is called {context.partition_key}")
    batch = clip_work.work.begin(goal, context.run_id)
    with clip_work.work.guarded(batch):
        clip_work.work.take_up(batch)
    fixture = clip_work.work.documents.fixture_of(goal)
    label_run(context, clips_label(fixture, goal, len(batch.videos)))
    return batch


@dg.op(out=batch_out, description="D1: fetch them, each failure with its class.")
def download_videos(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: Batch
) -> Batch:
    with clip_work.work.guarded(batch):
        clip_work.work.download(batch, context.log.info)
    return batch


@dg.op(out=batch_out, description="D2, D3, V1–V5: what is no clip of this goal is refused.")
def validate_videos(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: Batch
) -> Batch:
    with clip_work.work.guarded(batch):
        clip_work.work.examine(batch, context.log.info)
    return batch


@dg.op(out=batch_out, description="H2: copies of the same footage within the batch.")
def dedup_batch(context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: Batch) -> Batch:
    with clip_work.work.guarded(batch):
        clip_work.work.dedup(batch, context.log.info)
    return batch


@dg.op(out=batch_out, description="H2–H7: against what is stored; upload, replace, rank.")
def store_clips(context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: Batch) -> Batch:
    with clip_work.work.guarded(batch):
        clip_work.work.store(batch, context.log.info)
    return batch


@dg.op(
    out=dg.Out(dg.Nothing),
    description="S2: what became of every video is written down, and their attempts count.",
)
def settle_videos(
    context: dg.OpExecutionContext, clip_work: ClipWorkResource, batch: Batch
) -> None:
    with clip_work.work.guarded(batch):
        clip_work.work.settle(batch)
    clip_work.work.clean(batch)
    context.add_output_metadata(
        {
            **clips_metadata(clip_work.work.documents, clip_work.objects, batch.goal.key),
            **told(batch),
            "gallery": dg.MetadataValue.url(goal_page(batch.goal.event_id)),
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
        "The best copy of each clip that shows a goal, in S3, ranked (D, V, H). Asked for by "
        "`clips_due` whenever videos were chosen; by hand it finishes what waits and ranks anew."
    ),
)
def clips(found: None) -> Any:
    return settle_videos(
        store_clips(dedup_batch(validate_videos(download_videos(take_up_videos(found)))))
    )


def goal_page(event_id: str) -> str:
    """Where people look at it."""
    return f"{load_settings().gallery_url}/goals/{event_id}"


def told(batch: Batch) -> dict[str, Any]:
    """This batch in numbers, which Dagster plots."""
    ends = Counter(str(end["state"]) for end in batch.ends.values())
    refused = Counter(
        str(end["reason"]) for end in batch.ends.values() if end["state"] == "refused"
    )
    return {
        "videos": len(batch.videos),
        "downloaded": len(batch.fetched),
        "accepted": len(batch.fit),
        "stored": len(batch.stored),
        "replaced": len(batch.replaced),
        "duplicates": ends["duplicate"],
        "refused": ends["refused"],
        "refused_because": dict(refused),
    }


def clips_metadata(documents: ClipDocuments, objects: ClipStore, goal_key: str) -> dict[str, Any]:
    found = documents.documents_of([goal_key])
    return {
        "clips": len(found),
        "verified": sum(bool(clip["verified"]) for clip in found),
        "popularity": sum(clip["popularity"] for clip in found),
        "preview": dg.MetadataValue.md(_preview(found, objects)),
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


def _preview(found: list[Document], objects: ClipStore) -> str:
    """The best clip's picture, linked to the clip: Dagster shows no video and 1,000 characters."""
    if not found:
        return "no clip yet"
    best = found[0]
    _, thumbnail = beside(best["key"])
    picture = objects.presigned_url(thumbnail, seconds=7 * 24 * 3600)
    video = objects.presigned_url(best["key"], seconds=7 * 24 * 3600)
    shown = f"[![clip]({picture})]({video})"
    return shown if len(shown) < 1000 else f"[play]({video})"
