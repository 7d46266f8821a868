"""The work on clips with everything it uses, opened from the settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pymongo.database import Database

from footy_assets.clips.facts import facts_of_goal
from footy_assets.clips.held_shelf import HeldShelf
from footy_assets.clips.publish import ClipPublisher
from footy_assets.clips.publish_held import HeldPublisher
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clips.work import ClipWork
from footy_assets.clips.work_folders import WORK
from footy_assets.clock import Clock
from footy_assets.media.cell import DecodingCell
from footy_assets.media.examine import FileExaminer
from footy_assets.media.validation import make_validator
from footy_assets.progress import heartbeat
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from resources.downloads.client import Downloader
from resources.language_model.vision_connection import open_vision
from resources.s3.clip_store import ClipStore
from resources.s3.connection import open_s3
from resources.x.cookies import cookies_for

# In real time, for a run that publishes clips of the same goal.
LOCK_WAIT_SECONDS = 2.0


def open_downloader(settings: Settings) -> Downloader:
    return Downloader(
        max_bytes=settings.download_bytes,
        height=settings.clip_height,
        cookies_for=lambda url: cookies_for(url, settings),
        hosts=settings.download_hosts,
        clip_hosts=settings.clip_hosts,
        private_addresses=settings.download_private_addresses,
    )


def stored_aliases(database: Database[Document]) -> Callable[[int], tuple[str, ...]]:
    """SE3: the other names of a team, by its id."""
    aliases = TeamAliasStore(database)

    def aliases_of(team_id: int) -> tuple[str, ...]:
        found = aliases.get(team_id)
        return found.words if found else ()

    return aliases_of


@contextmanager
def open_held_publisher(
    settings: Settings, database: Database[Document], clock: Clock
) -> Iterator[HeldPublisher]:
    """SE8: without what downloads and decodes. Waits for no other process, and not for long."""
    documents, videos = ClipDocuments(database), VideoStore(database)
    facts_of = partial(facts_of_goal, documents, stored_aliases(database))
    with open_s3(settings) as objects:
        publisher = ClipPublisher(
            documents=documents,
            leases=Leases(database),
            objects=objects,
            shelf=HeldShelf(HeldFiles(database), objects),
            clock=clock,
            lock_wait=LOCK_WAIT_SECONDS,
        )
        folder = settings.home / WORK
        searches, ahead = SearchStore(database), AheadStore(database)
        yield HeldPublisher(publisher, videos, searches, ahead, folder, facts_of)


@contextmanager
def open_clip_work(
    settings: Settings, database: Database[Document], objects: ClipStore, clock: Clock
) -> Iterator[ClipWork]:
    with (
        open_vision(settings, database, clock) as vision,
        open_downloader(settings) as downloader,
        DecodingCell() as cell,
    ):
        validate = make_validator(vision, vision_only=settings.vision_mode == "instead")
        yield ClipWork(
            documents=ClipDocuments(database),
            videos=VideoStore(database),
            searches=SearchStore(database),
            leases=Leases(database),
            held=HeldFiles(database),
            ahead=AheadStore(database),
            objects=objects,
            downloader=downloader,
            examiner=FileExaminer(
                validate, cell, settings.clip_rules, on_progress=lambda _: heartbeat()
            ),
            rules=settings.clip_rules,
            playable=cell,
            aliases_of=stored_aliases(database),
            warm_up=cell.start,
            clock=clock,
            folder=settings.home / WORK,
            downloads_at_once=settings.downloads_at_once,
            batches_at_once=settings.clip_runs,
        )
