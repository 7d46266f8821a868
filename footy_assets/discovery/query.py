"""S4: what is typed into a source's search box."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.discovery.words import plain

SEARCHES_WITHOUT_OR = 2


@dataclass(frozen=True, slots=True)
class GoalQuery:
    """Who scored and for whom. Each source writes it in its own language."""

    players: tuple[str, ...]
    teams: tuple[str, ...]

    def for_x(self) -> str:
        """`(p1 OR p2) (a1 OR a2 …) filter:videos`; newest first is the page's own choice."""
        parts = [_any_of(self.players), _any_of(self.teams), "filter:videos"]
        return " ".join(part for part in parts if part)

    def words(self) -> tuple[str, ...]:
        """For searches that know no OR, one search each: by the scorer, whatever the side is
        called. Which posts name the side is told by `names_the_side`."""
        return self.players[:SEARCHES_WITHOUT_OR] or self.teams[:1]

    def names_the_side(self, text: str) -> bool:
        said = f" {_spaced(text)} "
        return not self.teams or any(f" {_spaced(team)} " in said for team in self.teams)


def _spaced(text: str) -> str:
    return " ".join(re.findall(r"\w+", plain(text).lower()))


def _any_of(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' if " " in word else word for word in words]
    if not quoted:
        return ""
    return f"({' OR '.join(quoted)})"
