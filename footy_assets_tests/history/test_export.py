"""Y12: Parquet tables, typed and documented."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from footy_assets.errors import ProviderError
from footy_assets.history.export import ARROW_TYPES, export
from footy_assets.history.rules.documents import DocumentRequest
from footy_assets.history.rules.feed import Page
from footy_assets.history.rules.tables import TABLES, Table
from footy_assets.history.sourcing import Ended
from footy_assets.history.start import start
from footy_assets_tests.history.conftest import KEY, Sourcing
from resources.api_football.client import ApiFootball

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs" / "tables.md"


def test_y12_documentation_and_schema_agree() -> None:
    assert tables_as_markdown() in DOCS.read_text()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_y12_columns_have_their_types_and_meanings(
    loaded_season: Sourcing, tmp_path: Path, table: Table
) -> None:
    schema = pq.read_schema(export(loaded_season.store, KEY, tmp_path)[table.name])
    assert schema.names == [column.name for column in table.columns]
    for column in table.columns:
        field = schema.field(column.name)
        assert field.type == ARROW_TYPES[column.kind]
        assert field.nullable == column.nullable
        assert field.metadata[b"meaning"].decode() == column.meaning


def test_y12_a_tables_folder_reads_as_one_table(loaded_season: Sourcing, tmp_path: Path) -> None:
    export(loaded_season.store, KEY, tmp_path)
    frames = {table.name: pd.read_parquet(tmp_path / table.name) for table in TABLES}
    sizes = {name: len(frame) for name, frame in frames.items()}
    assert sizes == {"seasons": 1, "venues": 20, "team_seasons": 20, "player_seasons": 610}
    season = frames["seasons"].iloc[0]
    assert (season["teams"], season["matches"]) == (20, 380)
    teams = frames["team_seasons"]
    assert teams["goals_for"].sum() == teams["goals_against"].sum()
    assert set(teams["venue_id"]) == set(frames["venues"]["venue_id"])
    players = frames["player_seasons"]
    assert players["red_cards"].sum() > 0
    assert players["goals"].sum() == teams["goals_for"].sum()
    assert set(players["evidence"]) == {"appearance", "listed"}
    assert not players.duplicated(["team_id", "player_id"]).any()


def test_y12_equal_content_gives_equal_bytes(loaded_season: Sourcing, tmp_path: Path) -> None:
    once = export(loaded_season.store, KEY, tmp_path / "once")
    again = export(loaded_season.store, KEY, tmp_path / "again")
    for table in TABLES:
        assert once[table.name].read_bytes() == again[table.name].read_bytes()


def test_y12_killed_while_writing_the_folder_still_reads_as_one_table(
    loaded_season: Sourcing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(found: pa.Table, where: Path) -> None:
        where.write_bytes(b"half a table")
        raise KeyboardInterrupt

    export(loaded_season.store, KEY, tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(pq, "write_table", killed)
        with pytest.raises(KeyboardInterrupt):
            export(loaded_season.store, KEY, tmp_path)
    folder = tmp_path / "seasons"
    assert len(pd.read_parquet(folder)) == 1
    (left,) = (one for one in folder.iterdir() if one.suffix == ".tmp")
    os.utime(left.rename(folder / ".39-2023.1.tmp"), (0, 0))
    export(loaded_season.store, KEY, tmp_path)
    assert [one.name for one in folder.iterdir()] == ["39-2023.parquet"]


class OneClubLess(ApiFootball):
    def pages(
        self, requests: Sequence[DocumentRequest], within: float
    ) -> list[Page | ProviderError]:
        responses = super().pages(requests, within)
        for one, response in zip(requests, responses, strict=True):
            if isinstance(response, Page) and one.path == "/teams":
                response.response[:] = [o for o in response.response if o["team"]["id"] != 3901]
        return responses


def test_y12_a_club_missing_from_the_listing_is_missing_from_the_tables(
    sourcing: Sourcing, tmp_path: Path
) -> None:
    def rows() -> dict[str, int]:
        export(sourcing.store, KEY, tmp_path)
        return {table.name: len(pd.read_parquet(tmp_path / table.name)) for table in TABLES}

    def refreshed() -> None:
        start(sourcing.store, sourcing.clock, KEY, "a test", refresh=True)
        assert sourcing.source().ended is Ended.COMPLETED
        assert sourcing.store.next_due(KEY) is None

    sourcing.source()
    before = sourcing.status()["tiers"]
    full = rows()
    with OneClubLess(sourcing.sim.url, None) as feed:
        usual, sourcing.work = sourcing.work, replace(sourcing.work, feed=feed)
        refreshed()
    less = sourcing.status()["tiers"]
    assert less["venue"]["total"] == less["team_season"]["total"] == 19
    # Two pages, and the transfer of the one who went from this club to another.
    assert less["player_season"]["total"] == before["player_season"]["total"] - 3
    assert rows() == {"seasons": 1, "venues": 19, "team_seasons": 19, "player_seasons": 610 - 30}
    sourcing.work = usual
    refreshed()
    assert sourcing.status()["tiers"] == before
    assert rows() == full


def test_y12_an_incomplete_season_is_exported_as_far_as_it_is_loaded(
    sourcing: Sourcing, tmp_path: Path
) -> None:
    stop_after = iter(range(100))
    sourcing.source(stopped=lambda: next(stop_after) == 3)
    export(sourcing.store, KEY, tmp_path)
    assert len(pd.read_parquet(tmp_path / "player_seasons")) == 0
    assert len(pd.read_parquet(tmp_path / "seasons")) == 1


def tables_as_markdown() -> str:
    """What docs/tables.md contains."""
    parts = []
    for table in TABLES:
        lines = [f"## {table.name}", "", f"One row for {table.meaning}. Key: "]
        lines[-1] += ", ".join(f"`{name}`" for name in table.key) + "."
        lines += ["", "| column | type | null | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{c.name}` | {c.kind} | {'yes' if c.nullable else ''} | {c.meaning} |"
            for c in table.columns
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
