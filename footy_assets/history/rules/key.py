"""The key of a season: `39:2023`."""

import re
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from footy_assets.errors import BadInput

FIRST_SEASON, LAST_SEASON = 1900, 2100
LAST_LEAGUE = 10**9 - 1


@dataclass(frozen=True, slots=True, order=True)
class LeagueSeason:
    """Y1: a league's id and the year in which its season begins."""

    league: int
    season: int

    def __post_init__(self) -> None:
        known_league = 1 <= self.league <= LAST_LEAGUE
        if not known_league or not FIRST_SEASON <= self.season <= LAST_SEASON:
            raise BadInput(
                f"{self.league}:{self.season} is not a season of a league",
                "Write it as 39:2023: the league's id and the year in which the season starts",
            )

    @classmethod
    def parse(cls, text: str) -> "LeagueSeason":
        found = re.fullmatch(r"(\d{1,9}):(\d{4})", text.strip(), re.ASCII)
        if found is None:
            raise BadInput(
                f"{text!r} is not a season of a league",
                "Write it as 39:2023: the league's id and the year in which the season starts",
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.league}:{self.season}"

    @property
    def correlation_id(self) -> str:
        """Identifies this season in every signal; the same after a restart."""
        return str(uuid5(NAMESPACE_URL, f"footy:history:{self}"))
