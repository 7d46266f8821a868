"""T18: follows teams, players and matches, across matches and days."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.errors import Busy
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.follow import Follow, FollowKind, follows_match, triggers_of
from footy_assets.triggers.rules.quiet_hours import QuietHours
from footy_assets.triggers.rules.subscription import SubscriptionRequest
from footy_assets.triggers.store.entities import EntityStore
from footy_assets.triggers.store.follow_targets import resolve_target
from footy_assets.triggers.store.follows import FollowStore
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets.triggers.subscribe import ChannelCheck, shown_subscription, subscribe


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """`url` is where messages go; `channel` the id of a subscription whose address is used.

    Without either, only an open page shows them.
    """

    kind: FollowKind
    target: str
    url: str | None = None
    channel: str | None = None
    cap: int | None = None
    quiet: QuietHours | None = None
    payload: dict[str, Any] | None = None


def start_follow(
    database: Database[Document], request: FollowRequest, channels: ChannelCheck, now: datetime
) -> Follow:
    """The same target to the same address is one follow, whose settings are set anew."""
    target = resolve_target(database, request.kind, request.target)
    url = request.url
    if url is None and request.channel is not None:
        url = Outbox(database).subscription(request.channel)["url"]
    id = follow_id(request.kind, target.id, url)
    follow = Follow(id, request.kind, target.id, target.name, now, request.cap)
    if url is not None:
        subscription = SubscriptionRequest(
            url=url,
            entity=follow.entity[0],
            entity_id=id,
            quiet=request.quiet,
            payload=request.payload,
        )
        subscribe(database, subscription, channels, now, f"follow-{id}")
    known = FollowStore(database).save(follow)
    # One that was removed may have triggers on matches that are still played.
    EntityStore(database).set_disabled(follow.entity, False, now)
    make_follow_triggers(database, now, changed=id)
    return known


def stop_follow(database: Database[Document], id: str, now: datetime) -> Follow:
    """Repeat the call after a crash: each step changes what is left."""
    store, outbox = FollowStore(database), Outbox(database)
    follow = store.get(id)
    EntityStore(database).set_disabled(follow.entity, True, now)
    entity, entity_id = follow.entity
    for one in outbox.subscriptions(entity=entity, entity_id=entity_id):
        outbox.unsubscribe(one["_id"], now)
    store.remove(id, now)
    return follow


def make_follow_triggers(
    database: Database[Document], now: datetime, changed: str | None = None
) -> int:
    """Makes the missing triggers of all follows on matches that are not over; how many.

    The follow that was `changed` has its cap set on its matches anew. Called before snapshots are
    stored: a match that is new has its triggers before its first one.
    """
    store = FollowStore(database)
    follows = store.all()
    if not follows:
        return 0
    fixtures = MatchdayStore(database).unfinished()
    players = _players_of(database, fixtures) if any(f.kind == "player" for f in follows) else {}
    known = store.trigger_ids([follow.id for follow in follows])
    triggers, made = TriggerStore(database), 0
    for follow in follows:
        for fixture in fixtures:
            if not follows_match(follow, fixture, players.get(fixture.id)):
                continue
            wanted = triggers_of(follow, fixture)
            missing = {id: one for id, one in wanted.items() if id not in known}
            if missing or follow.id == changed:
                match = ("game", str(fixture.id))
                triggers.set_entity_limits(follow.entity, *match, follow.limits, now)
            for id, trigger in missing.items():
                try:
                    triggers.create(trigger, now, id)
                except (Busy, ValueError):
                    # Being evaluated, or another process made it: the next tick looks again.
                    continue
                made += 1
    return made


def follow_id(kind: FollowKind, target_id: str, url: str | None) -> str:
    return hashlib.sha256(f"{kind}|{target_id}|{url or ''}".encode()).hexdigest()[:16]


def shown_follow(database: Database[Document], follow: Follow) -> dict[str, Any]:
    """A follow as the API and the command line show it, without the secrets of its channel."""
    entity, entity_id = follow.entity
    found = Outbox(database).subscriptions(entity=entity, entity_id=entity_id)
    shown = [{"id": one["_id"], **shown_subscription(one)} for one in found]
    first = shown[0] if shown else None
    return {
        "id": follow.id,
        "kind": follow.kind,
        "target": follow.target_id,
        "name": follow.name,
        "cap": follow.cap,
        "quiet": first["quiet"] if first else None,
        "to": first["url"] if first else None,
        "subscription": first["id"] if first else None,
        "failing": first["last_error"] if first and first["failures"] else None,
        "created_at": follow.created_at,
    }


def _players_of(
    database: Database[Document], fixtures: list[Fixture]
) -> dict[int, frozenset[str] | None]:
    """By match the ids of both teams' players; None where a roster is not known."""
    teams = {one.id: (one.home.id, one.away.id) for one in fixtures}
    rosters = RosterStore(database).rosters(teams)
    found: dict[int, frozenset[str] | None] = {}
    for fixture_id, sides in teams.items():
        each = [[one.id for one in rosters[fixture_id].of(side) if one.id] for side in sides]
        known = all(each)
        found[fixture_id] = frozenset(str(id) for ids in each for id in ids) if known else None
    return found
