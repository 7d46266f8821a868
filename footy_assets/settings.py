"""All configuration, read from the environment (`FOOTY_*`) and `.env`."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from footy_assets.clip_limits import ClipRules
from footy_assets.clock import Clock, parse_clock
from footy_assets.env_files import DEFAULT_HOME, find_env_files
from footy_assets.errors import BadInput
from footy_assets.setting_values import (
    YEAR_DAYS,
    YEAR_HOURS,
    YEAR_MINUTES,
    YEAR_SECONDS,
    LeagueSlug,
    ProviderName,
    absolute_path,
    broker_url,
    clip_host,
    header_text,
    http_url,
    not_utf8,
    off_or_apart,
    postgres_url,
    stored_integers,
    telegram_channel,
    websocket_url,
)
from footy_assets.site_name import SiteName

SITES = tuple(name.value for name in SiteName)
# The others must be named.
DEFAULT_SITES = (SiteName.X.value, SiteName.BLUESKY.value)
NO_SITES = "none"
PREFIX = "FOOTY_"
# Names that settings had before; they go on working, and the new one wins where both are set.
FORMER_NAMES = {"sites": "FOOTY_SOURCES", "providers_file": "FOOTY_SOURCES_FILE"}
# The first two speak both versions of the protocol, the others the first.
JETSTREAMS = tuple(
    f"wss://{name}.bsky.network"
    for name in (
        *("jetstream.us-east", "jetstream.us-west", "jetstream1.us-east", "jetstream2.us-east"),
        *("jetstream1.us-west", "jetstream2.us-west"),
    )
)
PACKAGE_ROOT = Path(__file__).resolve().parents[1]


# Settings that are URLs, and those that are sent in the header of a request.
URLS = (
    *("s3_endpoint_url", "api_football_url", "espn_url", "wikidata_url", "alias_llm_url"),
    *("x_url", "bluesky_url", "bluesky_video_url", "reddit_url", "telegram_url"),
    "vision_url",
)
IN_HEADERS = ("api_football_key", "wikidata_contact", "alias_llm_key", "vision_key")


def find_checkout() -> Path | None:
    """The checkout, which holds `dagster.yaml`; none when installed."""
    return PACKAGE_ROOT if (PACKAGE_ROOT / "dagster.yaml").is_file() else None


def default_home() -> Path:
    """In the checkout or, when installed, in the user's home; never in the working directory,
    where others may have put a `sources.yaml`."""
    return (find_checkout() or Path.home()) / DEFAULT_HOME


def _also(name: str) -> AliasChoices:
    return AliasChoices(PREFIX + name.upper(), FORMER_NAMES[name])


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        allow_inf_nan=False,
        frozen=True,
        populate_by_name=True,
    )

    home: Path = Field(
        default_factory=default_home,
        description="Folder for all local state: data of the embedded servers, Dagster instance.",
    )
    env_file: Path | None = Field(
        None,
        description="One more file of settings to read, besides .env in the checkout and in "
        "FOOTY_HOME.",
    )
    mongo_uri: SecretStr | None = Field(
        None,
        description="URI of a MongoDB replica set. Unset: starts an embedded server.",
    )
    mongo_database: str = Field("footy", description="Name of the database.")
    s3_endpoint_url: str | None = Field(
        None,
        description="Endpoint of an S3 server. Unset: starts an embedded server.",
    )
    s3_bucket: str = Field("footy-videos", description="Bucket for clips; created on first use.")
    s3_region: str = Field("us-east-1", description="Region of the bucket.")
    s3_access_key_id: SecretStr | None = Field(
        None, description="S3 access key. Unset: the AWS credential chain."
    )
    s3_secret_access_key: SecretStr | None = Field(None, description="S3 secret key.")
    dagster_postgres_url: SecretStr | None = Field(
        None,
        description="URL of a PostgreSQL database for Dagster's runs and events, "
        "postgresql://user:password@host/name. Unset: SQLite in FOOTY_HOME.",
    )
    broker_url: SecretStr | None = Field(
        None,
        description="URL of a RabbitMQ, amqp://user:password@host/vhost, through which runs reach "
        "the processes of `footy worker`. Unset: runs start on this machine.",
    )
    clip_runs: int = Field(
        2,
        ge=1,
        le=10_000,
        description="Runs of clips at a time, over all machines; each fills a core. With "
        "FOOTY_BROKER_URL: the slots of all clip workers together.",
    )
    sweeps: int = Field(
        1,
        ge=1,
        le=100,
        description="Runs that search at a time, over all machines. Where X is searched, more than "
        "one needs FOOTY_BROKER_URL and as many browser workers, each with a FOOTY_HOME and a "
        "login of its own.",
    )
    api_football_url: str = Field(
        "https://v3.football.api-sports.io", description="Base URL of API-Football v3."
    )
    api_football_key: SecretStr | None = Field(None, description="Your API-Football key.")
    api_football_timeout_seconds: float = Field(
        30.0,
        gt=0,
        le=YEAR_SECONDS,
        description="Timeout of one request to API-Football, in seconds.",
    )
    provider: ProviderName | None = Field(
        None,
        description="Name of the football provider that leads, such as espn. Unset: the one that "
        "the providers file marks with `lead: true`, else API-Football.",
    )
    espn_url: str = Field(
        "https://site.api.espn.com",
        description="Base URL of ESPN's scores, which are used only if a provider is espn.",
    )
    providers_file: Path | None = Field(
        None,
        validation_alias=_also("providers_file"),
        description="YAML file that describes the football providers. Unset: sources.yaml in "
        "FOOTY_HOME; without that file, the provider that leads alone.",
    )
    provider_pause_after: int = Field(
        5,
        ge=1,
        description="Failures in a row after which a provider is not asked for a match for five "
        "minutes.",
    )
    provider_archive_hours: float = Field(
        24.0,
        gt=0,
        le=YEAR_HOURS,
        description="Hours after its end until a match is not requested from the other providers "
        "any more.",
    )
    browser_uptime_hours: float = Field(
        6.0,
        gt=0,
        le=YEAR_HOURS,
        description="Hours after which a browser of providers or sites restarts.",
    )
    browser_tasks: int = Field(
        2_000, ge=1, description="Requests after which the browser of a provider restarts."
    )
    browser_processes: int = Field(
        40, ge=1, description="Processes at which a browser of providers or sites restarts."
    )
    browser_megabytes: int = Field(
        1_500,
        ge=1,
        description="Memory at which a browser of providers or sites restarts, in megabytes.",
    )
    browser_pages: int = Field(
        8, ge=2, description="Open pages at which the browser of a provider closes all but one."
    )
    tracked_leagues: Annotated[tuple[int | LeagueSlug, ...], NoDecode] = Field(
        (39, 140, 78, 135, 61),
        description="Leagues whose clubs are tracked, comma-separated: API-Football's numbers, or "
        "ESPN's slugs such as eng.1.",
    )
    tracked_teams: Annotated[tuple[int, ...] | Literal["*"], NoDecode] = Field(
        (),
        description="API-Football's ids of more teams to track (national teams), comma-separated; "
        "* tracks all. Any other lead lists whole competitions, so this has no effect then.",
    )
    poll_seconds: float = Field(
        30.0, gt=0, le=YEAR_SECONDS, description="Seconds between two live polls."
    )
    confirm_seconds: float | None = Field(
        None,
        ge=0,
        le=YEAR_SECONDS,
        description="Seconds between polls of a match with a goal that is not stable yet, from 10 "
        "to half of FOOTY_POLL_SECONDS; 0: as often as other matches. Unset: 10 while API-Football "
        "tells that plenty of requests are left, 0 with any other lead.",
    )
    fixture_deadline_hours: float = Field(
        48.0,
        gt=0,
        le=YEAR_HOURS,
        description="Hours after kickoff until an unfinished match is closed.",
    )
    retention_days: int = Field(
        14, ge=1, le=100 * YEAR_DAYS, description="Days a completed match is kept."
    )
    search_attempts: int = Field(
        10, ge=0, description="Searches for each stable goal; 0 switches searching off."
    )
    search_apart_seconds: float = Field(
        60.0,
        gt=0,
        le=YEAR_SECONDS,
        description="Seconds between two searches for a goal, start to start.",
    )
    search_give_up_minutes: float = Field(
        30.0,
        gt=0,
        le=YEAR_MINUTES,
        description="Minutes after a goal is stable until its searches are closed.",
    )
    search_chosen: int = Field(
        5, ge=1, le=50, description="Videos downloaded from one search, the likeliest first."
    )
    search_ahead: bool = Field(
        True,
        description="Whether a goal is searched for, and its videos are judged, while it is not "
        "stable yet; what is found is published when it is.",
    )
    canary_minutes: float = Field(
        60.0,
        ge=0,
        le=YEAR_MINUTES,
        description="Minutes between two canaries of a site, searches that always have results and "
        "show whether it works; 0 switches them off.",
    )
    canary_words: Annotated[tuple[str, ...], NoDecode] = Field(
        ("Liverpool", "Barcelona", "Arsenal"),
        min_length=1,
        description="Words that a canary searches for, comma-separated.",
    )
    coverage_target: float = Field(
        0.8,
        ge=0,
        le=1,
        description="Share of a matchday's goals that should have a clip when they are searched "
        "for; less fails a check.",
    )
    coverage_goals: int = Field(
        5, ge=1, description="Goals of a matchday from which on that share is judged."
    )
    clip_longer_than_seconds: float = Field(
        3.0, ge=0, description="Videos must be longer than this, in seconds."
    )
    clip_up_to_seconds: float = Field(
        60.0, gt=0, description="Maximum length of a video, in seconds."
    )
    clip_short_edge: int = Field(
        360, ge=1, description="Minimum length of the shorter edge, in pixels."
    )
    clip_portrait: bool = Field(False, description="Accept portrait videos.")
    clip_height: int = Field(
        1080,
        ge=1,
        description="Height of the file that is downloaded where a video has several: the highest "
        "up to this, in pixels, within FOOTY_DOWNLOAD_MEGABYTES.",
    )
    download_megabytes: int = Field(
        100, ge=1, description="Maximum size of a download, in megabytes."
    )
    downloads_at_once: int = Field(3, ge=1, le=16, description="Parallel downloads.")
    download_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="More hosts that videos may come from, comma-separated: cdn.example.com, or "
        "*.example.com for any below. Those of the sites, and of hosts of clips, are known.",
    )
    download_private_addresses: bool = Field(
        False,
        description="Also download from private, loopback and link-local addresses.",
    )
    wikidata_url: str = Field(
        "https://www.wikidata.org/w/api.php",
        description="URL of Wikidata's api.php, for team names and nicknames.",
    )
    wikidata_contact: str | None = Field(
        None,
        description="Your email or web page, sent to Wikidata as its User-Agent policy requires.",
    )
    alias_llm_url: str | None = Field(
        None,
        description="OpenAI-compatible endpoint (.../v1) that picks search words for teams. "
        "Unset: a fixed ranking picks them.",
    )
    alias_llm_model: str = Field("default", description="Model name at FOOTY_ALIAS_LLM_URL.")
    alias_llm_key: SecretStr | None = Field(None, description="Key for FOOTY_ALIAS_LLM_URL.")
    alias_llm_calls_per_day: int = Field(
        500, ge=0, description="Maximum requests to FOOTY_ALIAS_LLM_URL per day."
    )
    sites: Annotated[tuple[str, ...], NoDecode] = Field(
        DEFAULT_SITES,
        validation_alias=_also("sites"),
        description="Sites to search for posts, comma-separated: x, bluesky, reddit, telegram; "
        "none switches searching off.",
    )
    x_url: str = Field("https://x.com", description="Base URL of X.")
    x_cookies_file: Path | None = Field(
        None,
        description="Exported cookies of your X login (Netscape or JSON), for machines without a "
        "screen. Unset: the browser profile that `footy login x` creates.",
    )
    x_requests_per_15_minutes: int = Field(
        50, ge=1, description="Maximum result pages from X per 15 minutes."
    )
    x_scrolls: int = Field(10, ge=0, description="Maximum scrolls in one search on X.")
    x_searches_per_browser: int = Field(
        50, ge=1, description="Searches after which the browser restarts."
    )
    jetstream_urls: Annotated[tuple[str, ...], NoDecode] = Field(
        JETSTREAMS,
        min_length=1,
        description="Jetstream servers, of which `footy listen` hears one at a time, "
        "comma-separated.",
    )
    heard_posts_hours: float = Field(
        48.0,
        gt=0,
        le=YEAR_HOURS,
        description="Hours that a post heard on Bluesky is kept, if it has a video.",
    )
    bluesky_video_url: str = Field(
        "https://video.bsky.app", description="Base URL of the videos of posts heard on Bluesky."
    )
    bluesky_url: str | None = Field(
        None,
        description="Base URL of a Bluesky AppView to search. Unset: posts are heard instead of "
        "searched for, since Bluesky's own AppView refuses searches without a login.",
    )
    bluesky_requests_per_15_minutes: int = Field(
        300, ge=1, description="Maximum result pages from FOOTY_BLUESKY_URL per 15 minutes."
    )
    reddit_url: str = Field("https://www.reddit.com", description="Base URL of Reddit.")
    reddit_feed_seconds: float = Field(
        60.0,
        ge=60,
        le=YEAR_SECONDS,
        description="Seconds between two requests for r/soccer's feed, over all processes.",
    )
    clip_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="More domains of the hosts that Reddit's posts link to, comma-separated: "
        "streamin.example=streamin for a new domain of a known host (streamin, streamff, "
        "streamain, dubz, streamable), clips.example for any other.",
    )
    telegram_url: str = Field(
        "https://t.me",
        description="Base URL of the web previews of Telegram's channels, an unofficial interface.",
    )
    telegram_channels: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        max_length=20,
        description="Public Telegram channels to read if FOOTY_SITES names telegram, "
        "comma-separated: their names or their t.me addresses.",
    )
    telegram_feed_seconds: float = Field(
        60.0,
        ge=60,
        le=YEAR_SECONDS,
        description="Seconds between two readings of a Telegram channel, over all processes.",
    )
    vision_url: str | None = Field(
        None,
        description="OpenAI-compatible endpoint (.../v1) that judges frames. Unset: none.",
    )
    vision_model: str = Field("default", description="Model name at FOOTY_VISION_URL.")
    vision_key: SecretStr | None = Field(None, description="Key for FOOTY_VISION_URL.")
    vision_mode: Literal["second_opinion", "instead"] = Field(
        "second_opinion",
        description="Ask the vision model when the built-in validator is unsure, or instead of it.",
    )
    vision_at_once: int = Field(
        2,
        ge=1,
        le=64,
        description="Maximum concurrent requests to the vision model, over all processes.",
    )
    vision_calls_per_day: int = Field(
        2_000, ge=0, description="Maximum requests to FOOTY_VISION_URL per day."
    )
    vision_usd_per_day: float = Field(
        1.0, ge=0, description="Maximum cost of the vision model per day, in USD."
    )
    vision_usd_per_mtoken_in: float = Field(
        0.0, ge=0, description="Price of the vision model per million input tokens, in USD."
    )
    vision_usd_per_mtoken_out: float = Field(
        0.0, ge=0, description="Price of the vision model per million output tokens, in USD."
    )
    history_threshold: int = Field(
        1, ge=1, description="Signals from one tier of a past season that start the next tier."
    )
    history_flag_share: float = Field(
        0.05, gt=0, le=1, description="Share of a tier's documents (the last ones) that signal."
    )
    history_flag_minimum: int = Field(
        1, ge=1, description="Minimum number of a tier's documents that signal."
    )
    history_alert_minutes: float = Field(
        30.0,
        gt=0,
        le=YEAR_MINUTES,
        description="Minutes without progress after which a past season raises an alert.",
    )
    history_at_once: int = Field(8, ge=1, le=32, description="Parallel requests for past seasons.")
    notify_private_addresses: bool = Field(
        False,
        description="Also notify subscribers at private, loopback and link-local addresses.",
    )
    tables_folder: Path | None = Field(
        None, description="Folder for the Parquet tables of past seasons. Unset: in FOOTY_HOME."
    )
    dagster_host: str = Field(
        "127.0.0.1",
        description="Address the Dagster UI binds to. Beyond loopback all requests need the token.",
    )
    dagster_port: int = Field(3000, ge=0, le=65535, description="Port of the Dagster UI; 0: any.")
    dagster_public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+$",
        description="Public URL of the Dagster UI, if a proxy makes it reachable under another "
        "address. All requests then need the token.",
    )
    dagster_internal_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+$",
        description="URL at which the web app reaches the Dagster UI on another machine or "
        "container. Unset: its address and port.",
    )
    api_host: str = Field(
        "127.0.0.1",
        description="Address the web app binds to. Beyond loopback all requests need the token.",
    )
    api_port: int = Field(3080, ge=0, le=65535, description="Port of the web app; 0: any.")
    api_token: SecretStr | None = Field(
        None, description="Token that HTTP requests need to change anything. Unset: read-only."
    )
    api_public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+$",
        description="Public URL of the web app, if it differs from its address and port.",
    )
    max_connections: int = Field(
        4096,
        ge=16,
        description="Maximum open connections of the web app, and of the Dagster UI; fewer where "
        "the system limits open files.",
    )
    browser_path: Path | None = Field(
        None, description="Path of a Chromium. Unset: the system's, else Playwright's."
    )
    clock: str | None = Field(
        None, description="START@SPEED@ANCHOR speeds up time; used by the demo."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Log level of the command line (stderr)."
    )

    @field_validator(
        "home", "env_file", "x_cookies_file", "tables_folder", "providers_file", mode="after"
    )
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return absolute_path(value) if value is not None else None

    @field_validator(*URLS, mode="after")
    @classmethod
    def _http_url(cls, value: str | None) -> str | None:
        return http_url(value) if value is not None else None

    @field_validator(*IN_HEADERS, mode="after")
    @classmethod
    def _header_text(cls, value: SecretStr | str | None) -> SecretStr | str | None:
        if value is not None:
            header_text(value.get_secret_value() if isinstance(value, SecretStr) else value)
        return value

    @field_validator("dagster_postgres_url", "broker_url", mode="after")
    @classmethod
    def _shared_server(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is not None:
            check = broker_url if info.field_name == "broker_url" else postgres_url
            check(value.get_secret_value())
        return value

    @field_validator("*", mode="after")
    @classmethod
    def _stored_integers(cls, value: Any) -> Any:
        stored_integers(value if isinstance(value, tuple) else (value,))
        return value

    @field_validator("confirm_seconds", mode="after")
    @classmethod
    def _off_or_apart(cls, value: float | None) -> float | None:
        return value if value is None else off_or_apart(value)

    @field_validator("tracked_leagues", mode="before")
    @classmethod
    def _ids(cls, value: Any) -> Any:
        return _split_ids(value)

    @field_validator("tracked_teams", mode="before")
    @classmethod
    def _ids_or_all(cls, value: Any) -> Any:
        return "*" if isinstance(value, str) and value.strip() == "*" else _split_ids(value)

    @field_validator("sites", mode="before")
    @classmethod
    def _known_sites(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        names = tuple(dict.fromkeys(value.lower().replace(",", " ").split()))
        if names == (NO_SITES,):
            return ()
        if unknown := [name for name in names if name not in SITES]:
            raise ValueError(f"{unknown[0]} is not a site; choose from {', '.join(SITES)}")
        return names

    @field_validator("jetstream_urls", mode="after")
    @classmethod
    def _websocket_urls(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(websocket_url, value))

    @field_validator(
        *("download_hosts", "clip_hosts", "jetstream_urls", "telegram_channels", "canary_words"),
        mode="before",
    )
    @classmethod
    def _names(cls, value: Any) -> Any:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("clip_hosts", mode="after")
    @classmethod
    def _clip_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clip_host(one) for one in value)

    @field_validator("telegram_channels", mode="after")
    @classmethod
    def _telegram_channels(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        names = [telegram_channel(one) for one in value]
        return tuple({name.lower(): name for name in names}.values())

    @field_validator("clock", mode="after")
    @classmethod
    def _readable_clock(cls, value: str | None) -> str | None:
        parse_clock(value)
        return value

    def make_clock(self) -> Clock:
        return parse_clock(self.clock)

    @property
    def download_bytes(self) -> int:
        return self.download_megabytes * 1_000_000

    @property
    def clip_rules(self) -> ClipRules:
        """D2's numbers, as configured."""
        return ClipRules(
            longer_than=self.clip_longer_than_seconds,
            up_to=self.clip_up_to_seconds,
            short_edge=self.clip_short_edge,
            allow_portrait=self.clip_portrait,
            max_size=self.download_bytes,
        )

    @property
    def listens_to_bluesky(self) -> bool:
        """SE5: whether posts on Bluesky are heard, and not searched for."""
        return SiteName.BLUESKY in self.sites and self.bluesky_url is None

    @property
    def keeps_feeds(self) -> bool:
        """SE5: whether a site is on whose feed is read for all searches."""
        with_channels = SiteName.TELEGRAM in self.sites and bool(self.telegram_channels)
        return SiteName.REDDIT in self.sites or with_channels

    @property
    def x_profile(self) -> Path:
        """The browser profile that holds the user's login to X."""
        return self.home / "x-profile"

    @property
    def dagster_url(self) -> str:
        """URL at which our own processes reach the Dagster UI."""
        own = f"http://{_in_url(self.dagster_host)}:{self.dagster_port}"
        return self.dagster_internal_url or own

    @property
    def gallery_url(self) -> str:
        """URL of the web app."""
        return self.api_public_url or f"http://{_in_url(self.api_host)}:{self.api_port}"

    @property
    def tables(self) -> Path:
        """The folder of the Parquet tables (Y12)."""
        return self.tables_folder or self.home / "tables"

    @property
    def speed(self) -> float:
        return parse_clock(self.clock).speed

    def sensor_interval(self, seconds: int) -> int:
        """Seconds between a sensor's ticks: with an accelerated clock, as few as possible."""
        return seconds if self.speed == 1 else 1


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _split_ids(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(
        int(part) if part.isdecimal() and len(part) < 20 else part
        for part in value.replace(",", " ").split()
    )


def load_settings(**overrides: Any) -> Settings:
    """Read the settings; raises `BadInput` that names the wrong one."""
    if name := not_utf8(PREFIX):
        raise BadInput(f"{name} is not UTF-8 text", "Write it in UTF-8")
    named = overrides.get("env_file") or os.environ.get("FOOTY_ENV_FILE")
    try:
        chosen = absolute_path(Path(named)) if named else None
    except ValueError as error:
        raise BadInput(f"FOOTY_ENV_FILE: {error}") from error
    files = find_env_files(os.environ, find_checkout(), chosen)
    try:
        return Settings(_env_file=files, **overrides)
    except UnicodeDecodeError as error:
        raise BadInput("a .env file is not UTF-8 text", "Save it as UTF-8") from error
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).upper()
        name = name if name.startswith(PREFIX) else PREFIX + name
        raise BadInput(f"{name} is not valid: {first['msg']}", "See `footy settings`") from error


class _Given(Settings):
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def settings_of(**values: Any) -> Settings:
    """Settings made of these values and the defaults, without the environment and `.env`."""
    return _Given(**values)
