"""SE4: the search query for a goal."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.names import plain

SEARCHES_WITHOUT_OR = 2
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class GoalQuery:
    """The scorer's names and the team's aliases. Each site turns it into its own syntax.

    Sites whose posts have a form compare them with `goal` and `fixture` instead.
    """

    players: tuple[str, ...]
    teams: tuple[str, ...]
    goal: GoalEvent | None = field(default=None, compare=False, repr=False)
    fixture: Fixture | None = field(default=None, compare=False, repr=False)

    def for_x(self) -> str:
        """`(p1 OR p2) (a1 OR a2 …) filter:videos`; the page itself sorts by newest."""
        parts = [_any_of(self.players), _any_of(self.teams), "filter:videos"]
        return " ".join(part for part in parts if part)

    def single_terms(self) -> tuple[str, ...]:
        """For sites without OR, one search for each: the scorer's names. `mentions_team` then
        filters the posts."""
        return self.players[:SEARCHES_WITHOUT_OR] or self.teams[:1]

    def mentions_team(self, text: str) -> bool:
        words = f" {_normalise(text)} "
        return not self.teams or any(f" {_normalise(team)} " in words for team in self.teams)


def words_of(text: str) -> set[str]:
    """The words by which a post is found: lower case, without accents."""
    return set(WORD.findall(plain(text).lower()))


def _normalise(text: str) -> str:
    return " ".join(WORD.findall(plain(text).lower()))


def _any_of(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' if " " in word else word for word in words]
    if not quoted:
        return ""
    return f"({' OR '.join(quoted)})"
