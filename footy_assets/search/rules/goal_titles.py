"""SE6: the title of a goal post, as r/soccer writes it.

`Crystal Palace 1 - [3] Arsenal - K. Havertz 38'`: teams, the score after the goal with the
scoring side in brackets, scorer, minute, and often a comment. Whatever is not clearly a goal is
none: a red card or a save under the same score shows something else.
"""

import re
from dataclasses import dataclass

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail, HomeOrAway
from footy_assets.search.rules.title_words import (
    ADDITION,
    ANY_INCIDENT,
    DESCRIPTION,
    DISALLOWED,
    FIRST_INCIDENT,
    IN_DOUBT,
    NOT_A_TEAM,
    OWN_GOAL,
    PENALTY,
    is_name,
    leading_name,
    plain_marks,
)

LONGEST_TITLE = 300
LAST_MINUTE = 130
MOST_ADDED = 30
MOST_GOALS = 31
LONGEST_TEAM = 7
_OPEN, _CLOSE = r"[\[(]\s*", r"\s*[\])]"
# The digits end a word: Schalke 04 is no score, nor are 4-3-3 and 2025-26.
SCORE = re.compile(
    rf"(?:(?P<h_open>{_OPEN})|(?<![\w.+'-]))(?P<home>\d{{1,2}})(?P<h_close>{_CLOSE})?"
    rf"\s*[-:]\s*"
    rf"(?P<a_open>{_OPEN})?(?P<away>\d{{1,2}})(?P<a_close>{_CLOSE})?(?![\d'+%:]|\.\d|\s*-\s*\d)"
)
# `(2-3 on agg.)`, `[agg. 4-3]`, `[4-3]`, and the same without brackets.
AGGREGATE = re.compile(
    r"[\[(][^\[\]()']*?\d+\s*[-:]\s*\d+[^\[\]()']*[\])]"
    r"|[\[(][^\[\]()']*\bagg(?:regate|\b)[^\[\]()']*[\])]"
    r"|[,|/-]?\s*\bagg(?:regate)?\b\.?:?\s*\d+\s*[-:]\s*\d+"
    r"|[,|/-]?\s*\b\d+\s*[-:]\s*\d+\s*(?:on\s+|in\s+)?\bagg(?:regate)?\b\.?",
    re.IGNORECASE,
)
# A kick of a shoot-out is no goal (E1).
SHOOTOUT = re.compile(r"\bpens?\b|\bpenalties\b|\bpso\b|\bshoot[ -]?out", re.IGNORECASE)
# 38', 45+2', 90'+3', 90 + 4 min; the mark may miss after added time.
MINUTE = re.compile(
    r"(?<![\d.+:-])(?P<elapsed>\d{1,3})(?:st|nd|rd|th)?\s*"
    r"(?:(?:'\s*)?\+\s*(?P<extra>\d{1,2})\s*(?:['\"]+|min(?:ute)?\b\.?)?"
    r"|\s?['\"]+|\s?min(?:ute)?\b\.?)(?!\d)",
    re.IGNORECASE,
)
# Without any mark, at the end or before a comment: only where the score shows who scored.
BARE_MINUTE = re.compile(r"(?<![\w.+:-])(?P<elapsed>\d{1,3})(?P<extra>)(?=\s*(?:$|[(\[|)]))")
SEPARATOR = re.compile(r"\s+-+\s*|-+\s+|\s*\|\s*|:\s+|\s+[/•·~>]+\s+|,\s+|\s+by\s+")
PARENTHESIS = re.compile(r"\s*[\[(]\s*")
GROUP = re.compile(r"[\[(][^\[\]()]*[\])]")
# Tags in front of the teams, and numbers beside the score: goals on aggregate.
LEADING_TAG = re.compile(r"^\s*(?:[\[(][^\[\]()]*[\])]\s*|goal\s*[:!-]+\s*)+", re.IGNORECASE)
COMPETITION = re.compile(r"^(?P<name>[^:]{2,40}):\s+")
BESIDE_SCORE = re.compile(r"^\s*\(\d+\)|\(\d+\)\s*$")


@dataclass(frozen=True, slots=True)
class GoalTitle:
    """`side` is None where no bracket shows who scored; `minute` and `scorer` may be missing."""

    home: str
    away: str
    score: tuple[int, int]
    side: HomeOrAway | None
    scorer: str | None
    minute: MatchMinute | None
    detail: GoalDetail = GoalDetail.NORMAL_GOAL
    comment: str = ""


