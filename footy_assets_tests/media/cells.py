"""One decoding cell for all tests of a process: starting one takes longer than most of them."""

import atexit
from contextlib import nullcontext
from functools import cache

import pytest

from footy_assets.media.cell import DecodingCell


@cache
def shared_cell() -> DecodingCell:
    cell = DecodingCell()
    atexit.register(cell.__exit__)
    return cell


@pytest.fixture
def commands_share_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """`footy clip` reads files in the cell of the tests. That each of its commands starts and ends
    one itself is for tests without this fixture."""
    for module in ("compare_commands", "file_commands"):
        monkeypatch.setattr(
            f"footy_assets.clips.{module}.DecodingCell", lambda: nullcontext(shared_cell())
        )
