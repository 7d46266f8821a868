"""T2: the names of football's events and values that our own snapshots have, and the metadata."""

from collections.abc import Iterable
from typing import Any

from footy_assets.triggers.rules.sports import FOOTBALL, SPORTS
from footy_assets.triggers.rules.term import Choice

STATUS, HALF, MINUTE = (f"football.match.{name}" for name in ("status", "half", "minute"))
SCORE_HOME, SCORE_AWAY = "football.score.home", "football.score.away"
SCORE_TOTAL, SCORE_DIFFERENTIAL = "football.score.total", "football.score.differential"
TEAM, PLAYER = "football.team", "football.player"
GOAL_PLAYER, GOAL_TEAM, GOAL_TYPE = (f"football.goal.{n}" for n in ("player", "team", "type"))
ASSIST_PLAYER = "football.assist.player"
CARD_PLAYER, CARD_TEAM, CARD_TYPE = (f"football.card.{n}" for n in ("player", "team", "type"))
SUBSTITUTION_IN, SUBSTITUTION_OUT = "football.substitution.in", "football.substitution.out"
LINE_UP_TEAM, LINE_UP_STARTER, LINE_UP_SUBSTITUTE = (
    f"football.line_up.{name}" for name in ("team", "starter", "substitute")
)
CLIP_READY, CLIP_LINK, CLIP_VERIFIED, CLIP_TEAM, CLIP_PLAYER = (
    f"football.clip.{name}" for name in ("ready", "link", "verified", "team", "player")
)
PENALTY_OUTCOME, VAR_OUTCOME = "football.penalty.outcome", "football.var.outcome"
PLAYER_SCORES, TEAM_SCORES = "football.player.scores", "football.team.scores"
TEAM_CORNERS = "football.team.corners"
PLAYER_CARDS, TEAM_CARDS = "football.player.cards", "football.team.cards"

NORMAL_GOAL, PENALTY_GOAL, OWN_GOAL = "normal", "penalty", "own"
YELLOW, SECOND_YELLOW, RED = "yellow", "second yellow", "red"
SCORED, MISSED = "scored", "missed"
GOAL_CANCELLED = "goal cancelled"
YES, NO = "yes", "no"


def metadata(
    teams: Iterable[Choice] = (), players: Iterable[Choice] = (), sport: str = FOOTBALL
) -> list[dict[str, Any]]:
    """T2, T23: the standard events for a form, with the teams and players of a match."""
    found = {"teams": list(teams), "players": list(players)}
    return [
        {
            "event": term.event,
            "sport": term.sport,
            "label": term.label,
            "description": term.description,
            "type": term.type,
            "compare": list(term.compares),
            "input": term.input,
            "parent": term.parent,
            "aggregate": term.aggregate,
            "limitable": term.limitable,
            "targets_from": term.targets_from,
            "targets": [as_target(one) for one in found.get(term.targets_from, term.choices)],
            "free": term.free,
            "minimum": term.minimum,
            "maximum": term.maximum,
            "preferred_options": list(term.preferred_options),
        }
        for term in SPORTS[sport].terms.values()
    ]


def as_target(choice: Choice) -> dict[str, Any]:
    return {
        "value": choice.value,
        "label": choice.label,
        "description": choice.description,
        "group": choice.group,
        **({"parent": choice.parent} if choice.parent else {}),
    }
