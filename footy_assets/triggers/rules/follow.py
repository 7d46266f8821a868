"""T18: following a team, a player or a match is a ready-made set of triggers on each match."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.sighting import side_of
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.trigger import Trigger

FollowKind = Literal["team", "player", "match"]
KINDS: tuple[FollowKind, ...] = ("team", "player", "match")
# The triggers of a follow have this entity; its id is that of the follow.
ENTITY = "follow"
SIDES = ["home", "away"]
WHISTLES = ["FT", "AET", "PEN"]


@dataclass(frozen=True, slots=True)
class Follow:
    """`cap` is the largest number of messages about one match; None is any number."""

    id: str
    kind: FollowKind
    target_id: str
    name: str
    created_at: datetime
    cap: int | None = None

    @property
    def entity(self) -> tuple[str, str]:
        return (ENTITY, self.id)

    @property
    def limits(self) -> dict[str, int]:
        """Of all its triggers on a match together; 0 is any number (T9)."""
        return {"scope": self.cap or 0}


def follows_match(follow: Follow, fixture: Fixture, player_ids: Collection[str] | None) -> bool:
    """Whether a follow is about a match. `player_ids` is None while its rosters are not known:
    then a player may be in it."""
    if follow.kind == "match":
        return follow.target_id == str(fixture.id)
    if follow.kind == "team":
        return follow.target_id in (str(fixture.home.id), str(fixture.away.id))
    return player_ids is None or follow.target_id in player_ids


def trigger_id(follow: Follow, fixture_id: int, about: str) -> str:
    return f"follow.{follow.id}.{fixture_id}.{about}"


def triggers_of(follow: Follow, fixture: Fixture) -> dict[str, Trigger]:
    """The triggers of a follow on a match, by their ids, which never change."""
    who: Mapping[str, tuple[str, list[str]]]
    if follow.kind == "player":
        one = [follow.target_id]
        who = {
            "goal": (v.GOAL_PLAYER, one),
            "card": (v.CARD_PLAYER, one),
            "clip": (v.CLIP_PLAYER, one),
        }
    else:
        sides = SIDES
        if follow.kind == "team":
            sides = [side_of(int(follow.target_id), fixture.home.id)]
        who = {
            "goal": (v.GOAL_TEAM, sides),
            "card": (v.CARD_TEAM, sides),
            "clip": (v.CLIP_TEAM, sides),
        }
    limits: dict[str, dict[str, int]] = {
        "goal": {"scope": 0},
        "card": {"scope": 0},
        # The first clip of each goal; a better one of the same goal is no news.
        "clip": {"scope": 0, v.CLIP_READY: 1},
        "whistle": {"scope": 1},
    }
    conditions = {**who, "whistle": (v.STATUS, WHISTLES)}
    return {
        trigger_id(follow, fixture.id, about): Trigger.model_validate(
            {
                "trigger": _head(follow, fixture.id, about),
                "conditions": [{"event": event, "compare": "in", "targets": targets}],
                "limits": limits[about],
            }
        )
        for about, (event, targets) in conditions.items()
    }


def _head(follow: Follow, fixture_id: int, about: str) -> dict[str, Any]:
    return {
        "entity": ENTITY,
        "entity_id": follow.id,
        "scope_id": str(fixture_id),
        "name": f"{follow.name}: {about}",
        # Together they send at most so many messages, if there is a cap.
        "use_entity_limits": True,
    }
