"""Commands that change what is there: each recorded with who and why (P5)."""

from dataclasses import asdict
from typing import Annotated
from uuid import uuid4

import typer

from footy_assets.cli.asking import BY_HAND, Who, Why, asked, open_database
from footy_assets.cli.goals import Event
from footy_assets.cli.output import Json, print_json, print_rows, progress
from footy_assets.cli.output import stdout as console
from footy_assets.logs import tell_nobody
from footy_assets.operations import clips_by_hand
from footy_assets.settings import load_settings
from resources.clip_work_connection import open_clip_work
from resources.s3_connection import open_s3


def remove(
    clip_id: Annotated[
        str, typer.Argument(metavar="CLIP_ID", help="As `footy clips --json` tells it.")
    ],
    why: Why,
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Remove a stored clip. What it shows does not come back by the next search."""
    settings = load_settings()
    with (
        open_database(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects) as work,
    ):
        clip = clips_by_hand.remove_clip(work, asked(settings, database, who, why), clip_id)
    if as_json:
        print_json({"clip_id": clip.id, "key": clip.key, "removed": True})
    else:
        console().print(f"{clip.key} removed")


def revalidate(event: Event, why: Why = BY_HAND, who: Who = None, as_json: Json = False) -> None:
    """Judge a goal's stored clips again; one that is refused now is removed."""
    settings = load_settings()
    with (
        progress(f"judging the clips of {event}", as_json),
        open_database(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects) as work,
    ):
        goal = clips_by_hand.known_goal(work.documents, event)
        asker = asked(settings, database, who, why)
        run_id = f"cli-{uuid4().hex[:8]}"
        found = clips_by_hand.revalidate(work, asker, goal, run_id, tell_nobody)
    rows = [asdict(one) for one in found]
    if as_json:
        print_json(rows)
        return
    words = {True: "accepted", False: "removed", None: "left as it was"}
    shown = [{**row, "became": words[row["accepted"]]} for row in rows]
    columns = {
        "clip_id": "clip",
        "became": "became",
        "verified": "verified",
        "reason": "because",
    }
    print_rows(shown, columns, "No clip to judge.")


def rerank(event: Event, why: Why = BY_HAND, who: Who = None, as_json: Json = False) -> None:
    """Rank a goal's clips anew."""
    settings = load_settings()
    with (
        open_database(settings) as database,
        open_s3(settings) as objects,
        open_clip_work(settings, database, objects) as work,
    ):
        goal = clips_by_hand.known_goal(work.documents, event)
        clips = clips_by_hand.rerank(work, asked(settings, database, who, why), goal)
    rows = [
        {"rank": c.rank, "clip_id": c.id, "verified": c.verified, "popularity": c.popularity}
        for c in clips
    ]
    if as_json:
        print_json(rows)
        return
    columns = {
        "rank": "rank",
        "clip_id": "clip",
        "verified": "verified",
        "popularity": "popularity",
    }
    print_rows(rows, columns, "No clip to rank.")
