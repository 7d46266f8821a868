"""Writes that MongoDB makes, and whose acknowledgement the connection loses."""

from typing import Any

import pytest
from pymongo.collection import Collection
from pymongo.errors import AutoReconnect


def lose_answers(monkeypatch: pytest.MonkeyPatch, method: str, *numbers: int) -> None:
    """Of the calls of a collection's method, these (from 1) are made and then fail."""
    monkeypatch.setattr("footy_assets.store.retrying.sleep", lambda seconds: None)
    made, calls = getattr(Collection, method), 0

    def lossy(*args: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        answer = made(*args, **named)
        if calls in numbers:
            raise AutoReconnect("connection closed")
        return answer

    monkeypatch.setattr(Collection, method, lossy)
