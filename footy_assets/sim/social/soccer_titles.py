"""Titles as people write them on r/soccer: of goals, in all their spellings, and of other posts."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class TitledGoal:
    """A goal as a fan saw it. `score` is that after it; `home_scored` says for whom."""

    home: str
    away: str
    score: tuple[int, int]
    home_scored: bool
    scorer: str
    minute: str

    @property
    def bracketed(self) -> tuple[str, str]:
        home, away = self.score
        return (f"[{home}]", str(away)) if self.home_scored else (str(home), f"[{away}]")


def _usual(goal: TitledGoal) -> str:
    home, away = goal.bracketed
    return f"{goal.home} {home} - {away} {goal.away} - {goal.scorer} {goal.minute}'"


def _tight(goal: TitledGoal) -> str:
    home, away = goal.bracketed
    return f"{goal.home} {home}-{away} {goal.away} - {goal.scorer} {goal.minute}'"


def _copied(goal: TitledGoal) -> str:
    """Pasted from a right-to-left page."""
    return _usual(goal).replace("'", "\u200e'\u200e")


def _typographic(goal: TitledGoal) -> str:
    return _usual(goal).replace(" - ", " – ").replace("'", "’")


def _unbracketed(goal: TitledGoal) -> str:
    home, away = goal.score
    return f"{goal.home} {home}-{away} {goal.away} - {goal.scorer} {goal.minute}'"


def _commented(goal: TitledGoal) -> str:
    return f"{_usual(goal)} (great goal)"


def _aggregate(goal: TitledGoal) -> str:
    home, away = goal.bracketed
    return f"{goal.home} {home}-{away} {goal.away} (4-3 on agg.) - {goal.scorer} {goal.minute}'"


def _small(goal: TitledGoal) -> str:
    return _tight(goal).lower()


STYLES: tuple[Callable[[TitledGoal], str], ...] = (
    _usual, _tight, _copied, _typographic, _unbracketed, _commented, _aggregate, _small,
)  # fmt: skip


def goal_title(goal: TitledGoal, style: int) -> str:
    return STYLES[style % len(STYLES)](goal)


def other_titles(goal: TitledGoal) -> tuple[str, ...]:
    """What else is posted around a goal."""
    home, away = goal.score
    score = f"{goal.home} {home} - {away} {goal.away}"
    return (
        f"Match Thread: {goal.home} vs {goal.away} | Premier League",
        f"{score} - {goal.scorer} red card {goal.minute}'",
        f"{score} - {goal.scorer} missed penalty {goal.minute}'",
        f"{goal.scorer} disallowed goal against {goal.away} {goal.minute}'",
        f"Great save against {goal.home} ({home}-{away}) {goal.minute}'",
        f"Post Match Thread: {score} | Premier League",
        f"{goal.home} {home}-{away} {goal.away}: {goal.scorer}'s strike is the talk of the town",
        f"[The Local Paper] {goal.home} want a new striker by January",
    )
