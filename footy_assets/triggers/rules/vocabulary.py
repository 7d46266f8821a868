"""T2: the standard events of football, with what a form needs to offer them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from footy_assets.matchday.rules.statuses import MatchStatus

Compare = Literal["in", "eq", "ne", "gt", "ge", "lt", "le"]
ValueType = Literal["string", "number"]
Input = Literal["select", "number", "player", "team"]
TargetsFrom = Literal["choices", "teams", "players", "typed"]

TEXT: tuple[Compare, ...] = ("in", "eq", "ne")
NUMERIC: tuple[Compare, ...] = ("in", "eq", "ne", "gt", "ge", "lt", "le")
# For selectors: "everyone but him" has no counter.
SELECTOR_COMPARES: tuple[Compare, ...] = ("in", "eq")

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
PENALTY_OUTCOME, VAR_OUTCOME = "football.penalty.outcome", "football.var.outcome"
PLAYER_SCORES, TEAM_SCORES = "football.player.scores", "football.team.scores"
TEAM_CORNERS = "football.team.corners"
PLAYER_CARDS, TEAM_CARDS = "football.player.cards", "football.team.cards"

NORMAL_GOAL, PENALTY_GOAL, OWN_GOAL = "normal", "penalty", "own"
YELLOW, SECOND_YELLOW, RED = "yellow", "second yellow", "red"
SCORED, MISSED = "scored", "missed"
GOAL_CANCELLED = "goal cancelled"


@dataclass(frozen=True, slots=True)
class Term:
    """One standard event. `selector`, for aggregates, is the option that says whose count."""

    event: str
    label: str
    type: ValueType
    compares: tuple[Compare, ...]
    input: Input
    targets_from: TargetsFrom
    parent: str | None = None
    choices: tuple[str | int, ...] = ()
    selector: str | None = None
    # In every snapshot of a running match, not only when it changes.
    state: bool = False

    @property
    def aggregate(self) -> bool:
        return self.selector is not None

    @property
    def is_id(self) -> bool:
        """Ids of teams and players: a provider's numbers and a person's strings are the same."""
        return self.targets_from in ("teams", "players")

    @property
    def limitable(self) -> bool:
        """T9: may limits be counted by this event's values?"""
        return not self.aggregate


def _state(event: str, label: str, parent: str | None = None) -> Term:
    return Term(event, label, "number", NUMERIC, "number", "typed", parent, state=True)


def _choice(event: str, label: str, choices: tuple[str, ...], parent: str | None) -> Term:
    return Term(event, label, "string", TEXT, "select", "choices", parent, choices)


def _team(event: str, label: str, parent: str | None = None) -> Term:
    return Term(event, label, "string", TEXT, "team", "teams", parent)


def _player(event: str, label: str, parent: str | None) -> Term:
    return Term(event, label, "string", TEXT, "player", "players", parent)


def _count(event: str, label: str, selector: str) -> Term:
    return Term(event, label, "number", NUMERIC, "number", "typed", selector, selector=selector)


STATUSES = (
    MatchStatus.NOT_STARTED,
    MatchStatus.FIRST_HALF,
    MatchStatus.HALF_TIME,
    MatchStatus.SECOND_HALF,
    MatchStatus.EXTRA_TIME,
    MatchStatus.EXTRA_TIME_BREAK,
    MatchStatus.SHOOTOUT,
    MatchStatus.FULL_TIME,
    MatchStatus.AFTER_EXTRA_TIME,
    MatchStatus.AFTER_SHOOTOUT,
)
TERMS = (
    Term(STATUS, "Status", "string", TEXT, "select", "choices", None, STATUSES, state=True),
    Term(HALF, "Half", "number", NUMERIC, "select", "choices", None, (1, 2, 3, 4, 5), state=True),
    _state(MINUTE, "Minute", HALF),
    _state(SCORE_HOME, "Goals of the home side"),
    _state(SCORE_AWAY, "Goals of the away side"),
    _state(SCORE_TOTAL, "Goals of both sides"),
    _state(SCORE_DIFFERENTIAL, "Lead of the home side"),
    _team(TEAM, "Team"),
    _player(PLAYER, "Player", TEAM),
    _team(GOAL_TEAM, "Goal for"),
    _player(GOAL_PLAYER, "Goal by", GOAL_TEAM),
    _choice(GOAL_TYPE, "Kind of goal", (NORMAL_GOAL, PENALTY_GOAL, OWN_GOAL), GOAL_TEAM),
    _player(ASSIST_PLAYER, "Assist by", GOAL_PLAYER),
    _team(CARD_TEAM, "Card for a player of"),
    _player(CARD_PLAYER, "Card for", CARD_TEAM),
    _choice(CARD_TYPE, "Colour of the card", (YELLOW, SECOND_YELLOW, RED), CARD_TEAM),
    _player(SUBSTITUTION_IN, "Comes on", TEAM),
    _player(SUBSTITUTION_OUT, "Goes off", TEAM),
    _team(LINE_UP_TEAM, "Line-up is out of"),
    _player(LINE_UP_STARTER, "Starts", LINE_UP_TEAM),
    _player(LINE_UP_SUBSTITUTE, "Is on the bench", LINE_UP_TEAM),
    _choice(PENALTY_OUTCOME, "Penalty", (SCORED, MISSED), TEAM),
    _choice(
        VAR_OUTCOME,
        "VAR decision",
        (
            GOAL_CANCELLED,
            "goal confirmed",
            "penalty confirmed",
            "penalty cancelled",
            "card upgrade",
        ),
        TEAM,
    ),
    _count(PLAYER_SCORES, "Goals of a player", PLAYER),
    _count(TEAM_SCORES, "Goals of a team", TEAM),
    _count(TEAM_CORNERS, "Corners of a team", TEAM),
    _count(PLAYER_CARDS, "Cards of a player", PLAYER),
    _count(TEAM_CARDS, "Cards of a team", TEAM),
)
VOCABULARY: Mapping[str, Term] = {term.event: term for term in TERMS}


def metadata(
    teams: Sequence[Mapping[str, str]] = (), players: Sequence[Mapping[str, str]] = ()
) -> list[dict[str, Any]]:
    """T2: the standard events for a form, with the teams and players of a match."""
    sources = {"teams": list(teams), "players": list(players)}
    return [
        {
            "event": term.event,
            "label": term.label,
            "type": term.type,
            "compare": list(term.compares),
            "input": term.input,
            "parent": term.parent,
            "aggregate": term.aggregate,
            "limitable": term.limitable,
            "targets_from": term.targets_from,
            "targets": sources.get(term.targets_from)
            or [{"value": choice, "label": str(choice)} for choice in term.choices],
        }
        for term in TERMS
    ]
