"""Commands that change stored clips, each recorded with who and why (P5)."""

from dataclasses import asdict
from typing import Annotated
from uuid import uuid4

import typer

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.operator import Who, Why, operator_action
from footy_assets.cli.output import Json, print_json, print_rows, progress
from footy_assets.cli.output import stdout as console
from footy_assets.clips import operator_actions
from footy_assets.clips.commands import Event
from footy_assets.clips.connection import open_clip_work
from footy_assets.clips.repair import repair_clips
from footy_assets.logs import no_log
from footy_assets.operator_actions import NO_REASON
from resources.mongo.connection import open_mongo
from resources.s3.connection import open_s3


def remove(
    clip_id: Annotated[
        str, typer.Argument(metavar="CLIP_ID", help="A clip id, from `footy clips --json`.")
    ],
    why: Why,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Remove a stored clip. Later searches do not bring the same footage back."""
    settings = invocation_settings()
    with (
        open_mongo(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects, settings.make_clock()) as work,
    ):
        clip = operator_actions.remove_clip(
            work, operator_action(settings, database, who, why), clip_id
        )
    if as_json:
        print_json({"clip_id": clip.id, "key": clip.key, "removed": True})
    else:
        console().print(f"{clip.key} removed")


def repair(
    every: Annotated[
        bool, typer.Option("--all", help="Also check clips that are known to be playable.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done; change nothing.")
    ] = False,
    why: Why = NO_REASON,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Rewrite stored clips that do not play everywhere as MP4 with H.264 and AAC.

    Their addresses stay. Run it again after an interruption: it continues.
    """
    settings = invocation_settings()
    with (
        progress("repairing clips", as_json),
        open_mongo(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects, settings.make_clock()) as work,
    ):
        action = operator_action(settings, database, who, why)
        run_id = f"cli-{uuid4().hex[:8]}"
        repairs = repair_clips(work, action, run_id, no_log, every=every, dry_run=dry_run)
    rows = [asdict(one) for one in repairs]
    if as_json:
        print_json(rows)
        return
    columns = {
        "clip_id": "clip",
        "result": "result",
        "method": "how",
        "reason": "reason",
    }
    print_rows(rows, columns, "No clips to repair.")


def revalidate(event: Event, why: Why = NO_REASON, who: Who = None, as_json: Json = False) -> None:
    """Validate a goal's stored clips again and remove those that fail."""
    settings = invocation_settings()
    with (
        progress(f"validating the clips of {event}", as_json),
        open_mongo(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects, settings.make_clock()) as work,
    ):
        goal = work.documents.goals.require(event)
        action = operator_action(settings, database, who, why)
        run_id = f"cli-{uuid4().hex[:8]}"
        results = operator_actions.revalidate(work, action, goal, run_id, no_log)
    rows = [asdict(result) for result in results]
    if as_json:
        print_json(rows)
        return
    labels = {True: "accepted", False: "removed", None: "unchanged"}
    table = [{**row, "result": labels[row["accepted"]]} for row in rows]
    columns = {
        "clip_id": "clip",
        "result": "result",
        "verified": "verified",
        "reason": "reason",
    }
    print_rows(table, columns, "No clips to validate.")


def rerank(event: Event, why: Why = NO_REASON, who: Who = None, as_json: Json = False) -> None:
    """Rank a goal's clips again."""
    settings = invocation_settings()
    with (
        open_mongo(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects, settings.make_clock()) as work,
    ):
        goal = work.documents.goals.require(event)
        clips = operator_actions.rerank(work, operator_action(settings, database, who, why), goal)
    rows = [
        {
            "rank": c.rank,
            "clip_id": c.id,
            "verified": c.verified,
            "discovered": c.discovered,
            "popularity": c.popularity,
        }
        for c in clips
    ]
    if as_json:
        print_json(rows)
        return
    columns = {
        "rank": "rank",
        "clip_id": "clip",
        "verified": "verified",
        "discovered": "posts",
        "popularity": "popularity",
    }
    print_rows(rows, columns, "No clips to rank.")
