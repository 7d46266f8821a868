"""The `settings` of each adapter in `sources.yaml`."""

from pydantic import BaseModel, ConfigDict

FOOTBALL_DATA_URL = "https://api.football-data.org"


class AdapterSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ApiFootballSettings(AdapterSettings):
    """Empty: the main provider is configured by FOOTY_API_FOOTBALL_KEY and the like."""


class FootballDataSettings(AdapterSettings):
    """`token_env` names the environment variable that holds the token: no secret in the file."""

    url: str = FOOTBALL_DATA_URL
    token_env: str | None = None


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
