"""P4: a store's methods while the database is away."""

import pytest
from pymongo.errors import AutoReconnect, DuplicateKeyError

from footy_assets.store.clips import ClipDocuments
from footy_assets.store.leases import Leases
from footy_assets.store.retrying import tried_again, tried_as
from footy_assets.store.searches import SearchStore


@tried_again
class Shelf:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def read(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "a book"

    def read_twice(self) -> str:
        return self.read() + self.read()

    @tried_as("counting")
    def count(self) -> str:
        return self.read()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    made: list[float] = []
    monkeypatch.setattr("footy_assets.store.retrying.sleep", made.append)
    return made


def test_p4_a_lost_connection_is_tried_three_times(waits: list[float]) -> None:
    assert Shelf(AutoReconnect(), AutoReconnect()).read() == "a book"
    assert waits == [1.0, 2.0]
    with pytest.raises(AutoReconnect):
        Shelf(*[AutoReconnect()] * 3).read()


def test_p4_a_refusal_is_not_tried_again(waits: list[float]) -> None:
    with pytest.raises(DuplicateKeyError):
        Shelf(DuplicateKeyError("there is one")).read()
    assert not waits


def test_p4_a_method_inside_another_is_not_tried_for_itself(waits: list[float]) -> None:
    shelf = Shelf(*[AutoReconnect()] * 9)
    with pytest.raises(AutoReconnect):
        shelf.read_twice()
    assert shelf.calls == 3


def test_p4_counting_an_attempt_is_tried_five_times(waits: list[float]) -> None:
    assert Shelf(*[AutoReconnect()] * 4).count() == "a book"
    assert waits == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("store", "method"),
    [
        (SearchStore, "claim"),
        (SearchStore, "count"),
        (ClipDocuments, "take_up"),
        (ClipDocuments, "clips_of"),
        (Leases, "take"),
    ],
)
def test_p4_the_stores_are_tried_again(store: type, method: str) -> None:
    assert hasattr(getattr(store, method), "__wrapped__")
