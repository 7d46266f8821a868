from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from pymongo.database import Database

from footy_assets.store.collections import Document
from footy_assets.store.spending import Cap, Spending, Spent

DAY = date(2025, 5, 10)


@pytest.fixture
def spending(database: Database[Document]) -> Spending:
    return Spending(database, "vision")


def test_money_is_set_aside_until_the_cap(spending: Spending) -> None:
    cap = Cap(calls=100, micro_usd=1_000)
    assert [spending.set_aside(DAY, 400, cap) for _ in range(3)] == [True, True, False]
    assert spending.on(DAY) == Spent(2, 800)
    spending.settle(DAY, 400, 100)
    assert spending.on(DAY) == Spent(2, 500), "what a call really cost is what counts"
    assert spending.set_aside(DAY, 400, cap)


def test_free_calls_are_capped_too(spending: Spending) -> None:
    cap = Cap(calls=2, micro_usd=0)
    assert [spending.set_aside(DAY, 0, cap) for _ in range(3)] == [True, True, False]
    assert not spending.set_aside(date(2025, 5, 11), 1, cap)
    assert not spending.set_aside(date(2025, 5, 11), 0, Cap(0, 0))


def test_the_cap_holds_against_many_at_once(spending: Spending) -> None:
    cap = Cap(calls=100, micro_usd=1_000)
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(lambda _: spending.set_aside(DAY, 90, cap), range(40)))
    assert sum(allowed) == 11
    assert spending.on(DAY) == Spent(11, 990)


def test_days_and_services_are_apart(spending: Spending, database: Database[Document]) -> None:
    cap = Cap(calls=1, micro_usd=0)
    assert spending.set_aside(DAY, 0, cap)
    assert spending.set_aside(date(2025, 5, 11), 0, cap)
    assert Spending(database, "aliases").set_aside(DAY, 0, cap)