def parse_goal_title(title: str) -> GoalTitle | None:
    """The goal that a title names, or None if it is not clearly that of a goal."""
    if len(title) > LONGEST_TITLE:
        return None
    text = plain_marks(title)
    score = _find_score(text)
    if score is None or DISALLOWED.search(text):
        return None
    side = _scoring_side(score)
    goals = int(score["home"]), int(score["away"])
    before, after = text[: score.start()], text[score.end() :]
    if not _is_possible(goals, side) or NOT_A_TEAM.search(before) or _is_shootout(after):
        return None
    read = _Reader(bracketed=side is not None, any_case=text == text.lower())
    parts = read.split(" ".join(AGGREGATE.sub(" ", after).split()))
    if parts is None or read.shows_something_else(parts):
        return None
    home, away, scorer = read.team(before), read.team(parts.away), read.scorer(parts)
    if home is None or away is None or (scorer is None and not _is_enough(side, parts)):
        return None
    detail = _detail(f"{parts.scorer} {_first_comment(parts.comment)}")
    comment = _comment(parts.comment)
    return GoalTitle(home, away, goals, side, scorer, parts.minute, detail, comment)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What follows the score. `scorer` is as written, with its descriptions."""

    away: str
    scorer: str
    minute: MatchMinute | None
    comment: str


def _find_score(text: str) -> re.Match[str] | None:
    """The first with a name in front of it."""
    for found in SCORE.finditer(text):
        if any(c.isalpha() for c in LEADING_TAG.sub("", text[: found.start()])):
            return found
    return None


def _scoring_side(score: re.Match[str]) -> HomeOrAway | None:
    home = bool(score["h_open"] and score["h_close"])
    away = bool(score["a_open"] and score["a_close"])
    if home == away:
        return None
    return "home" if home else "away"


def _is_possible(goals: tuple[int, int], side: HomeOrAway | None) -> bool:
    scored = {"home": goals[0], "away": goals[1], None: sum(goals)}[side]
    return scored > 0 and max(goals) <= MOST_GOALS


def _is_shootout(after: str) -> bool:
    return any(SHOOTOUT.search(found.group()) for found in AGGREGATE.finditer(after))


def _is_enough(side: HomeOrAway | None, parts: _Parts) -> bool:
    """Without a scorer: `Own goal 27'` under a bracketed score."""
    return side is not None and parts.minute is not None


@dataclass(frozen=True, slots=True)
class _Reader:
    """A bracketed score is that of a goal, so less is required of the rest."""

    bracketed: bool
    any_case: bool

    def team(self, text: str) -> str | None:
        name = LEADING_TAG.sub("", text)
        if self.bracketed and (found := COMPETITION.match(name)) and is_name(found["name"]):
            name = name[found.end() :]
        name = BESIDE_SCORE.sub("", name).strip(" -|,:;!*#>~•·")
        if not any(c.isalpha() for c in name) or NOT_A_TEAM.search(name):
            return None
        any_case = self.any_case or self.bracketed
        return name if is_name(name, any_case=any_case, most_words=LONGEST_TEAM) else None

    def split(self, rest: str) -> _Parts | None:
        found = MINUTE.search(rest) or (BARE_MINUTE.search(rest) if self.bracketed else None)
        if found is None:
            return self._split_without_minute(rest)
        elapsed, extra = int(found["elapsed"]), int(found["extra"] or 0)
        if not 0 < elapsed <= LAST_MINUTE or extra > MOST_ADDED:
            return None
        minute = MatchMinute(elapsed, extra or None)
        before, after = rest[: found.start()], rest[found.end() :]
        away, scorer = _split_names(before)
        if scorer:
            return _Parts(away, scorer, minute, after)
        # The minute comes first: `Chelsea - 27' Saka`.
        name = leading_name(after.lstrip(" -|:,)"))
        return _Parts(away, name, minute, after) if name else None

    def _split_without_minute(self, rest: str) -> _Parts | None:
        away, scorer = _split_names(rest)
        name, _, comment = scorer.partition(" - ")
        if not self.bracketed or not is_name(GROUP.sub("", name)):
            return None
        return _Parts(away, name, None, comment)

    def shows_something_else(self, parts: _Parts) -> bool:
        """A card, a save, a chance: with the player, or in the comment. What the comment adds to
        the goal is none of these: `53' + red card`."""
        if ANY_INCIDENT.search(parts.scorer):
            return True
        if ADDITION.match(parts.comment):
            return False
        pattern = FIRST_INCIDENT if self.bracketed else IN_DOUBT
        found = pattern.match if self.bracketed else pattern.search
        return found(parts.comment) is not None

    def scorer(self, parts: _Parts) -> str | None:
        text = parts.scorer
        for pattern in (GROUP, OWN_GOAL, PENALTY, DESCRIPTION):
            text = pattern.sub(" ", text)
        text = " ".join(re.sub(r"[\[\]()]", " ", text).split()).strip(" -|,:;'\"!+")
        name = re.sub(r"^by\s+", "", text, flags=re.IGNORECASE)
        if is_name(name, any_case=self.any_case) and not any(c.isdigit() for c in name):
            return name
        return (leading_name(name) or None) if self.bracketed else None


def _split_names(text: str) -> tuple[str, str]:
    """The away team and the scorer. A parenthesis separates only where nothing else does: it may
    belong to the team, `Arsenal (W)`."""
    for separator in (SEPARATOR, PARENTHESIS):
        if (found := separator.search(text)) and found.start() > 0:
            return text[: found.start()], text[found.end() :].strip(" -|,:(")
    return text, ""


def _comment(text: str) -> str:
    """Without the parenthesis that ends the scorer's: `(Ndiaye 67') - great goal`."""
    if text.count(")") > text.count("("):
        text = text.replace(")", "", 1)
    return text.strip(" -|,")


def _first_comment(comment: str) -> str:
    """What belongs to the goal: up to the next separator."""
    return re.split(r"\s[-|+&]\s*|;", comment.lstrip(" -|,"), maxsplit=1)[0][:40]


def _detail(about: str) -> GoalDetail:
    if OWN_GOAL.search(about):
        return GoalDetail.OWN_GOAL
    return GoalDetail.PENALTY if PENALTY.search(about) else GoalDetail.NORMAL_GOAL
