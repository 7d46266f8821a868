"""T11, T18: a clip of a goal is published: `football.clip.ready`; or its goal is cancelled."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.live import DATASOURCE
from footy_assets.triggers.rules.snapshot import Snapshot

MAX_VALUE = 200
VERIFIED, GONE = "/verified", "/gone"
STATE = (v.STATUS, v.HALF, v.MINUTE)


@dataclass(frozen=True, slots=True)
class PublishedClip:
    """A clip as it is announced; `link` is its share link."""

    id: str
    goal_key: str
    verified: bool
    stored_at: datetime
    link: str


def clip_snapshot(
    fixture: Fixture, goal: GoalEvent, clip: PublishedClip, first: Snapshot | None
) -> Snapshot | None:
    """The snapshot of a goal's first clip, or of the first verified one after it; else None.

    `first` is that of the first clip, if it is stored.
    """
    id, verified_id = clip_snapshot_ids(goal.fixture_id, goal.key)
    if first is not None:
        if not clip.verified or first.options.get(v.CLIP_VERIFIED) == v.YES:
            return None
        id = verified_id
    home, away = goal.score_after or (fixture.goals[0] or 0, fixture.goals[1] or 0)
    minute: MatchMinute = goal.minute
    options: dict[str, Any] = {
        v.STATUS: minute.status,
        v.HALF: minute.period + 1,
        v.MINUTE: minute.elapsed + (minute.extra or 0),
        v.SCORE_HOME: home,
        v.SCORE_AWAY: away,
        v.SCORE_TOTAL: home + away,
        v.SCORE_DIFFERENTIAL: home - away,
        v.CLIP_READY: goal.event_id[:MAX_VALUE],
        v.CLIP_VERIFIED: v.YES if clip.verified else v.NO,
        v.CLIP_TEAM: goal.side or "home",
    }
    if len(clip.link) <= MAX_VALUE:
        options[v.CLIP_LINK] = clip.link
    if goal.player.id:
        options[v.CLIP_PLAYER] = str(goal.player.id)
    return Snapshot(
        id=id,
        datasource=DATASOURCE,
        scope_id=str(fixture.id),
        timestamp=clip.stored_at,
        options=options,
    )


def clip_cancellations(cancelling: Snapshot, clips: Iterable[Snapshot]) -> list[Snapshot]:
    """T11: a snapshot that cancels a goal cancels those of its `clips`, too, each with another one.

    They say when in the match it was and nothing that happened: `cancelling` says that.
    """
    return [
        Snapshot(
            id=f"{clip.id}{GONE}",
            datasource=DATASOURCE,
            scope_id=clip.scope_id,
            timestamp=cancelling.timestamp,
            options={event: clip.options[event] for event in STATE},
            cancels=clip.id,
        )
        for clip in clips
    ]


def clip_snapshot_id(goal: GoalEvent) -> str:
    return clip_snapshot_ids(goal.fixture_id, goal.key)[0]


def clip_snapshot_ids(fixture_id: int | str, goal_key: str) -> tuple[str, str]:
    """Of a goal's first clip, and of its first verified one after that."""
    first = f"{fixture_id}/clip/{goal_key}"
    return first, f"{first}{VERIFIED}"


def clip_goal_key_of(snapshot_id: str) -> str | None:
    """The key of the goal whose clip a snapshot announces; None if it announces none."""
    parts = snapshot_id.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "clip" else None
