"""What operators do to past seasons: advance, retry, backfill, forget (Y5, Y6, Y11)."""

from uuid import uuid4

from footy_assets.errors import BadInput, Unavailable
from footy_assets.history.progress import require_season
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.saga import Saga, force
from footy_assets.history.start import change_saga, lease_name
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.matchday.rules.days import FIRST_MATCHDAY, playable
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.leases import Leases


def advance(store: HistoryStore, by: OperatorAction, key: LeagueSeason) -> Saga:
    """Y5: starts the next tier without its signal; recorded in the audit log and in the season."""
    require_season(store, key)
    with by.recorded("advance season", str(key)) as entry:
        saga = change_saga(store, key, lambda saga: force(saga, by.clock.now(), by.signature()))
        entry.outcome = f"forced to {saga.state}"
        return saga


def retry(store: HistoryStore, by: OperatorAction, key: LeagueSeason) -> int:
    """Y6: makes failed and parked documents due now."""
    require_season(store, key)
    with by.recorded("retry season", str(key)) as entry:
        documents = store.retry_failed(key, by.clock.now())
        entry.outcome = f"{documents} documents due again"
        return documents


def backfill(store: HistoryStore, by: OperatorAction, key: LeagueSeason) -> list[str]:
    """Y11: requests every matchday of the season; the `season_backfill` sensor launches it."""
    require_season(store, key)
    matches = store.rows(key, "/fixtures")
    if not matches:
        raise Unavailable(
            f"the matchdays of {key} are not known yet", "Wait for its first tier, then try again"
        )
    days = playable((row["matchday"] for row in matches), by.clock.now().date())
    if not days:
        raise BadInput(
            f"{key} has no matchday to backfill",
            f"Matchdays from {FIRST_MATCHDAY} until today can be backfilled",
        )
    with by.recorded("backfill season", str(key)) as entry:
        request = {
            "id": uuid4().hex,
            "asked_at": by.clock.now(),
            "by": by.signature(),
            "days": days,
            "launched": None,
        }
        store.request_backfill(key, request)
        entry.outcome = f"{len(days)} matchdays requested"
    return days


def forget(store: HistoryStore, by: OperatorAction, key: LeagueSeason) -> int:
    """Deletes a season that was started by mistake, which would be reported as stalled for ever.

    Its tables stay.
    """
    require_season(store, key)
    with (
        by.recorded("forget season", str(key)) as entry,
        Leases(store.database).hold(lease_name(key)),
    ):
        documents = store.forget(key)
        entry.outcome = f"{documents} documents forgotten"
        return documents
