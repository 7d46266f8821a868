"""A provider of your own: the adapter of a made-up JSON API. docs/own_provider.md explains it.

GET /v1/matches?day=2026-08-15     the matches of a day (UTC)
GET /v1/matches?ids=m1,m2          these matches
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date
from typing import Any

import httpx
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import GoalDetail
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.providers.rules.adapter import (
    FetchResult,
    LeagueClaim,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import GoalClaim, Score
from resources.answers import send_bounded

MAX_BYTES = 5_000_000
USER_AGENT = "my-footy/1.0 (+https://example.org/my-footy)"

# -- its words, and ours ------------------------------------------------------------------

# A state that is not listed here is passed on as it is: footy_assets reports it as unknown.
STATES = {
    "scheduled": MatchStatus.NOT_STARTED,
    "first_half": MatchStatus.FIRST_HALF,
    "half_time": MatchStatus.HALF_TIME,
    "second_half": MatchStatus.SECOND_HALF,
    "finished": MatchStatus.FULL_TIME,
    "postponed": MatchStatus.POSTPONED,
    "abandoned": MatchStatus.ABANDONED,
}
KINDS = {
    "goal": GoalDetail.NORMAL_GOAL,
    "penalty": GoalDetail.PENALTY,
    "own_goal": GoalDetail.OWN_GOAL,
}


# -- its answers --------------------------------------------------------------------------


class Named(BaseModel):
    id: str
    name: str


class Goal(BaseModel):
    """`team` is the id of the team that the goal counts for; `player` comes later at times."""

    team: str
    minute: int
    added: int | None = None
    kind: str
    player: Named | None = None


class Match(BaseModel):
    id: str
    kickoff: AwareDatetime
    state: str
    minute: int | None = None
    competition: Named
    home: Named
    away: Named
    score: tuple[int, int] | None = None
    goals: list[Goal] = []


class Matches(BaseModel):
    """Each match stays raw until it is read alone: an unreadable one spoils no other."""

    matches: list[Any]


# -- the adapter --------------------------------------------------------------------------


class MySettings(BaseModel):
    """What stands under `settings` in sources.yaml. `token_env` names the variable that holds the
    token: a secret is never in the file."""

    model_config = ConfigDict(extra="forbid")

    url: str
    token_env: str | None = None


class MyProvider:
    """An `Adapter` (footy_assets/providers/rules/adapter.py). Threads may share it."""

    def __init__(self, settings: Mapping[str, Any], clock: Clock) -> None:
        own = MySettings.model_validate(settings)
        self._url = own.url.rstrip("/")
        token = os.environ.get(own.token_env) if own.token_env else None
        self._headers = {"user-agent": USER_AGENT}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def discover(self, day: date, within: float) -> FetchResult:
        return self._read([{"day": day.isoformat()}], within).on(day)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        """By id. A match that was never mapped has no id yet: then all matches of its day."""
        ids = [one.id for one in wanted if one.id]
        days = sorted({one.start.date() for one in wanted if not one.id})
        queries = [{"day": day.isoformat()} for day in days]
        if ids:
            queries.append({"ids": ",".join(ids)})
        return self._read(queries, within)

    def figures(self) -> None:
        """It has no browser."""

    def recycle(self) -> None:
        """Nothing to restart: each call opens its own connection."""

    def reset(self) -> None:
        """Nothing is left open."""

    def close(self) -> None:
        """Nothing to close."""

    def _read(self, queries: Sequence[Mapping[str, str]], within: float) -> FetchResult:
        found: dict[str, ProviderMatch] = {}
        unreadable: list[Unreadable] = []
        with httpx.Client(headers=self._headers, timeout=within) as client:
            for query in queries:
                for item in self._get(client, query, within).matches:
                    try:
                        match = to_provider_match(Match.model_validate(item))
                    except ValidationError as error:
                        unreadable.append(Unreadable(f"match {item!r:.60}", first_problem(error)))
                    else:
                        found[match.listed.id] = match
        return FetchResult(tuple(found.values()), tuple(unreadable), requests=len(queries))

    def _get(self, client: httpx.Client, query: Mapping[str, str], within: float) -> Matches:
        """The answer is bounded: `MAX_BYTES` in size, `within` seconds in time."""
        url = f"{self._url}/v1/matches"
        try:
            response = send_bounded(
                client, "GET", url, max_bytes=MAX_BYTES, max_seconds=within, params=query
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            fix = "Check its url in sources.yaml, and the network"
            raise ProviderUnavailable(f"{url}: {error or type(error).__name__}", fix) from error
        check_status(response.status_code, url)
        try:
            return Matches.model_validate_json(response.content)
        except ValidationError as error:
            raise ProviderAnswerInvalid(f"{url}: {first_problem(error)}") from error


def check_status(status: int, url: str) -> None:
    """The error says what happens next: a refusal or a rate limit pauses all requests."""
    if status in (401, 403):
        raise ProviderRefused(f"{url} refused the request ({status})", "Check its token")
    if status == 429:
        raise ProviderRateLimited(f"{url}: too many requests", "Raise `min_interval` of its limits")
    if status >= 500:
        raise ProviderUnavailable(f"{url} answered {status}", "Polling continues")
    if status != 200:
        raise ProviderAnswerInvalid(f"{url} answered {status}")


def to_provider_match(match: Match) -> ProviderMatch:
    goals = tuple(to_claim(goal, match) for goal in match.goals)
    return ProviderMatch(
        listed=ListedMatch(
            id=match.id,
            start=match.kickoff.astimezone(UTC),
            home=match.home.name,
            away=match.away.name,
            competition=match.competition.name,
            competition_id=match.competition.id,
        ),
        period=STATES.get(match.state, match.state),
        score=Score(*match.score) if match.score else Score(),
        minute=None if match.minute is None else MatchMinute(match.minute),
        goals=goals,
        # While the list is shorter than the score, no goal counts as missing from it.
        goals_complete=match.score is None or len(goals) == sum(match.score),
        home=TeamClaim(match.home.id),
        away=TeamClaim(match.away.id),
        league=LeagueClaim(match.competition.id, match.competition.name),
    )


def to_claim(goal: Goal, match: Match) -> GoalClaim:
    return GoalClaim(
        side="home" if goal.team == match.home.id else "away",
        minute=MatchMinute(goal.minute, goal.added),
        detail=KINDS.get(goal.kind, goal.kind),
        scorer=goal.player.name if goal.player else None,
        scorer_id=goal.player.id if goal.player else None,
    )


def first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
