"""The collections and their indexes."""

from typing import Any

from pymongo import ASCENDING, DESCENDING, IndexModel
from pymongo.database import Database

FIXTURES = "fixtures"
EVENTS = "events"
POLLS = "polls"
INGESTS = "ingests"
TEAM_LISTS = "team_lists"
LINE_UPS = "line_ups"
SQUADS = "squads"
REJECTS = "rejects"
ATTEMPTS = "attempts"
VIDEOS = "videos"
HEARD_POSTS = "heard_posts"
LISTENERS = "listeners"
CLIPS = "clips"
REMOVED_CLIPS = "removed_clips"
HELD_FILES = "held_files"
AUDIT = "audit"
SITE_HEALTH = "source_health"
SITE_BROWSERS = "site_browsers"
TURNS = "turns"
SITE_FEEDS = "site_feeds"
LEASES = "leases"
SPENDING = "spending"
TEAM_ALIASES = "team_aliases"
TEAM_ABBREVIATIONS = "team_abbreviations"
SNAPSHOTS = "snapshots"
TRIGGERS = "triggers"
TRIGGER_SCOPES = "trigger_scopes"
TRIGGER_ENTITIES = "trigger_entities"
ACTIVATIONS = "activations"
SUBSCRIPTIONS = "subscriptions"
NOTIFICATIONS = "notifications"
FOLLOWS = "follows"
HISTORY = "history"
HISTORY_DOCUMENTS = "history_documents"
HISTORY_QUOTA = "history_quota"
PROVIDER_RECORDS = "source_records"
PROVIDER_REPORTS = "source_reports"
PROVIDER_MAPPINGS = "source_mappings"
MERGED_SNAPSHOTS = "source_snapshots"
PROVIDER_CONFLICTS = "source_conflicts"
PROVIDER_SWITCHES = "source_switches"
PROVIDER_GRADES = "source_grades"
PROVIDER_RECOVERIES = "source_recoveries"
PROVIDER_FIGURES = "source_figures"
PROVIDER_IDS = "provider_ids"
PROVIDER_DETAILS = "provider_details"
PROVIDER_REFUSALS = "provider_refusals"
MATCH_LEADS = "match_leads"
META = "meta"

Document = dict[str, Any]


