"""T18: a notification in words: what happened, the score, the minute, and a link."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.sports import VOCABULARY

MAX_SAID = 500
FINAL: Mapping[str, str] = {
    "HT": "Half-time",
    "FT": "Full time",
    "AET": "After extra time",
    "PEN": "After penalties",
}
STATUSES = {choice.value: choice.label for choice in VOCABULARY[v.STATUS].choices}
CARDS = {choice.value: choice.label for choice in VOCABULARY[v.CARD_TYPE].choices}
GOALS = {v.PENALTY_GOAL: "penalty", v.OWN_GOAL: "own goal"}


@dataclass(frozen=True, slots=True)
class MatchFacts:
    """Names of a match's teams, by side, and of its players, by id. `minute` is written as people
    do (45+2'), `link` leads to the moment."""

    teams: Mapping[str, str] = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    minute: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class MatchMessage:
    title: str
    text: str
    link: str | None = None
    score: str | None = None
    minute: str | None = None

    def as_json(self) -> dict[str, str | None]:
        names = ("title", "text", "link", "score", "minute")
        return {name: getattr(self, name) for name in names}


def message_of(
    body: Mapping[str, Any], options: Mapping[str, Any], facts: MatchFacts, *, is_status: bool
) -> MatchMessage:
    """The message of a notification about a snapshot with these options.

    `is_status`: the snapshot says that the status changed; others carry it as state. A trigger's
    payload may `say` something: that comes first.
    """
    title, retracted = _title(options, facts, is_status), bool(body.get("retracted"))
    if retracted:
        title = f"Taken back: {title}"
    score, minute = _score(options, facts), _minute(options, facts, is_status)
    # The clip of a goal that was cancelled is not to be watched.
    link = (None if retracted else options.get(v.CLIP_LINK)) or facts.link
    said = body.get("payload", {}).get("say")
    lines = [
        str(said)[:MAX_SAID] if said else None,
        ", ".join(part for part in (score, minute) if part),
        None if retracted else _verified(options),
        link,
    ]
    text = "\n".join(line for line in lines if line) or title
    return MatchMessage(title, text, link, score, minute)


def _title(options: Mapping[str, Any], facts: MatchFacts, is_status: bool) -> str:
    def team(event: str) -> str:
        side = str(_first(options[event]))
        return facts.teams.get(side, side)

    def player(event: str) -> str:
        id = str(_first(options[event]))
        return facts.players.get(id, f"player {id}")

    if v.CLIP_READY in options:
        who = player(v.CLIP_PLAYER) if v.CLIP_PLAYER in options else team(v.CLIP_TEAM)
        return f"Clip: goal by {who}" if v.CLIP_PLAYER in options else f"Clip: goal for {who}"
    if v.GOAL_TEAM in options:
        kind = GOALS.get(str(options.get(v.GOAL_TYPE)), "")
        scorer = f": {player(v.GOAL_PLAYER)}" if v.GOAL_PLAYER in options else ""
        return f"Goal for {team(v.GOAL_TEAM)}{scorer}" + (f" ({kind})" if kind else "")
    if v.CARD_TEAM in options:
        card = CARDS.get(str(options.get(v.CARD_TYPE)), "card").capitalize()
        who = player(v.CARD_PLAYER) if v.CARD_PLAYER in options else "a player"
        return f"{card}: {who} ({team(v.CARD_TEAM)})"
    if v.SUBSTITUTION_IN in options or v.SUBSTITUTION_OUT in options:
        on = [f"{player(v.SUBSTITUTION_IN)} on"] if v.SUBSTITUTION_IN in options else []
        off = [f"{player(v.SUBSTITUTION_OUT)} off"] if v.SUBSTITUTION_OUT in options else []
        return "Substitution: " + ", ".join(on + off)
    if v.LINE_UP_TEAM in options:
        return f"Line-up of {team(v.LINE_UP_TEAM)} is out"
    if v.VAR_OUTCOME in options:
        return f"VAR: {_first(options[v.VAR_OUTCOME])}"
    if v.PENALTY_OUTCOME in options:
        return f"Penalty {_first(options[v.PENALTY_OUTCOME])}"
    if is_status:
        status = str(options.get(v.STATUS))
        return FINAL.get(status) or STATUSES.get(status, status).capitalize()
    return "A trigger fired"


def _verified(options: Mapping[str, Any]) -> str | None:
    if v.CLIP_READY not in options:
        return None
    seen = options.get(v.CLIP_VERIFIED) == v.YES
    return "The match clock in it was checked." if seen else "Its match clock could not be read."


def _score(options: Mapping[str, Any], facts: MatchFacts) -> str | None:
    if v.SCORE_HOME not in options or v.SCORE_AWAY not in options:
        return None
    home, away = facts.teams.get("home", "home"), facts.teams.get("away", "away")
    return f"{home} {options[v.SCORE_HOME]}–{options[v.SCORE_AWAY]} {away}"


def _minute(options: Mapping[str, Any], facts: MatchFacts, is_status: bool) -> str | None:
    if is_status or (facts.minute is None and v.MINUTE not in options):
        return None
    return facts.minute or f"{options[v.MINUTE]}'"


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value
