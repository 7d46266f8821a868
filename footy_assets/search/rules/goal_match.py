"""SE6: whether a title names this goal: both teams, score, side and minute must agree."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute, is_stoppage_added, minutes_apart
from footy_assets.matchday.rules.sighting import HomeOrAway
from footy_assets.names import plain, without_apostrophes
from footy_assets.providers.rules.team_likeness import Likeness, likeness
from footy_assets.search.rules.goal_titles import GoalTitle
from footy_assets.search.rules.player_terms import player_terms

# Posts and providers round the minute differently.
MINUTES_APART = 1
Aliases = Mapping[HomeOrAway, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """`reasons` say what agrees; if it does not match, the last one says what does not."""

    matches: bool
    reasons: tuple[str, ...]


def matches_goal(
    title: GoalTitle, goal: GoalEvent, fixture: Fixture, aliases: Aliases | None = None
) -> TitleMatch:
    """SE6. A score comes once in a match, so a scorer's name is a further witness only: providers
    change it. Where the title has no minute, it must agree."""
    ordered = _in_order_of(title, fixture, aliases or {})
    if ordered is None:
        teams = f"{title.home} against {title.away}"
        return _no_match((), f"{teams} is not {fixture.home.name} against {fixture.away.name}")
    reasons = [f"teams {ordered.home} and {ordered.away}"]
    if goal.score_after is None:
        return _no_match(reasons, "the score after the goal is not known")
    if ordered.score != goal.score_after:
        return _no_match(reasons, f"score {_score(ordered.score)}, not {_score(goal.score_after)}")
    reasons.append(f"score {_score(ordered.score)}")
    if ordered.side is not None and goal.side is not None:
        if ordered.side != goal.side:
            return _no_match(reasons, f"goal of the {ordered.side} team, not the {goal.side} team")
        reasons.append(f"goal of the {ordered.side} team")
    named = names_scorer(ordered.scorer, goal.player.name)
    if ordered.minute is None:
        if not named:
            return _no_match(reasons, "neither the minute nor the scorer is named")
    elif not is_same_minute(ordered.minute, goal.minute):
        return _no_match(reasons, f"minute {ordered.minute}, not {goal.minute}")
    else:
        reasons.append(f"minute {ordered.minute}")
    if ordered.scorer is not None and goal.player.name:
        is_scorer = "scorer" if named else f"not {goal.player.name} but"
        reasons.append(f"{is_scorer} {ordered.scorer}")
    return TitleMatch(True, tuple(reasons))


def is_same_minute(one: MatchMinute, other: MatchMinute) -> bool:
    """Within one minute. Added time may be written as 90, 90+4 or 94."""
    played = abs((one.elapsed + (one.extra or 0)) - (other.elapsed + (other.extra or 0)))
    return min(played, minutes_apart(one, other)) <= MINUTES_APART or is_stoppage_added(one, other)


def names_scorer(theirs: str | None, ours: str | None) -> bool:
    """Whether both names share a word that fans use for the player, as a whole word."""
    if not theirs or not ours:
        return False
    words = set(_words(theirs))
    return any(set(_words(term)) <= words for term in player_terms(ours))


def _in_order_of(title: GoalTitle, fixture: Fixture, aliases: Aliases) -> GoalTitle | None:
    """The title with the home team of the fixture first; on neutral ground posts may swap them."""
    home = (fixture.home.name, *aliases.get("home", ()))
    away = (fixture.away.name, *aliases.get("away", ()))
    if _is_team(title.home, home) and _is_team(title.away, away):
        return title
    if _is_team(title.home, away) and _is_team(title.away, home):
        other: dict[HomeOrAway | None, HomeOrAway | None] = {
            "home": "away", "away": "home", None: None
        }  # fmt: skip
        return replace(
            title,
            home=title.away,
            away=title.home,
            score=(title.score[1], title.score[0]),
            side=other[title.side],
        )
    return None


def _is_team(theirs: str, ours: tuple[str, ...]) -> bool:
    if likeness((theirs,), ours) is not Likeness.DIFFERENT:
        return True
    # Initials such as MUFC are aliases only.
    return " ".join(_words(theirs)) in {" ".join(_words(name)) for name in ours}


def _no_match(reasons: tuple[str, ...] | list[str], why: str) -> TitleMatch:
    return TitleMatch(False, (*reasons, why))


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"


def _words(name: str) -> list[str]:
    text = without_apostrophes(plain(name)).casefold()
    return "".join(c if c.isalnum() else " " for c in text).split()