INDEXES: dict[str, list[IndexModel]] = {
    FIXTURES: [
        IndexModel([("state", ASCENDING), ("kickoff", ASCENDING)]),
        IndexModel([("matchday", ASCENDING), ("kickoff", ASCENDING)]),
        IndexModel([("completed_at", ASCENDING)], sparse=True),
        # T15: matches with snapshots that are not stored yet.
        IndexModel([("unstored.id", ASCENDING)], sparse=True),
    ],
    EVENTS: [
        # E3: event ids of live goals are unique.
        IndexModel(
            [("event_id", ASCENDING)],
            name="one_live_goal_per_identity",
            unique=True,
            partialFilterExpression={"live": True},
        ),
        IndexModel([("fixture_id", ASCENDING), ("live", ASCENDING)]),
        IndexModel([("live", ASCENDING), ("search.due_at", ASCENDING)]),
        # SE8: goals that are not stable yet.
        IndexModel([("live", ASCENDING), ("stable_at", ASCENDING)]),
        IndexModel(
            [("objects_left", ASCENDING)],
            partialFilterExpression={"objects_left": True},
        ),
    ],
    SQUADS: [IndexModel([("asked_at", ASCENDING)])],
    ATTEMPTS: [
        IndexModel([("goal_key", ASCENDING), ("number", ASCENDING)]),
        IndexModel([("fixture_id", ASCENDING)]),
    ],
    TEAM_ABBREVIATIONS: [IndexModel([("league_id", ASCENDING), ("team_id", ASCENDING)])],
    VIDEOS: [
        IndexModel([("goal_key", ASCENDING), ("state", ASCENDING)]),
        IndexModel([("state", ASCENDING)], partialFilterExpression={"state": "chosen"}),
        IndexModel([("fixture_id", ASCENDING)]),
    ],
    HEARD_POSTS: [
        IndexModel([("words", ASCENDING), ("posted_at", DESCENDING)]),
        IndexModel([("expires_at", ASCENDING)], expireAfterSeconds=0),
    ],
    CLIPS: [
        IndexModel([("goal_key", ASCENDING), ("rank", ASCENDING)]),
        IndexModel([("fixture_id", ASCENDING)]),
        IndexModel([("key", ASCENDING)], unique=True),
        IndexModel([("public_key", ASCENDING)], unique=True),
        # T18: clips that no snapshot has announced yet.
        IndexModel([("unannounced", ASCENDING)], partialFilterExpression={"unannounced": True}),
    ],
    HELD_FILES: [
        IndexModel([("goal_key", ASCENDING)]),
        IndexModel([("fixture_id", ASCENDING)]),
    ],
    REMOVED_CLIPS: [
        IndexModel([("goal_key", ASCENDING)]),
        IndexModel([("fixture_id", ASCENDING)]),
    ],
    AUDIT: [IndexModel([("at", DESCENDING)])],
    SNAPSHOTS: [
        # T15: snapshots of a scope are ordered by unique numbers.
        IndexModel([("scope_key", ASCENDING), ("number", ASCENDING)], unique=True),
        IndexModel([("waits", ASCENDING)], partialFilterExpression={"waits": True}),
        IndexModel([("matchday", ASCENDING)], sparse=True),
    ],
    TRIGGERS: [
        IndexModel([("scope_key", ASCENDING)]),
        IndexModel([("entity", ASCENDING), ("entity_id", ASCENDING)]),
    ],
    TRIGGER_ENTITIES: [IndexModel([("scope_key", ASCENDING)])],
    ACTIVATIONS: [
        IndexModel([("scope_key", ASCENDING), ("number", ASCENDING)]),
        IndexModel([("trigger_id", ASCENDING), ("number", ASCENDING)]),
        IndexModel([("entity", ASCENDING), ("entity_id", ASCENDING), ("evaluated_at", DESCENDING)]),
    ],
    NOTIFICATIONS: [
        IndexModel([("state", ASCENDING), ("lane", ASCENDING), ("number", ASCENDING)]),
        IndexModel([("activation_id", ASCENDING)]),
        IndexModel([("scope_key", ASCENDING)]),
    ],
    PROVIDER_RECORDS: [
        IndexModel([("match_id", ASCENDING)]),
        IndexModel([("priority", ASCENDING)]),
    ],
    PROVIDER_REPORTS: [IndexModel([("match_id", ASCENDING)])],
    PROVIDER_MAPPINGS: [
        IndexModel([("domain", ASCENDING)]),
        IndexModel([("match_id", ASCENDING)]),
    ],
    PROVIDER_CONFLICTS: [
        IndexModel([("match_id", ASCENDING)]),
        IndexModel([("last_at", DESCENDING)]),
    ],
    PROVIDER_RECOVERIES: [IndexModel([("at", DESCENDING)])],
    PROVIDER_IDS: [IndexModel([("kind", ASCENDING), ("ours", ASCENDING), ("domain", ASCENDING)])],
    POLLS: [IndexModel([("at", DESCENDING)])],
    REJECTS: [IndexModel([("last_at", DESCENDING)])],
    HISTORY_DOCUMENTS: [
        IndexModel([("key", ASCENDING), ("tier_order", ASCENDING), ("order", ASCENDING)]),
        IndexModel([("key", ASCENDING), ("due_at", ASCENDING)]),
    ],
}


def has_indexes(database: Database[Document]) -> bool:
    """Whether the database has as many indexes as we define, found with one request; every
    collection has one more, on `_id`. Others' indexes make it False, and then ours are made again,
    which changes nothing."""
    found = database.command("dbStats")
    return bool(found["indexes"] - found["collections"] == sum(map(len, INDEXES.values())))


def ensure_indexes(database: Database[Document]) -> None:
    """For a root. `footy up` calls it at every start, so that an upgrade gets its new indexes."""
    for collection, indexes in INDEXES.items():
        database[collection].create_indexes(indexes)
