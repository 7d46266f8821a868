"""All configuration: one place, read from the environment (`FOOTY_*`) and `.env`."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from footy_assets.clock import Clock, parse_clock
from footy_assets.errors import BadInput

SOURCES = ("x", "bluesky")
NO_SOURCES = "none"
PACKAGE_ROOT = Path(__file__).resolve().parents[1]


def project_root() -> Path:
    """The checkout that holds `dagster.yaml`; the working directory when installed elsewhere."""
    return PACKAGE_ROOT if (PACKAGE_ROOT / "dagster.yaml").is_file() else Path.cwd()


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="FOOTY_",
        env_file=(project_root() / ".env", ".env"),
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    home: Path = Field(
        default_factory=lambda: project_root() / ".footy",
        description="Where all local state lives: embedded servers' data and the Dagster instance.",
    )
    mongo_uri: SecretStr | None = Field(
        None,
        description="A MongoDB replica set to use. Unset: a private one is started.",
    )
    mongo_database: str = Field("footy", description="The database's name.")
    s3_endpoint_url: str | None = Field(
        None,
        description="An S3 server to use. Unset: a private one is started.",
    )
    s3_bucket: str = Field("footy-videos", description="The bucket for clips; made on first use.")
    s3_region: str = Field("us-east-1", description="The bucket's region.")
    s3_access_key_id: SecretStr | None = Field(
        None, description="Access key. Unset: the usual AWS credential chain."
    )
    s3_secret_access_key: SecretStr | None = Field(None, description="Secret key.")
    api_football_url: str = Field(
        "https://v3.football.api-sports.io", description="Base address of API-Football v3."
    )
    api_football_key: SecretStr | None = Field(None, description="Your API-Football key.")
    api_football_timeout_seconds: float = Field(
        30.0, gt=0, description="How long one request to the provider may take."
    )
    sources_file: Path | None = Field(
        None,
        description="Which football providers are asked, as YAML. Unset: sources.yaml in "
        "FOOTY_HOME; without it, API-Football alone.",
    )
    tracked_leagues: Annotated[tuple[int, ...], NoDecode] = Field(
        (39, 140, 78, 135, 61),
        description="League ids whose clubs are followed, comma-separated.",
    )
    tracked_teams: Annotated[tuple[int, ...] | Literal["*"], NoDecode] = Field(
        (),
        description="Further team ids (national teams), comma-separated; * follows every fixture.",
    )
    poll_seconds: float = Field(30.0, gt=0, description="Time between two live polls.")
    fixture_deadline_hours: float = Field(
        48.0, gt=0, description="A match that has not finished this long after kickoff is closed."
    )
    retention_days: int = Field(14, ge=1, description="How long a completed match is kept.")
    search_attempts: int = Field(
        10, ge=0, description="Clip searches planned for each stable goal; 0 plans none."
    )
    search_apart_seconds: float = Field(
        60.0, gt=0, description="From the start of one search for a goal to that of the next."
    )
    search_give_up_minutes: float = Field(
        30.0, gt=0, description="What is not finished so long after a goal stood is closed."
    )
    search_chosen: int = Field(
        5, ge=1, le=50, description="Videos taken from one search, the longest first."
    )
    clip_longer_than_seconds: float = Field(
        3.0, ge=0, description="A video of this length or less is no clip."
    )
    clip_up_to_seconds: float = Field(60.0, gt=0, description="A longer video is no clip.")
    clip_short_edge: int = Field(
        360, ge=1, description="The least pixels of a clip's shorter side."
    )
    clip_portrait: bool = Field(False, description="Take upright videos too.")
    download_megabytes: int = Field(
        100, ge=1, description="A video larger than this is not fetched."
    )
    downloads_at_once: int = Field(3, ge=1, le=16, description="Videos fetched side by side.")
    wikidata_url: str = Field(
        "https://www.wikidata.org/w/api.php",
        description="Where team names and nicknames come from: Wikidata's api.php.",
    )
    wikidata_contact: str | None = Field(
        None,
        description="Your address or web page, told to Wikimedia as its User-Agent policy asks.",
    )
    alias_llm_url: str | None = Field(
        None,
        description="An OpenAI-compatible endpoint (.../v1) that picks team names for searches. "
        "Unset: a fixed ranking does.",
    )
    alias_llm_model: str = Field("default", description="The model's name there.")
    alias_llm_key: SecretStr | None = Field(None, description="Its key, if it wants one.")
    alias_llm_calls_per_day: int = Field(500, ge=0, description="Requests to that model in a day.")
    sources: Annotated[tuple[str, ...], NoDecode] = Field(
        SOURCES,
        description="Where fans' posts are searched, comma-separated: x, bluesky; none switches "
        "all off.",
    )
    x_url: str = Field("https://x.com", description="Base address of X.")
    x_cookies_file: Path | None = Field(
        None,
        description="Cookies of a login to X (Netscape or JSON), for machines without a screen. "
        "Unset: the profile that `footy login x` keeps.",
    )
    x_requests_per_15_minutes: int = Field(
        50, ge=1, description="Pages of results asked from X in a quarter hour."
    )
    x_scrolls: int = Field(10, ge=0, description="How often a search on X scrolls at most.")
    x_searches_per_browser: int = Field(
        50, ge=1, description="After so many searches the browser is started anew."
    )
    bluesky_url: str = Field(
        "https://public.api.bsky.app", description="Base address of a Bluesky AppView."
    )
    bluesky_requests_per_15_minutes: int = Field(
        300, ge=1, description="Pages of results asked from Bluesky in a quarter hour."
    )
    vision_url: str | None = Field(
        None,
        description="An OpenAI-compatible endpoint (.../v1) that looks at frames. Unset: none.",
    )
    vision_model: str = Field("default", description="The model's name there.")
    vision_key: SecretStr | None = Field(None, description="Its key, if it wants one.")
    vision_mode: Literal["second_opinion", "instead"] = Field(
        "second_opinion",
        description="Ask the model when our own judgement is unsure, or instead of it.",
    )
    vision_at_once: int = Field(
        2, ge=1, le=64, description="Requests to the model at one time, over all processes."
    )
    vision_calls_per_day: int = Field(2_000, ge=0, description="Requests to the model in a day.")
    vision_usd_per_day: float = Field(1.0, ge=0, description="Dollars for the model in a day.")
    vision_usd_per_mtoken_in: float = Field(
        0.0, ge=0, description="The model's price per million tokens of question, in dollars."
    )
    vision_usd_per_mtoken_out: float = Field(
        0.0, ge=0, description="The model's price per million tokens of reply, in dollars."
    )
    history_threshold: int = Field(
        1, ge=1, description="Signals of a tier of a past season that start the next tier."
    )
    history_flag_share: float = Field(
        0.05, gt=0, le=1, description="Share of a tier's documents, its last, that signal."
    )
    history_flag_minimum: int = Field(
        1, ge=1, description="The least number of a tier's documents that signal."
    )
    history_alert_minutes: float = Field(
        30.0, gt=0, description="A past season that waits longer for one tier raises an alert."
    )
    history_at_once: int = Field(
        8, ge=1, le=32, description="Requests about past seasons that go out side by side."
    )
    tables_folder: Path | None = Field(
        None, description="Where the Parquet tables of past seasons lie. Unset: in the home."
    )
    dagster_host: str = Field("127.0.0.1", description="Address the Dagster UI binds to.")
    dagster_port: int = Field(3000, ge=0, le=65535, description="Its port; 0 takes a free one.")
    api_host: str = Field(
        "127.0.0.1",
        description="Address the web app binds to. Beyond loopback everything needs the token.",
    )
    api_port: int = Field(3080, ge=0, le=65535, description="Its port; 0 takes a free one.")
    api_token: SecretStr | None = Field(
        None, description="Whoever has it may change things over HTTP. Unset: nobody may."
    )
    api_public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+$",
        description="How people reach the web app, where that is not its own address and port.",
    )
    browser_path: Path | None = Field(
        None, description="A Chromium to use. Unset: the system's, else Playwright's own."
    )
    clock: str | None = Field(
        None, description="START@SPEED@ANCHOR makes time run faster; used by the demo."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="How much the command line logs to stderr."
    )

    @field_validator("home", "x_cookies_file", "tables_folder", "sources_file", mode="after")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return value.expanduser().absolute() if value is not None else None

    @field_validator("tracked_leagues", mode="before")
    @classmethod
    def _ids(cls, value: Any) -> Any:
        return _split_ids(value)

    @field_validator("tracked_teams", mode="before")
    @classmethod
    def _ids_or_all(cls, value: Any) -> Any:
        return "*" if isinstance(value, str) and value.strip() == "*" else _split_ids(value)

    @field_validator("sources", mode="before")
    @classmethod
    def _known_sources(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        names = tuple(dict.fromkeys(value.lower().replace(",", " ").split()))
        if names == (NO_SOURCES,):
            return ()
        if unknown := [name for name in names if name not in SOURCES]:
            raise ValueError(f"{unknown[0]} is no source; there are {', '.join(SOURCES)}")
        return names

    @field_validator("clock", mode="after")
    @classmethod
    def _readable_clock(cls, value: str | None) -> str | None:
        parse_clock(value)
        return value

    def make_clock(self) -> Clock:
        return parse_clock(self.clock)

    @property
    def x_profile(self) -> Path:
        """The browser profile that holds the user's login to X."""
        return self.home / "x-profile"

    @property
    def dagster_url(self) -> str:
        return f"http://{self.dagster_host}:{self.dagster_port}"

    @property
    def gallery_url(self) -> str:
        """Where people find the web app."""
        host = f"[{self.api_host}]" if ":" in self.api_host else self.api_host
        return self.api_public_url or f"http://{host}:{self.api_port}"

    @property
    def tables(self) -> Path:
        """The folder of the Parquet tables (Y12)."""
        return self.tables_folder or self.home / "tables"

    @property
    def speed(self) -> float:
        return parse_clock(self.clock).speed


def _split_ids(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(int(part) if part.isdigit() else part for part in value.replace(",", " ").split())


def load_settings(**overrides: Any) -> Settings:
    """Read the settings, or say in one sentence which one is wrong."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors()[0]
        name = "FOOTY_" + "_".join(str(part) for part in first["loc"][:1]).upper()
        raise BadInput(
            f"{name} cannot be used: {first['msg']}", "See `footy settings` for what it takes"
        ) from error


def as_environment(settings: Settings) -> dict[str, str]:
    """What was set, wherever it came from, for processes that start in another folder."""
    env: dict[str, str] = {}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        if name == "sources" and not value:
            value = NO_SOURCES
        if value is not None:
            env[f"FOOTY_{name.upper()}"] = str(_shown(value))
    return env


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Every setting with its value (secrets masked), default and meaning."""
    rows = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        default = field.get_default(call_default_factory=True, validated_data={})
        rows.append(
            {
                "name": f"FOOTY_{name.upper()}",
                "value": _shown(value),
                "default": _shown(default),
                "set": name in settings.model_fields_set,
                "description": field.description or "",
            }
        )
    return rows


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return value
