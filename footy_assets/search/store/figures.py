"""Counts of searches, for the demo's figures."""

from collections import Counter

from pymongo.database import Database

from footy_assets.store.collections import ATTEMPTS, Document


def attempt_count(database: Database[Document]) -> int:
    return database[ATTEMPTS].count_documents({})


def failed_search_counts(database: Database[Document]) -> Counter[str]:
    """Failed searches by site and reason; by reason alone where the whole attempt failed."""
    failed: Counter[str] = Counter()
    for attempt in database[ATTEMPTS].find({}, {"failure": 1, "failures": 1}):
        failed.update(f"{site}: {reason}" for site, reason in attempt.get("failures", {}).items())
        if attempt.get("failure"):
            failed[attempt["failure"]] += 1
    return failed
