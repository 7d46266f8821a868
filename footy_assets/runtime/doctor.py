"""`footy doctor`: checks the installation and says how to fix it."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from footy_assets.clock import Clock, SystemClock
from footy_assets.errors import (
    FootyError,
    LoginLost,
    MongoUnavailable,
    ProviderQuotaExhausted,
    S3Unavailable,
    Unavailable,
)
from footy_assets.providers.connection import (
    ProvidersFileLoader,
    make_adapter,
    missing_tokens,
    require_lead,
)
from footy_assets.providers.rules.descriptors import API_FOOTBALL
from footy_assets.runtime.check_result import CheckResult
from footy_assets.runtime.file_systems import network_file_system, read_mounts
from footy_assets.runtime.home import Home
from footy_assets.runtime.shared_server_checks import examine_shared_servers
from footy_assets.runtime.site_checks import examine_sites
from footy_assets.settings import Settings
from footy_assets.site_name import SiteName
from footy_assets.store.migrations import SCHEMA_VERSION
from resources.api_football.connection import open_football
from resources.api_football.describe import describe_plan
from resources.browser.binary import failure_of_driver, failure_to_start, find_browser
from resources.browser.isolation import best_isolation
from resources.browser.launch import BrowserOptions, failure_to_open
from resources.health import ServerHealth
from resources.mongo.connection import health as mongo_health
from resources.mongo.connection import open_mongo, server_time
from resources.s3.connection import health as s3_health
from resources.s3.connection import open_s3
from resources.x.cookies import read_cookies
from resources.x.login import has_login

FREE_GIB_WANTED = 2.0
LEAD_SECONDS = 15.0
# Leases last a minute and more; goals are seen every ten seconds at most.
CLOCK_SECONDS = 5.0


def examine(settings: Settings) -> Iterator[CheckResult]:
    """Yields each result as it comes: some checks start a server."""
    yield _python()
    yield _opencv()
    yield decoding_cell()
    yield _home(settings)
    yield _server("MongoDB", lambda: _mongo(settings), MongoUnavailable)
    yield from documents_version(settings)
    yield from time_of_day(settings, SystemClock())
    yield _server("S3", lambda: _s3(settings), S3Unavailable)
    yield from examine_shared_servers(settings)
    yield examine_api_football(settings)
    yield football_providers(settings)
    if _other_lead(settings) is not None:
        yield examine_lead(settings)
    yield examine_browser(settings)
    if SiteName.X in settings.sites:
        yield login_to_x(settings)
    yield from examine_sites(settings)
    yield dagster_stack(settings)
    if settings.tables_folder is not None:
        yield _tables(settings.tables_folder)


def _python() -> CheckResult:
    version = ".".join(map(str, sys.version_info[:3]))
    return CheckResult("Python", sys.version_info >= (3, 11), version, "Use Python 3.11 or newer")


def _opencv() -> CheckResult:
    """OpenCV needs system libraries, which `./footy` installs and pip does not."""
    try:
        import cv2
    except ImportError as error:
        fix = "Install libGL and GLib; on Debian: apt-get install libgl1 libglib2.0-0"
        return CheckResult("OpenCV", False, f"does not load: {error}", fix)
    return CheckResult("OpenCV", True, cv2.__version__)


def decoding_cell() -> CheckResult:
    """What holds the process that decodes files from outside."""
    name, fix = "decoding cell", "Use Linux 5.13 or newer, with Landlock and seccomp"
    try:
        from footy_assets.media.cell import DecodingCell
    except ImportError as error:
        return CheckResult(name, False, f"not started: {error}", "See OpenCV", optional=True)
    try:
        with DecodingCell() as cell:
            protections = cell.protections()
    except FootyError as error:
        return CheckResult(name, False, str(error), error.fix)
    missing = [
        wanted
        for wanted in ("memory", "Landlock", "seccomp")
        if not any(wanted in one for one in protections)
    ]
    detail = "; ".join(protections) + (f"; without {', '.join(missing)}" if missing else "")
    return CheckResult(name, not missing, detail, fix, optional=True)


def _home(settings: Settings) -> CheckResult:
    folder = settings.home
    nearest = _nearest(folder)
    free = shutil.disk_usage(nearest).free / 2**30
    ok = os.access(nearest, os.W_OK) and free >= FREE_GIB_WANTED
    fix = f"Set FOOTY_HOME to a writable folder with {FREE_GIB_WANTED:g} GiB free"
    if (kind := network_file_system(folder, read_mounts())) is not None:
        detail = f"{folder} is on a network file system ({kind})"
        return CheckResult("home", False, detail, "Set FOOTY_HOME to a folder of this machine")
    return CheckResult("home", ok, f"{folder}, {free:.1f} GiB free", fix)


def _tables(folder: Path) -> CheckResult:
    nearest = _nearest(folder)
    ok = nearest.is_dir() and os.access(nearest, os.W_OK)
    fix = "Set FOOTY_TABLES_FOLDER to a writable folder, or unset it"
    return CheckResult("Parquet tables", ok, str(folder), fix)


def _nearest(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _mongo(settings: Settings) -> ServerHealth:
    with open_mongo(settings, checked=False) as database:
        return mongo_health(database)


def documents_version(settings: Settings) -> Iterator[CheckResult]:
    """Whether this version may work with the documents; nothing if MongoDB does not answer."""
    name = "documents"
    try:
        with open_mongo(settings):
            yield CheckResult(name, True, f"schema version {SCHEMA_VERSION}", "")
    except Unavailable:
        return
    except FootyError as error:
        yield CheckResult(name, False, str(error), error.fix)


def time_of_day(settings: Settings, clock: Clock) -> Iterator[CheckResult]:
    """How far this machine's clock is from MongoDB's, with which all machines compare theirs: due
    times and leases are written by one and read by another. Nothing if it is the embedded one, on
    this machine, or does not answer."""
    if settings.mongo_uri is None:
        return
    try:
        with open_mongo(settings, checked=False) as database:
            before = clock.now()
            theirs = server_time(database)
            between = before + (clock.now() - before) / 2
    except FootyError:
        return
    seconds = (between - theirs).total_seconds()
    detail = f"{seconds:+.1f} s from MongoDB's"
    fix = "Set the clock of this machine, or of MongoDB's, with NTP"
    yield CheckResult("clock", abs(seconds) <= CLOCK_SECONDS, detail, fix)


def _s3(settings: Settings) -> ServerHealth:
    with open_s3(settings) as clips:
        return s3_health(clips)


def _server(name: str, check: Callable[[], ServerHealth], failure: type[FootyError]) -> CheckResult:
    try:
        health = check()
    except FootyError as error:
        return CheckResult(name, False, str(error), error.fix)
    return CheckResult(name, health.ok, health.detail, failure.default_fix)


def examine_api_football(settings: Settings) -> CheckResult:
    """The plan of the key, and what it can do."""
    name = "API-Football"
    if settings.api_football_key is None:
        if (other := _other_lead(settings)) is not None:
            fix = "Set FOOTY_API_FOOTBALL_KEY if you want past seasons"
            return CheckResult(name, False, f"no key; {other} leads", fix, optional=True)
        fix = (
            "Set FOOTY_API_FOOTBALL_KEY to your key, or use `footy up --provider espn`, which "
            "needs none"
        )
        return CheckResult(name, False, "no key", fix)
    try:
        with open_football(settings) as feed:
            account = feed.account()
    except FootyError as error:
        return CheckResult(name, False, str(error), error.fix)
    detail = describe_plan(account, settings.poll_seconds)
    if account.is_used_up:
        return CheckResult(name, False, detail, ProviderQuotaExhausted.default_fix, optional=True)
    return CheckResult(name, True, detail)


def _other_lead(settings: Settings) -> str | None:
    """The provider that leads, if it is not API-Football."""
    try:
        lead = ProvidersFileLoader(settings).load_or_fail().lead
    except FootyError:
        return None
    return None if lead == API_FOOTBALL else lead


def football_providers(settings: Settings) -> CheckResult:
    """The providers in `sources.yaml`, and whether their tokens are set."""
    name, load_file = "football providers", ProvidersFileLoader(settings)
    try:
        content = load_file.load_or_fail()
    except FootyError as error:
        return CheckResult(name, False, str(error), error.fix)
    if missing := missing_tokens(content):
        detail = f"{load_file.path} needs {', '.join(missing)}, which is not set"
        return CheckResult(name, False, detail, "Set it to the provider's token", optional=True)
    if content.only_lead:
        return CheckResult(name, True, f"{content.lead} alone")
    return CheckResult(name, True, f"{', '.join(content.providers)} (from {load_file.path})")


def examine_lead(settings: Settings) -> CheckResult:
    """Whether the provider that leads answers: today's matches."""
    clock = settings.make_clock()
    try:
        require_lead(settings)
        content = ProvidersFileLoader(settings)()
        adapter = make_adapter(content.providers[content.lead], settings, clock)
        try:
            found = adapter.discover(clock.now().date(), LEAD_SECONDS)
        finally:
            adapter.close()
    except FootyError as error:
        return CheckResult("lead", False, str(error), error.fix)
    detail = f"{content.lead} lists {len(found.matches)} matches of today"
    if found.failures:
        return CheckResult("lead", False, f"{detail}; {found.failures[0]}", "Try again later")
    return CheckResult("lead", True, detail)


