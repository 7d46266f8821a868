"""P4: methods of a store while the database is unavailable."""

import pytest
from pymongo.errors import AutoReconnect, DuplicateKeyError

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore
from footy_assets.store.leases import Leases
from footy_assets.store.retrying import retry_on_disconnect, retry_with


@retry_on_disconnect
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

    @retry_with("counting")
    def count(self) -> str:
        return self.read()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    made: list[float] = []
    monkeypatch.setattr("footy_assets.store.retrying.sleep", made.append)
    return made


def test_p4_a_lost_connection_is_retried_three_times(waits: list[float]) -> None:
    assert Shelf(AutoReconnect(), AutoReconnect()).read() == "a book"
    assert waits == [1.0, 2.0]
    with pytest.raises(AutoReconnect):
        Shelf(*[AutoReconnect()] * 3).read()


def test_p4_a_refusal_is_not_retried(waits: list[float]) -> None:
    with pytest.raises(DuplicateKeyError):
        Shelf(DuplicateKeyError("there is one")).read()
    assert not waits


def test_p4_a_nested_method_is_not_retried_separately(waits: list[float]) -> None:
    shelf = Shelf(*[AutoReconnect()] * 9)
    with pytest.raises(AutoReconnect):
        shelf.read_twice()
    assert shelf.calls == 3


def test_p4_counting_an_attempt_is_retried_five_times(waits: list[float]) -> None:
    assert Shelf(*[AutoReconnect()] * 4).count() == "a book"
    assert waits == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("store", "method"),
    [
        (SearchStore, "claim"),
        (SearchStore, "count_attempts"),
        (VideoStore, "begin_try"),
        (ClipDocuments, "clips_of"),
        (Leases, "take"),
    ],
)
def test_p4_methods_of_stores_are_retried(store: type, method: str) -> None:
    assert hasattr(getattr(store, method), "__wrapped__")
