"""A match polled step by step through the rules alone: no store, no provider, no clock."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from footy_assets.matchday.rules.fixture import Fixture, new_fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.observe import GoalChange, Poll, observe
from footy_assets.matchday.rules.sighting import (
    NOBODY,
    Cancellation,
    FixtureSighting,
    GoalSighting,
    League,
    Player,
    Side,
)
from footy_assets.matchday.rules.statuses import FixtureState

KICKOFF = datetime(2025, 5, 10, 14, 0, tzinfo=UTC)
HOME, AWAY = 40, 50
NAMES = {234: "M. Salah", 7: "L. Diaz", 9: "D. Nunez", 18: "C. Gakpo", 66: "R. Dias"}


def at(text: str | int) -> MatchMinute:
    """Parses `67` or `45+2`."""
    elapsed, _, extra = str(text).partition("+")
    return MatchMinute(int(elapsed), int(extra) if extra else None)


def scorer(player: int | Player | None) -> Player:
    if isinstance(player, Player):
        return player
    return Player(player, NAMES.get(player, f"Player {player}")) if player else NOBODY


def goal(
    minute: str | int,
    player: int | Player | None = 234,
    team: int = HOME,
    detail: str = "Normal Goal",
    assist: Player = NOBODY,
    comments: str | None = None,
) -> GoalSighting:
    return GoalSighting(team, scorer(player), at(minute), detail, assist, comments)


def var(
    minute: str | int, player: int | None = 234, team: int = HOME, detail: str = "Goal cancelled"
) -> Cancellation:
    return Cancellation(team, player, at(minute), detail)


def sighting(
    *goals: GoalSighting,
    status: str = "1H",
    cancelled: Sequence[Cancellation] = (),
    score: tuple[int | None, int | None] | None = None,
    kickoff: datetime = KICKOFF,
    complete: bool = True,
    elapsed: int | None = None,
    winner: bool = False,
) -> FixtureSighting:
    """The score is counted from the goals unless it is given."""
    home = sum(one.team_id == HOME for one in goals)
    score_now = (home, len(goals) - home) if score is None else score
    return FixtureSighting(
        fixture_id=5000,
        kickoff=kickoff,
        status=status,
        elapsed=elapsed,
        extra=None,
        league=League(39, "Premier League", 2024),
        home=Side(HOME, "Liverpool", winner or None),
        away=Side(AWAY, "Manchester City"),
        goals_home=score_now[0],
        goals_away=score_now[1],
        goals=tuple(goals),
        cancellations=tuple(cancelled),
        goals_complete=complete,
    )


def fixture(state: FixtureState = FixtureState.ACTIVE, **changes: object) -> Fixture:
    known = new_fixture(sighting(status="NS"), state, KICKOFF)
    return replace(known, **changes)  # type: ignore[arg-type]


class PolledMatch:
    """The goals of one match, updated by each poll."""

    def __init__(self, search_attempts: int = 0) -> None:
        self.events: dict[str, GoalEvent] = {}
        self.polls: list[str] = []
        self.search_attempts = search_attempts
        self._keys = (f"goal-{number}" for number in count(1))

    def poll(
        self,
        *goals: GoalSighting,
        cancelled: Sequence[Cancellation] = (),
        score: tuple[int | None, int | None] | None = None,
        complete: bool = True,
        poll_id: str | None = None,
    ) -> list[GoalChange]:
        return self.poll_sighting(
            sighting(*goals, cancelled=cancelled, score=score, complete=complete), poll_id
        )

    def poll_sighting(self, seen: FixtureSighting, poll_id: str | None = None) -> list[GoalChange]:
        poll = Poll(
            poll_id or f"p{len(self.polls) + 1}", KICKOFF + timedelta(seconds=30 * len(self.polls))
        )
        self.polls.append(poll.id)
        changes = observe(
            self.live, self.removed, seen, poll, lambda: next(self._keys), self.search_attempts
        )
        self.events |= {change.after.key: change.after for change in changes}
        return changes

    def poll_times(self, times: int, *goals: GoalSighting, **options: object) -> None:
        for _ in range(times):
            self.poll(*goals, **options)  # type: ignore[arg-type]

    @property
    def live(self) -> list[GoalEvent]:
        return [event for event in self.events.values() if event.live]

    @property
    def removed(self) -> list[GoalEvent]:
        return [event for event in self.events.values() if not event.live]

    @property
    def ids(self) -> list[str]:
        """Identities of the live goals, in order of time."""
        return [e.event_id for e in sorted(self.live, key=lambda e: e.minute.sort_key)]

    def __getitem__(self, minute: str | int) -> GoalEvent:
        """The live goal at this minute."""
        found = [event for event in self.live if event.minute == at(minute)]
        assert len(found) == 1, f"{len(found)} goals at {minute}: {self.ids}"
        return found[0]
