"""Between the domain's values and MongoDB's documents, and what differs between two of them."""

from typing import Any, cast

from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import FormerIdentity, GoalEvent, Removal
from footy_assets.matchday.minute import MatchMinute
from footy_assets.matchday.sighting import Incident, League, Player, Side
from footy_assets.matchday.statuses import FixtureState
from footy_assets.store.collections import Document

# Sets of poll ids: they grow by $addToSet, so that a poll counts once however often it is told.
POLL_SETS = ("seen_in_polls", "missing_in_polls", "completed_polls")
# Written by whoever runs the attempts, never by a poll (E7).
NOT_THE_POLLS = ("attempts_counted",)


def fixture_document(fixture: Fixture) -> Document:
    return {
        "_id": fixture.id,
        "kickoff": fixture.kickoff,
        "matchday": fixture.matchday.isoformat(),
        "status": fixture.status,
        "league": _fields(fixture.league),
        "home": _fields(fixture.home),
        "away": _fields(fixture.away),
        "state": str(fixture.state),
        "goals": _pair(fixture.goals),
        "listed": _pair(fixture.listed),
        "elapsed": fixture.elapsed,
        "elapsed_at": fixture.elapsed_at,
        "last_polled": fixture.last_polled,
        "completed_polls": list(fixture.completed_polls),
        "completed_at": fixture.completed_at,
        "closed_because": fixture.closed_because,
        "added_by": fixture.added_by,
        "revision": fixture.revision,
        "incidents": [_incident_document(incident) for incident in fixture.incidents],
        "corners": _pair(fixture.corners),
        "told_status": fixture.told_status,
        "told_minute": fixture.told_minute,
    }


def fixture_from(document: Document) -> Fixture:
    return Fixture(
        id=document["_id"],
        kickoff=document["kickoff"],
        status=document["status"],
        league=League(**document["league"]),
        home=Side(**document["home"]),
        away=Side(**document["away"]),
        state=FixtureState(document["state"]),
        goals=cast(tuple[int | None, int | None], _unpair(document["goals"])),
        listed=cast(tuple[int, int] | None, _unpair(document["listed"])),
        elapsed=document["elapsed"],
        elapsed_at=document["elapsed_at"],
        last_polled=document["last_polled"],
        completed_polls=tuple(document["completed_polls"]),
        completed_at=document["completed_at"],
        closed_because=document["closed_because"],
        added_by=document["added_by"],
        revision=document["revision"],
        incidents=tuple(_incident_from(told) for told in document.get("incidents", ())),
        corners=cast(tuple[int, int] | None, _unpair(document.get("corners"))),
        told_status=document.get("told_status"),
        told_minute=document.get("told_minute", 0),
    )


def goal_document(goal: GoalEvent) -> Document:
    return {
        "_id": goal.key,
        "event_id": goal.event_id,
        "fixture_id": goal.fixture_id,
        "live": goal.live,
        "team_id": goal.team_id,
        "player": _fields(goal.player),
        "minute": _fields(goal.minute),
        "detail": goal.detail,
        "assist": _fields(goal.assist),
        "comments": goal.comments,
        "side": goal.side,
        "score_after": _pair(goal.score_after),
        "first_seen_at": goal.first_seen_at,
        "stable_at": goal.stable_at,
        "seen_in_polls": list(goal.seen_in_polls),
        "missing_in_polls": list(goal.missing_in_polls),
        "attempts_planned": goal.attempts_planned,
        "attempts_counted": goal.attempts_counted,
        "formerly": [_fields(former) for former in goal.formerly],
        "removal": _fields(goal.removal) if goal.removal else None,
    }


def goal_from(document: Document) -> GoalEvent:
    removal = document["removal"]
    return GoalEvent(
        key=document["_id"],
        event_id=document["event_id"],
        fixture_id=document["fixture_id"],
        team_id=document["team_id"],
        player=Player(**document["player"]),
        minute=MatchMinute(**document["minute"]),
        detail=document["detail"],
        assist=Player(**document["assist"]),
        comments=document["comments"],
        side=document["side"],
        score_after=cast(tuple[int, int] | None, _unpair(document["score_after"])),
        first_seen_at=document["first_seen_at"],
        stable_at=document["stable_at"],
        seen_in_polls=tuple(document["seen_in_polls"]),
        missing_in_polls=tuple(document["missing_in_polls"]),
        attempts_planned=document["attempts_planned"],
        attempts_counted=document["attempts_counted"],
        formerly=tuple(FormerIdentity(**former) for former in document["formerly"]),
        removal=Removal(**removal) if removal else None,
    )


def update_between(before: Document, after: Document) -> Document:
    """The smallest update that turns one document into the other; {} if there is none."""
    sets: Document = {}
    grows: Document = {}
    for name, value in after.items():
        old = before.get(name)
        if value == old or name in NOT_THE_POLLS or name == "revision":
            continue
        if name in POLL_SETS and value[: len(old or ())] == (old or []):
            grows[name] = {"$each": value[len(old or ()) :]}
        else:
            sets[name] = value
    update: Document = {}
    if sets:
        update["$set"] = sets
    if grows:
        update["$addToSet"] = grows
    return update


def _incident_document(incident: Incident) -> Document:
    people = {name: _fields(getattr(incident, name)) for name in ("player", "other", "minute")}
    return {**_fields(incident), **people}


def _incident_from(document: Document) -> Incident:
    return Incident(
        kind=document["kind"],
        team_id=document["team_id"],
        player=Player(**document["player"]),
        minute=MatchMinute(**document["minute"]),
        detail=document["detail"],
        other=Player(**document["other"]),
    )


def _fields(value: Any) -> Document:
    return {name: getattr(value, name) for name in value.__slots__}


def _pair(value: tuple[int | None, int | None] | None) -> Document | None:
    return None if value is None else {"home": value[0], "away": value[1]}


def _unpair(value: Document | None) -> tuple[int | None, int | None] | None:
    return None if value is None else (value["home"], value["away"])
