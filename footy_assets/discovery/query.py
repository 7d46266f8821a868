"""S4: what is typed into a source's search box."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GoalQuery:
    """Who scored and for whom. Each source writes it in its own language."""

    players: tuple[str, ...]
    teams: tuple[str, ...]

    def for_x(self) -> str:
        """`(p1 OR p2) (a1 OR a2 …) filter:videos`; newest first is the page's own choice."""
        parts = [_any_of(self.players), _any_of(self.teams), "filter:videos"]
        return " ".join(part for part in parts if part)

    def for_words(self) -> str:
        """For searches without operators: the scorer and the side, best word each."""
        return " ".join([*self.players[:1], *self.teams[:1]])


def _any_of(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' if " " in word else word for word in words]
    if not quoted:
        return ""
    return f"({' OR '.join(quoted)})"
