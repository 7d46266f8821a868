"""T18: a clip of a goal is published: `football.clip.ready`."""

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
    id = clip_snapshot_id(goal)
    if first is not None:
        if not clip.verified or first.options.get(v.CLIP_VERIFIED) == v.YES:
            return None
        id = f"{id}/verified"
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


def clip_snapshot_id(goal: GoalEvent) -> str:
    return f"{goal.fixture_id}/clip/{goal.key}"


def clip_goal_key_of(snapshot_id: str) -> str | None:
    """The key of the goal whose clip a snapshot announces; None if it announces none."""
    parts = snapshot_id.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "clip" else None
