"""The `settings` of each adapter in `sources.yaml`."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

FOOTBALL_DATA_URL = "https://api.football-data.org"
ESPN_URL = "https://site.api.espn.com"
# ESPN's names of competitions: eng.1, uefa.champions.
Slug = Annotated[str, Field(pattern=r"^[a-z0-9_-]+(\.[a-z0-9_-]+)*$")]


class AdapterSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ApiFootballSettings(AdapterSettings):
    """Empty: the main provider is configured by FOOTY_API_FOOTBALL_KEY and the like."""


class FootballDataSettings(AdapterSettings):
    """`token_env` names the environment variable that holds the token: no secret in the file."""

    url: str = FOOTBALL_DATA_URL
    token_env: str | None = None


class EspnSettings(AdapterSettings):
    """Without `competitions`, those that the user tracks. `contact` is an email address or a web
    page, for the User-Agent: its text goes into a header."""

    url: str = ESPN_URL
    competitions: tuple[Slug, ...] = ()
    contact: str | None = Field(None, pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")


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
