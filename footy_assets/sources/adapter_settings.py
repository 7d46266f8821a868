"""What each adapter is told by its `settings` in `sources.yaml`."""

from pydantic import BaseModel, ConfigDict

FOOTBALL_DATA_URL = "https://api.football-data.org"


class AdapterSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MainSettings(AdapterSettings):
    """None: the main provider's are settings of the product, as FOOTY_API_FOOTBALL_KEY."""


class FootballDataSettings(AdapterSettings):
    """`token_env` names the environment variable that holds the token: no secret in the file."""

    url: str = FOOTBALL_DATA_URL
    token_env: str | None = None


class Selectors(AdapterSettings):
    """Where on a page a match and its parts are; attributes are asked for with `@name`."""

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
