"""Commands about team aliases, canaries and the listener."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from pymongo.database import Database

from footy_assets.cli.invocation import invocation_settings
from footy_assets.cli.output import Json, print_json, print_rows, progress, stderr
from footy_assets.cli.signals import stop_on_signals
from footy_assets.errors import BadInput, NotFound
from footy_assets.logs import no_log
from footy_assets.parsing import LARGEST_INTEGER
from footy_assets.search.canary import Canaries
from footy_assets.search.connection import bluesky_listener, heard_sites, open_feed_keeper
from footy_assets.search.rules.canary import CanaryRules
from footy_assets.search.rules.site import VideoSite
from footy_assets.search.side_by_side import run_side_by_side
from footy_assets.search.store.site_health import SiteHealth
from footy_assets.search.store.team_aliases import ResolvedAliases, TeamAliasStore
from footy_assets.setting_values import YEAR_SECONDS
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.rate_limit import SharedRateLimit
from footy_assets.store.site_browsers import SiteBrowsers
from footy_assets.store.site_feeds import SiteFeeds
from resources.mongo.connection import open_mongo


def aliases(
    team: Annotated[
        int | None,
        typer.Option("--team", metavar="ID", min=1, max=LARGEST_INTEGER, help="Only this team."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the search words for teams, and where they come from."""
    settings = invocation_settings()
    with open_mongo(settings) as database:
        store = TeamAliasStore(database)
        known = store.all() if team is None else list(store.known([team]).values())
    if team is not None and not known:
        raise NotFound(
            f"team {team} has no aliases yet", "They are resolved when its match is ingested"
        )
    now = settings.make_clock().now()
    rows = [{**alias_row(words), "fresh": words.is_fresh(now)} for words in known]
    if as_json:
        print_json(rows)
        return
    shown = [
        {
            **row,
            "words": " ".join(row["words"]),
            "until": row["expires_at"][:16],
            "problem": "; ".join(row["problems"]),
        }
        for row in rows
    ]
    columns = {
        "team_id": "team",
        "name": "name",
        "words": "words",
        "provenance": "origin",
        "item": "item",
        "picked_by": "picked by",
        "until": "until (UTC)",
        "problem": "problem",
    }
    print_rows(shown, columns, "No aliases yet. `footy ingest` resolves them.")


def alias_row(words: ResolvedAliases) -> dict[str, Any]:
    return {
        "team_id": words.team_id,
        "name": words.name,
        "words": list(words.words),
        "provenance": str(words.provenance),
        "item": words.facts.get("item"),
        "label": words.facts.get("label"),
        "reasons": words.facts.get("reasons", []),
        "candidates": words.facts.get("candidates", {}),
        "picked_by": words.facts.get("picked_by"),
        "problems": list(words.problems),
        "resolved_at": words.resolved_at.isoformat(),
        "expires_at": words.expires_at.isoformat(),
    }


def canary(
    site: Annotated[
        str | None, typer.Option("--site", metavar="SITE", help="Only this site.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search each site for what always has results, and store whether it works.

    Exit code 1 if one does not.
    """
    settings = invocation_settings()
    if site is not None and site not in settings.sites:
        raise BadInput(f"{site} is not switched on", "Name it in FOOTY_SITES")
    with (
        progress("searching the sites", as_json),
        open_mongo(settings) as database,
        _open_canaries(settings, database) as (canaries, sites),
    ):
        wanted = [one for one in sites if site in (None, one.name)]
        results = [canaries.run(one, no_log) for one in wanted]
    rows = [
        {
            "site": one.site,
            "works": None if one.skipped else one.problem is None,
            "posts": one.posts,
            "problem": "not searched: it is at its rate limit" if one.skipped else one.problem,
        }
        for one in results
    ]
    if as_json:
        print_json(rows)
    else:
        columns = {"site": "site", "works": "works", "posts": "posts", "problem": "problem"}
        print_rows(rows, columns, "No site is switched on.")
    if any(one.problem for one in results):
        raise typer.Exit(1)


@contextmanager
def _open_canaries(
    settings: Settings, database: Database[Document]
) -> Iterator[tuple[Canaries, tuple[VideoSite, ...]]]:
    from resources.sites.connection import open_sites

    clock = settings.make_clock()
    with open_sites(
        *(settings, clock, SharedRateLimit(database), SiteFeeds(database)),
        record=SiteBrowsers(database).record,
    ) as searched:
        sites = (*searched, *heard_sites(settings, database, clock))
        rules = CanaryRules(words=settings.canary_words)
        yield Canaries(sites, SiteHealth(database), clock, rules), sites


def listen(
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=YEAR_SECONDS, help="Stop after this many seconds; default: at Ctrl-C."
        ),
    ] = None,
) -> None:
    """Keep what is posted, for searches; part of `footy up`.

    Posts with videos of Bluesky's stream: a break loses nothing, since it goes on where it stopped,
    for as long as Bluesky keeps its stream (about a day and a half). And, while a match is played,
    the feeds of r/soccer and of Telegram's channels, once a minute, if these sites are on.
    """
    settings = invocation_settings()
    if not (settings.listens_to_bluesky or settings.keeps_feeds):
        raise BadInput(
            "nothing is heard with these settings",
            "Name bluesky in FOOTY_SITES, and unset FOOTY_BLUESKY_URL, which is searched instead; "
            "or name reddit or telegram",
        )
    stopped = stop_on_signals()
    ends = None if seconds is None else time.monotonic() + seconds

    def over() -> bool:
        return stopped.is_set() or (ends is not None and time.monotonic() >= ends)

    with open_mongo(settings) as database, open_feed_keeper(settings, database) as keeper:
        listener = bluesky_listener(settings, database)
        loops = [listener.run] if settings.listens_to_bluesky else []
        run_side_by_side([*loops, keeper.run] if keeper.feeds else loops, over)
    counts = listener.counts
    stderr().print(
        f"{counts['kept']} posts with a video kept, {counts['removed']} posts removed, "
        f"{counts['passed']} messages without a video, "
        f"{counts['unknown_form'] + counts['unknown_record'] + counts['too_large']} unreadable; "
        f"feeds read {keeper.counts['read']} times, {keeper.counts['failed']} failed"
    )
