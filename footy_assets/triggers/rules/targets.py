"""T19: every target of a trigger exists: a team, a player or a value that its match can show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footy_assets.triggers.rules.option import Condition, Option, parse_targets
from footy_assets.triggers.rules.snapshot import split_list
from footy_assets.triggers.rules.sports import FOOTBALL, VOCABULARY
from footy_assets.triggers.rules.suggest import nearest, question
from footy_assets.triggers.rules.term import Choice, Term, Value
from footy_assets.triggers.rules.trigger import Trigger

SIDES = (Choice("home", "home"), Choice("away", "away"))
# Comparisons that can never be true at an end of the range.
NEVER_AT = {"gt": "maximum", "lt": "minimum"}
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MatchTargets:
    """What is known of a match. `team_names` are other names of its teams, ids among them.

    `all_players` is true once the rosters of both teams are known.
    """

    teams: Sequence[Choice] = ()
    players: Sequence[Choice] = ()
    team_names: Mapping[str, str] = field(default_factory=dict)
    is_ours: bool = False
    all_players: bool = False


@dataclass(frozen=True, slots=True)
class CheckedTrigger:
    """A trigger whose targets exist, and what could not be checked."""

    trigger: Trigger
    warnings: tuple[Json, ...] = ()


class WrongTargets(Exception):
    """Some targets of a trigger cannot occur in its match."""

    def __init__(self, faults: Sequence[Json]) -> None:
        super().__init__(f"{faults[0]['field']}: {faults[0]['message']}")
        self.faults = list(faults)


class _WrongTarget(Exception):
    def __init__(self, message: str, suggestions: Sequence[Choice] = ()) -> None:
        super().__init__(message + question(suggestions))
        self.suggestions = [one.value for one in suggestions]


def check_targets(trigger: Trigger, known: MatchTargets) -> CheckedTrigger:
    """T19: names of teams and players become what snapshots call them; the rest is refused."""
    faults: list[Json] = []
    warnings: list[Json] = []
    document = trigger.model_dump(mode="json", exclude_none=True)
    for path, option, row in _options(trigger, document):
        term, found = VOCABULARY[str(option.event)], list[Value]()
        for target in option.targets:
            parts = split_list(term, target) if isinstance(target, str) else [target]
            checked: list[Value] = []
            for written, value in zip(parts, parse_targets(term, tuple(parts)), strict=True):
                try:
                    right, warning = _check(term, str(option.compare), value, known)
                except _WrongTarget as wrong:
                    fault = {"message": str(wrong), "suggestions": wrong.suggestions}
                    faults.append({"field": f"{path}.targets", **fault})
                    continue
                if warning:
                    warnings.append({"field": f"{path}.targets", "message": warning})
                checked.append(written if right == value else right)
            found += [target] if checked == parts else checked
        row["targets"] = found
    if faults:
        raise WrongTargets(faults)
    return CheckedTrigger(Trigger.model_validate(document), tuple(warnings))


def _options(trigger: Trigger, document: Json) -> Iterator[tuple[str, Option | Condition, Json]]:
    """Each option as it is written, with its field and its part of the document."""
    for number, condition in enumerate(trigger.conditions):
        row, path = document["conditions"][number], f"conditions.{number}"
        if condition.event:
            yield path, condition, row
        for place, option in enumerate(condition.options):
            yield f"{path}.options.{place}", option, row["options"][place]


def _check(term: Term, compare: str, value: Value, known: MatchTargets) -> tuple[Value, str | None]:
    """The value as snapshots have it, and what could not be checked about it."""
    if term.targets_from == "teams":
        return _check_team(term, value, known)
    if term.targets_from == "players":
        return _check_player(value, known)
    if term.targets_from == "choices":
        return _check_choice(term, value)
    if term.targets_from == "anything":
        return value, None
    _check_number(term, compare, value)
    return value, None


def _check_team(term: Term, value: Value, known: MatchTargets) -> tuple[Value, str | None]:
    teams = known.teams or (SIDES if term.sport == FOOTBALL else ())
    if not teams:
        return value, f"{value} is accepted unchecked: the teams of this match are not known"
    right = _same(value, teams) or known.team_names.get(str(value).casefold())
    if right is None:
        raise _WrongTarget(f'"{value}" is no team of this match', nearest(value, teams))
    return right, None


def _check_player(value: Value, known: MatchTargets) -> tuple[Value, str | None]:
    right = _same(value, known.players)
    if right is not None:
        return right, None
    is_id = str(value).isdigit() or not known.is_ours
    if known.all_players or not is_id:
        alike = nearest(value, known.players) if known.players else ()
        what = "plays in this match" if known.all_players else "is known by that name: give an id"
        raise _WrongTarget(f'no player "{value}" {what}', alike)
    return value, f"player {value} is accepted unchecked: the rosters of this match are not known"


def _check_choice(term: Term, value: Value) -> tuple[Value, str | None]:
    right = _same(value, term.choices)
    if right is not None:
        return right, None
    alike = nearest(value, term.choices)
    shown = f'"{value}"' if isinstance(value, str) else value
    if term.free:
        return value, f"{shown} is none of the usual values of {term.event}{question(alike)}"
    raise _WrongTarget(f"{shown} is no value of {term.event}", alike)


def _check_number(term: Term, compare: str, value: Value) -> None:
    low, high = term.minimum, term.maximum
    if low is None or high is None or isinstance(value, str):
        return
    if not low <= value <= high:
        bound = low if value < low else high
        raise _WrongTarget(
            f"{value:g} is not between {low} and {high}, as {term.event} is", [Choice(bound, "")]
        )
    if value != int(value):
        raise _WrongTarget(
            f"{term.event} has whole numbers, not {value:g}", [Choice(round(value), "")]
        )
    if value == getattr(term, NEVER_AT.get(compare, ""), None):
        step = -1 if compare == "gt" else 1
        raise _WrongTarget(
            f"{term.event} goes from {low} to {high}, so {compare} {value:g} never holds",
            [Choice(int(value) + step, "")],
        )


def _same(value: Value, choices: Sequence[Choice]) -> Value | None:
    """The choice of this value; else the only one of this value or label but for capitals."""
    if any(one.value == value for one in choices):
        return value
    written = str(value).casefold()
    alike = {
        one.value for one in choices if written in (str(one.value).casefold(), one.label.casefold())
    }
    return alike.pop() if len(alike) == 1 else None
