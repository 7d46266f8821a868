"""Kills a season's worker (SIGKILL) in every tier, for the test and the benchmark."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from pymongo.database import Database

from footy_assets.history.rules.tiers import TIERS, WAITING, SagaState, Tier
from footy_assets.history.store.seasons import HistoryStore
from footy_assets.store.collections import Document
from footy_assets_tests.forked import fork
from footy_assets_tests.history.worker_process import KEY, source

KILLS = 10
KILLED = -9
ANY_TIME, AFTER_DOCUMENTS, AFTER_CALLS = "any time", "after documents", "after calls"
# Each answer takes this long, so that a kill finds requests in flight; the first tier of two
# requests needs longer.
ANSWER_SECONDS, FIRST_TIER_SECONDS = 0.03, 0.2
WITHIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Kill:
    moment: str
    state: SagaState
    processed: int


def kills(
    uri: str, database: Database[Document], provider: str, calls: Callable[[], int], seed: int
) -> Iterator[Kill]:
    """Starts the worker again and again and kills it once it has reached a given tier: at a random
    time, or right after some documents were written or some requests arrived."""
    rng, store = Random(seed), HistoryStore(database)
    moments = [(AFTER_CALLS, AFTER_DOCUMENTS, ANY_TIME)[n % 3] for n in range(KILLS)]
    for number, moment in enumerate(moments):
        tier = TIERS[number * len(TIERS) // KILLS]
        process = fork(source, uri, database.name, provider)
        _until(lambda tier=tier: _reached(store, tier), process.is_alive)
        if moment == ANY_TIME:
            time.sleep(rng.uniform(0.0, 2 * ANSWER_SECONDS))
        else:
            count = calls if moment == AFTER_CALLS else lambda: _processed(store)
            target = count() + rng.randint(1, 1 if tier is Tier.SEASON else 5)
            _until(lambda count=count, target=target: count() >= target, process.is_alive)
        process.kill()
        process.join()
        assert process.exitcode == KILLED, f"{moment}: the worker had ended by itself"
        yield Kill(moment, _state(store), _processed(store))


def _until(happened: Callable[[], bool], alive: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not happened():
        assert alive(), "the worker ended by itself"
        assert time.monotonic() < deadline, "the worker does not get that far"
        time.sleep(0.004)


def _state(store: HistoryStore) -> SagaState:
    record = store.season(KEY)
    return record.saga.state if record else SagaState.NOT_STARTED


def _reached(store: HistoryStore, tier: Tier) -> bool:
    states = list(SagaState)
    return states.index(_state(store)) >= states.index(WAITING[tier])


def _processed(store: HistoryStore) -> int:
    return sum(one.processed for one in store.documents(KEY))
