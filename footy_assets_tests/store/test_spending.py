from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.store.spent import Spent, spent_on

DAY = date(2025, 5, 10)


@pytest.fixture
def spending(database: Database[Document]) -> Spending:
    return Spending(database, "vision")


def test_money_is_reserved_up_to_the_cap(spending: Spending, database: Database[Document]) -> None:
    cap = Cap(calls=100, micro_usd=1_000)
    assert [spending.reserve(DAY, 400, cap) for _ in range(3)] == [True, True, False]
    assert spent_on(database, "vision", DAY) == Spent(2, 800)
    spending.record_cost(DAY, 400, 100)
    assert spent_on(database, "vision", DAY) == Spent(2, 500), (
        "what a call really cost is what counts"
    )
    assert spending.reserve(DAY, 400, cap)


def test_free_calls_are_capped_too(spending: Spending) -> None:
    cap = Cap(calls=2, micro_usd=0)
    assert [spending.reserve(DAY, 0, cap) for _ in range(3)] == [True, True, False]
    assert not spending.reserve(date(2025, 5, 11), 1, cap)
    assert not spending.reserve(date(2025, 5, 11), 0, Cap(0, 0))


def test_concurrent_calls_do_not_exceed_the_cap(
    spending: Spending, database: Database[Document]
) -> None:
    cap = Cap(calls=100, micro_usd=1_000)
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(lambda _: spending.reserve(DAY, 90, cap), range(40)))
    assert sum(allowed) == 11
    assert spent_on(database, "vision", DAY) == Spent(11, 990)


def test_each_day_and_service_has_its_own_cap(
    spending: Spending, database: Database[Document]
) -> None:
    cap = Cap(calls=1, micro_usd=0)
    assert spending.reserve(DAY, 0, cap)
    assert spending.reserve(date(2025, 5, 11), 0, cap)
    assert Spending(database, "aliases").reserve(DAY, 0, cap)
