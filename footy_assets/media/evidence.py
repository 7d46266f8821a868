"""V7: how strongly a clip's scorebug confirms that the clip shows this goal, or why it cannot."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from footy_assets.media.goal_facts import GoalFacts, Score
from footy_assets.media.scorebug_reading import ScorebugReading
from footy_assets.media.teams_shown import TeamsShown, TeamsVerdict, teams_shown


class VerifiedBy(StrEnum):
    """As stored with a clip, strongest first."""

    MATCH = "match"
    CLOCK = "clock"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """What names and score say. `score_right` is None without a certain score or a known one; it is
    never True where other goals may count otherwise. `learned` if one side is known by a learned
    abbreviation only."""

    teams: TeamsShown = TeamsShown.UNCLEAR
    score_right: bool | None = None
    learned: bool = False

    @property
    def confirms(self) -> bool:
        return self.teams is TeamsShown.SAME and self.score_right is True


NO_EVIDENCE = MatchEvidence()


def match_evidence(bug: ScorebugReading, goal: GoalFacts) -> MatchEvidence:
    """V7: the right match and a score that the goal can have."""
    learned = goal.learned_home, goal.learned_away
    verdict = teams_shown(bug.names, goal.home, goal.away, learned)
    return MatchEvidence(verdict.shown, _score_right(bug, goal, verdict), verdict.learned)


def _score_right(bug: ScorebugReading, goal: GoalFacts, teams: TeamsVerdict) -> bool | None:
    if not bug.scores or teams.shown is TeamsShown.OTHER:
        return None
    if goal.conceivable_scores and not _are_all_in(goal.conceivable_scores, bug, teams):
        return False
    return _are_all_in(goal.possible_scores, bug, teams) if goal.possible_scores else None


def _are_all_in(possible: Collection[Score], bug: ScorebugReading, teams: TeamsVerdict) -> bool:
    orders = (False, True) if teams.swapped is None else (teams.swapped,)
    return any(
        all(_ordered(score.pair, swapped) in possible for score in bug.scores) for swapped in orders
    )


def _ordered(score: Score, swapped: bool) -> Score:
    return (score[1], score[0]) if swapped else score


def verified_by(
    clock_matches: bool | None, match: MatchEvidence, *, frozen_clock_matches: bool = False
) -> VerifiedBy:
    """V7: clock and match right, then the clock alone. A frozen clock counts only where the match
    is right."""
    if clock_matches:
        return VerifiedBy.MATCH if match.confirms else VerifiedBy.CLOCK
    if frozen_clock_matches and match.confirms and clock_matches is None:
        return VerifiedBy.CLOCK
    return VerifiedBy.NOTHING
