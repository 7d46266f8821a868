"""What is missing, and how to fix it."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from footy_assets.errors import FootyError, LoginLost, MongoUnavailable, S3Unavailable
from footy_assets.operations.source_health import source_works
from footy_assets.runtime.home import Home
from footy_assets.settings import Settings
from footy_assets.store.source_health import SourceHealth
from resources.api_football.connection import open_football
from resources.browser import find_browser
from resources.football_sources import SourcesOnDisk, tokens_missing
from resources.health import Health
from resources.mongo_connection import health as mongo_health
from resources.mongo_connection import open_mongo
from resources.s3_connection import health as s3_health
from resources.s3_connection import open_s3
from resources.x.cookies import read_cookies
from resources.x.login import has_login

FREE_GIB_WANTED = 2.0


@dataclass(frozen=True)
class Examined:
    name: str
    ok: bool
    detail: str
    fix: str = ""
    # Without it the product still does its main job.
    optional: bool = False


def examine(settings: Settings) -> Iterator[Examined]:
    """One by one, as they come: some of them start a server."""
    yield _python()
    yield _home(settings)
    yield _server("MongoDB", lambda: _mongo(settings), MongoUnavailable)
    yield _server("S3", lambda: _s3(settings), S3Unavailable)
    yield _provider(settings)
    yield football_sources(settings)
    yield _browser(settings)
    if "x" in settings.sources:
        yield login_to_x(settings)
    yield from searched_sources(settings)
    yield _dagster(settings)
    if settings.tables_folder is not None:
        yield _tables(settings.tables_folder)


def _python() -> Examined:
    version = ".".join(map(str, sys.version_info[:3]))
    return Examined("Python", sys.version_info >= (3, 11), version, "Use Python 3.11 or newer")


def _home(settings: Settings) -> Examined:
    folder = settings.home
    nearest = _nearest(folder)
    free = shutil.disk_usage(nearest).free / 2**30
    ok = os.access(nearest, os.W_OK) and free >= FREE_GIB_WANTED
    fix = f"Set FOOTY_HOME to a folder that you may write to, with {FREE_GIB_WANTED:g} GiB free"
    return Examined("home", ok, f"{folder}, {free:.1f} GiB free", fix)


def _tables(folder: Path) -> Examined:
    nearest = _nearest(folder)
    ok = nearest.is_dir() and os.access(nearest, os.W_OK)
    fix = "Set FOOTY_TABLES_FOLDER to a folder that you may write to, or unset it"
    return Examined("tables of past seasons", ok, str(folder), fix)


def _nearest(folder: Path) -> Path:
    """The folder, or what there is of the way to it."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _mongo(settings: Settings) -> Health:
    with open_mongo(settings) as database:
        return mongo_health(database)


def _s3(settings: Settings) -> Health:
    with open_s3(settings) as clips:
        return s3_health(clips)


def _server(name: str, ask: Callable[[], Health], failure: type[FootyError]) -> Examined:
    try:
        health = ask()
    except FootyError as error:
        return Examined(name, False, str(error), error.fix)
    return Examined(name, health.ok, health.detail, failure.default_fix)


def _provider(settings: Settings) -> Examined:
    name = "API-Football"
    if settings.api_football_key is None:
        fix = "Set FOOTY_API_FOOTBALL_KEY to your key; `footy demo` needs none"
        return Examined(name, False, "no key", fix)
    try:
        with open_football(settings) as feed:
            requests = feed.account().requests
    except FootyError as error:
        return Examined(name, False, str(error), error.fix)
    used, limit = requests.get("current", "?"), requests.get("limit_day", "?")
    return Examined(name, True, f"{used} of {limit} requests used today")


def football_sources(settings: Settings) -> Examined:
    """The providers that `sources.yaml` describes, and whether their tokens are here."""
    name, on_disk = "football sources", SourcesOnDisk(settings)
    try:
        content = on_disk.first()
    except FootyError as error:
        return Examined(name, False, str(error), error.fix)
    if missing := tokens_missing(content):
        told = f"{', '.join(missing)} is not set, which {on_disk.path} names"
        return Examined(name, False, told, "Set it to the provider's token", optional=True)
    if content.alone:
        return Examined(name, True, "API-Football alone")
    return Examined(name, True, f"{', '.join(content.sources)}, as {on_disk.path} says")


def _browser(settings: Settings) -> Examined:
    found: Path | None = find_browser(settings.browser_path)
    fix = "Install chromium, or run: playwright install chromium"
    return Examined(
        "browser", found is not None, str(found or "no Chromium found"), fix, optional=True
    )


def login_to_x(settings: Settings) -> Examined:
    """Whether there is a login to try. Whether X still takes it, the searches tell."""
    name, fix = "login to X", LoginLost.default_fix
    if settings.x_cookies_file is not None:
        try:
            read_cookies(settings.x_cookies_file, settings.x_url)
        except FootyError as error:
            return Examined(name, False, str(error), error.fix, optional=True)
        return Examined(name, True, f"cookies from {settings.x_cookies_file}")
    made = has_login(settings.x_profile)
    detail = f"kept in {settings.x_profile}" if made else "nobody has logged in yet"
    return Examined(name, made, detail, fix, optional=True)


def searched_sources(settings: Settings) -> Iterator[Examined]:
    """S7: what the last search of each source came to."""
    try:
        with open_mongo(settings) as database:
            health = SourceHealth(database)
            for source in settings.sources:
                found = source_works(health, source)
                lost = found.details.get("kind") == LoginLost.__name__
                fix = LoginLost.default_fix if lost else "Wait; it is tried again by itself"
                needed = bool(found.details.get("needs_person"))
                name = f"searches of {source}"
                yield Examined(name, found.passed, found.summary, fix, optional=not needed)
    except MongoUnavailable:
        # Told above.
        return


def _dagster(settings: Settings) -> Examined:
    record = Home(settings.home).read_record()
    detail = f"running, UI at {record['ui']}" if record.get("ui") else "not running; `footy up`"
    return Examined("Dagster", True, detail)
