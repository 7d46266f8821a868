"""The work on clips with everything it uses, opened from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.database import Database

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.work import ClipWork
from footy_assets.clips.work_folders import WORK
from footy_assets.clock import Clock
from footy_assets.media.cell import DecodingCell
from footy_assets.media.examine import FileExaminer
from footy_assets.media.validation import make_validator
from footy_assets.progress import heartbeat
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from resources.downloads.client import Downloader
from resources.language_model.vision_connection import open_vision
from resources.s3.clip_store import ClipStore
from resources.x.cookies import cookies_for


def open_downloader(settings: Settings) -> Downloader:
    return Downloader(
        max_bytes=settings.download_bytes,
        height=settings.clip_height,
        cookies_for=lambda url: cookies_for(url, settings),
        hosts=settings.download_hosts,
        clip_hosts=settings.clip_hosts,
        private_addresses=settings.download_private_addresses,
    )


@contextmanager
def open_clip_work(
    settings: Settings, database: Database[Document], objects: ClipStore, clock: Clock
) -> Iterator[ClipWork]:
    with (
        open_vision(settings, database, clock) as vision,
        open_downloader(settings) as downloader,
        DecodingCell() as cell,
    ):
        aliases = TeamAliasStore(database)

        def aliases_of(team_id: int) -> tuple[str, ...]:
            found = aliases.get(team_id)
            return found.words if found else ()

        validate = make_validator(vision, vision_only=settings.vision_mode == "instead")
        yield ClipWork(
            documents=ClipDocuments(database),
            videos=VideoStore(database),
            searches=SearchStore(database),
            leases=Leases(database),
            objects=objects,
            downloader=downloader,
            examiner=FileExaminer(
                validate, cell, settings.clip_rules, on_progress=lambda _: heartbeat()
            ),
            rules=settings.clip_rules,
            playable=cell,
            aliases_of=aliases_of,
            warm_up=cell.start,
            clock=clock,
            folder=settings.home / WORK,
            downloads_at_once=settings.downloads_at_once,
        )
