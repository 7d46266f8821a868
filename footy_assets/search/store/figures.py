"""Counts of searches, for metrics and the demo's figures."""

from collections import Counter

from pymongo.database import Database

from footy_assets.search.rules.failures import FAILURE_KINDS
from footy_assets.site_name import SiteName
from footy_assets.store.collections import ATTEMPTS, Document
from footy_assets.store.counts import OTHER, known_or_other

SITE_NAMES = frozenset(name.value for name in SiteName)


def attempt_count(database: Database[Document]) -> int:
    return database[ATTEMPTS].count_documents({})


def failed_search_counts(database: Database[Document]) -> Counter[tuple[str, str]]:
    """Failed searches by site and kind of failure. An attempt that failed as a whole, for example
    for want of words, is no site's."""
    failed: Counter[tuple[str, str]] = Counter()
    fields = {"failure": 1, "failure_kinds": 1}
    query = {"$or": [{name: {"$exists": True, "$nin": [None, {}]}} for name in fields]}
    for attempt in database[ATTEMPTS].find(query, fields):
        kinds = attempt.get("failure_kinds") or {OTHER: OTHER}
        failed.update(
            (known_or_other(site, SITE_NAMES), known_or_other(kind, FAILURE_KINDS))
            for site, kind in kinds.items()
        )
    return failed