def examine_browser(settings: Settings) -> CheckResult:
    found = find_browser(settings.browser_path)
    if found is None:
        fix = "Install chromium, or run: playwright install chromium"
        return CheckResult("browser", False, "no Chromium found", fix, optional=True)
    failure = (
        failure_to_start(found)
        or failure_of_driver()
        or failure_to_open(BrowserOptions(executable=found))
    )
    if failure is not None:
        fix = "Install the libraries that it names, or reinstall chromium"
        return CheckResult("browser", False, f"{found} does not start: {failure}", fix, True)
    isolation = best_isolation(found)
    fix = "Run footy as an ordinary user, on a system that allows user namespaces"
    detail = f"{found}, {isolation.describe()}"
    return CheckResult("browser", isolation.sandbox, detail, fix, optional=True)


def login_to_x(settings: Settings) -> CheckResult:
    """Whether a login exists. Whether X still accepts it shows in the next search."""
    name, fix = "login to X", LoginLost.default_fix
    if settings.x_cookies_file is not None:
        try:
            read_cookies(settings.x_cookies_file, settings.x_url)
        except FootyError as error:
            return CheckResult(name, False, str(error), error.fix, optional=True)
        return CheckResult(name, True, f"cookies from {settings.x_cookies_file}")
    made = has_login(settings.x_profile)
    detail = f"stored in {settings.x_profile}" if made else "not logged in"
    return CheckResult(name, made, detail, fix, optional=True)


def dagster_stack(settings: Settings) -> CheckResult:
    """Whether `footy up` runs, and which of its parts it starts again and again."""
    record = Home(settings.home).read_record()
    if not record.get("ui"):
        return CheckResult("Dagster", True, "not running; start it with `footy up`")
    detail = f"running, UI at {record['ui']}"
    if failing := record.get("failing"):
        parts = "; ".join(f"{name} keeps ending: {reason}" for name, reason in failing.items())
        return CheckResult("Dagster", False, f"{detail}; {parts}", "See the log that is named")
    return CheckResult("Dagster", True, detail)
