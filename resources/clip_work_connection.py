"""The work on clips as the settings say: everything it touches, opened together."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.database import Database

from footy_assets.media import ClipRules
from footy_assets.media.examine import FileExaminer
from footy_assets.media.verdict import validator
from footy_assets.operations.clips import ClipWork
from footy_assets.operations.work_folders import WORK
from footy_assets.progress import beat
from footy_assets.settings import Settings
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.searches import SearchStore
from resources.clip_store import ClipStore
from resources.downloads import MEGABYTE, Downloader
from resources.vision.connection import open_vision


def clip_rules(settings: Settings) -> ClipRules:
    """D2's numbers, as configured."""
    return ClipRules(
        longer_than=settings.clip_longer_than_seconds,
        up_to=settings.clip_up_to_seconds,
        short_edge=settings.clip_short_edge,
        allow_portrait=settings.clip_portrait,
    )


@contextmanager
def open_clip_work(
    settings: Settings, database: Database[Document], objects: ClipStore
) -> Iterator[ClipWork]:
    with open_vision(settings, database) as vision:
        judge = validator(vision, instead=settings.vision_mode == "instead")
        yield ClipWork(
            documents=ClipDocuments(database),
            searches=SearchStore(database),
            leases=Leases(database),
            objects=objects,
            fetcher=Downloader(max_bytes=settings.download_megabytes * MEGABYTE),
            examiner=FileExaminer(judge, clip_rules(settings), on_progress=lambda _: beat()),
            clock=settings.make_clock(),
            folder=settings.home / WORK,
            downloads_at_once=settings.downloads_at_once,
        )
