"""The `settings` of each adapter in `sources.yaml`."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from footy_assets.providers.rules.competitions import BY_SHORTCUT

FOOTBALL_DATA_URL = "https://api.football-data.org"
ESPN_URL = "https://site.api.espn.com"
OPENLIGADB_URL = "https://api.openligadb.de"
# ESPN's names of competitions: eng.1, uefa.champions.
Slug = Annotated[str, Field(pattern=r"^[a-z0-9_-]+(\.[a-z0-9_-]+)*$")]


class AdapterSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    # Of a provider whose `confidence` the file does not give.
    default_confidence: ClassVar[float] = 1.0


class ApiFootballSettings(AdapterSettings):
    """Empty: the main provider is configured by FOOTY_API_FOOTBALL_KEY and the like."""


class FootballDataSettings(AdapterSettings):
    """`token_env` names the environment variable that holds the token: no secret in the file.

    When it leads, its matches are those of `competitions`, by their codes such as `PL`; without
    them, of those that the user tracks.
    """

    url: str = FOOTBALL_DATA_URL
    competitions: tuple[Annotated[str, Field(pattern=r"^[A-Z0-9]+$")], ...] = ()
    token_env: str | None = None


class EspnSettings(AdapterSettings):
    """Without `competitions`, those that the user tracks. `contact` is an email address or a web
    page, for the User-Agent: its text goes into a header."""

    url: str = ESPN_URL
    competitions: tuple[Slug, ...] = ()
    contact: str | None = Field(None, pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")


class OpenLigaDbSettings(AdapterSettings):
    """`leagues` are OpenLigaDB's shortcuts, such as `bl1`."""

    # Volunteers type it in, and its flags may be wrong. Below 0.5 it would not count at all.
    default_confidence: ClassVar[float] = 0.6

    url: str = OPENLIGADB_URL
    # A shortcut is a part of the path of a request.
    leagues: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")], ...] = tuple(BY_SHORTCUT)


class Selectors(AdapterSettings):
    """CSS selectors of a match and its parts on a page; `@name` selects an attribute."""

    ready: str = "#scores[data-ready]"
    match: str = "article.match"
    id: str = "@data-id"
    start: str = "@data-start"
    competition: str = ".competition"
    home: str = ".home"
    away: str = ".away"
    score: str = ".score"
    clock: str = ".clock"


class PageSettings(AdapterSettings):
    url: str
    selectors: Selectors = Selectors()
