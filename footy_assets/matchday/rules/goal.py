"""A goal as it is stored: its identity, the polls that saw it, and its state."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import NOBODY, GoalSighting, HomeOrAway, Player

EVENT_TYPE = "Goal"
UNNAMED = "unknown"
STABLE_AFTER_POLLS = 3
REMOVED_AFTER_MISSES = 3


class EventState(StrEnum):
    DETECTED = "detected"
    DEBOUNCING = "debouncing"
    STABLE = "stable"
    SEARCHING = "searching"
    COMPLETE = "complete"
    REMOVED = "removed"


class RemovalReason(StrEnum):
    """As stored."""

    VAR = "var"
    # Three polls in a row did not list it.
    MISSING = "missing"
    # Not listed any more before its scorer was named.
    UNNAMED_VANISHED = "unnamed_vanished"


class RenameReason(StrEnum):
    """As stored."""

    NAMED = "named"
    REATTRIBUTED = "reattributed"


@dataclass(frozen=True, slots=True)
class Removal:
    """Why a goal was removed; kept as a tombstone until retention."""

    at: datetime
    reason: RemovalReason
    poll_id: str | None = None
    # The VAR decision behind this removal; it removes no second goal.
    cancellation: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class FormerIdentity:
    event_id: str
    until: datetime
    poll_id: str
    reason: RenameReason


@dataclass(frozen=True, slots=True)
class GoalEvent:
    """`key` never changes; `event_id` is the public identity and may change (E5)."""

    key: str
    event_id: str
    fixture_id: int
    team_id: int
    player: Player
    minute: MatchMinute
    detail: str
    assist: Player = NOBODY
    comments: str | None = None
    side: HomeOrAway | None = None
    score_after: tuple[int, int] | None = None
    first_seen_at: datetime | None = None
    stable_at: datetime | None = None
    seen_in_polls: tuple[str, ...] = ()
    # When the last of them was (F11). None in older documents.
    last_counted_at: datetime | None = None
    missing_in_polls: tuple[str, ...] = ()
    attempts_planned: int = 0
    attempts_counted: int = 0
    formerly: tuple[FormerIdentity, ...] = field(default=())
    removal: Removal | None = None
    # The trace that began when it was first seen, if traces are recorded.
    traceparent: str | None = None

    @property
    def live(self) -> bool:
        return self.removal is None

    @property
    def stable(self) -> bool:
        """E4: three distinct polls saw it; only polls with a known scorer count."""
        return len(self.seen_in_polls) >= STABLE_AFTER_POLLS

    @property
    def finished(self) -> bool:
        """F8: nothing more will change. An unnamed goal never keeps a match open."""
        if not self.player.known or not self.live:
            return True
        if self.missing_in_polls:
            return False
        return self.stable and self.attempts_counted >= self.attempts_planned

    @property
    def state(self) -> EventState:
        """E9: derived from the other fields, never stored."""
        if not self.live:
            return EventState.REMOVED
        if not self.stable:
            return EventState.DEBOUNCING if len(self.seen_in_polls) > 1 else EventState.DETECTED
        if not self.attempts_planned:
            return EventState.STABLE
        if self.attempts_counted >= self.attempts_planned:
            return EventState.COMPLETE
        return EventState.SEARCHING if self.attempts_counted else EventState.STABLE

    @property
    def state_label(self) -> str:
        if self.state is EventState.SEARCHING:
            return f"searching ({self.attempts_counted}/{self.attempts_planned})"
        return str(self.state)

    def updated_from(self, goal: GoalSighting) -> "GoalEvent":
        """E7: minute, assist and comments follow the feed; a lost name erases no known one."""
        name_lost = self.player.known and not goal.scorer.known
        anonymous = goal.scorer.id is None and self.player.id is not None
        return replace(
            self,
            player=self.player if name_lost or anonymous else goal.scorer,
            minute=goal.minute,
            detail=goal.detail,
            assist=goal.assist,
            comments=goal.comments,
        )


def player_part(player: Player) -> str:
    return str(player.id) if player.id else UNNAMED


def event_id(fixture_id: int, team_id: int, player: Player, sequence: int) -> str:
    """E2: `{fixture}_{team}_{player}_{type}_{sequence}`."""
    return f"{fixture_id}_{team_id}_{player_part(player)}_{EVENT_TYPE}_{sequence}"


def sequence_of(identity: str) -> tuple[str, int]:
    """The player part and the sequence number of an event id."""
    _, _, player, _, sequence = identity.split("_")
    return player, int(sequence)
