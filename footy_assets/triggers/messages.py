"""T17, T18: adds to notifications what people read, with the names of a match."""

from pymongo.database import Database

from footy_assets.matchday.store.goals import GoalStore
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.clip_moments import clip_goal_key_of
from footy_assets.triggers.rules.goal_moments import goal_key_of
from footy_assets.triggers.rules.message import MatchFacts, message_of
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.targets import find_match, match_targets

# A goal that fires ten thousand triggers is looked up once.
MAX_KEPT = 200


class Messages:
    """One for each run of the notifier: what it has read of a snapshot does not change in it."""

    def __init__(self, database: Database[Document], gallery_url: str) -> None:
        self._database, self._gallery_url = database, gallery_url.rstrip("/")
        self._snapshots = SnapshotStore(database)
        self._goals = GoalStore(database)
        self._known: dict[str, tuple[Snapshot | None, MatchFacts]] = {}

    def describe(self, body: Document) -> Document:
        """The notification with its `message`: title, text, link, score, minute."""
        snapshot, facts = self._facts(body["reason"], body["scope_id"])
        options = snapshot.options if snapshot else {}
        is_status = body["reason"].split("/")[1:2] == ["status"]
        return {**body, "message": message_of(body, options, facts, is_status=is_status).as_json()}

    def _facts(self, snapshot_id: str, scope_id: str) -> tuple[Snapshot | None, MatchFacts]:
        if snapshot_id not in self._known:
            if len(self._known) >= MAX_KEPT:
                self._known.clear()
            found = self._snapshots.get(snapshot_id)
            facts = self._read(snapshot_id, scope_id)
            self._known[snapshot_id] = (found[1] if found else None, facts)
        return self._known[snapshot_id]

    def _read(self, snapshot_id: str, scope_id: str) -> MatchFacts:
        match = find_match(MatchdayStore(self._database), scope_id)
        if match is None:
            return MatchFacts()
        key = goal_key_of(snapshot_id) or clip_goal_key_of(snapshot_id)
        goal = self._goals.get(key) if key else None
        path = f"/goals/{goal.event_id}" if goal else f"/matches/{match.id}"
        players = match_targets(self._database, scope_id).players
        return MatchFacts(
            teams={"home": match.home.name, "away": match.away.name},
            players={str(one.value): one.label for one in players},
            minute=str(goal.minute) if goal else None,
            link=self._gallery_url + path,
        )
