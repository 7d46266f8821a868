"""T1: the moments in which the teams of a match name their players."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.sighting import side_of
from footy_assets.matchday.rules.statuses import MatchStatus
from footy_assets.triggers.rules import vocabulary as v
from footy_assets.triggers.rules.live import DATASOURCE
from footy_assets.triggers.rules.snapshot import MAX_VALUES, Snapshot

# Whenever they were fetched, so that a match followed late gives the same snapshots.
OUT_BEFORE_KICKOFF = timedelta(minutes=60)


def line_up_snapshots(fixture: Fixture, line_ups: Sequence[LineUp]) -> tuple[dict[str, Any], ...]:
    """One for each team that has named who starts, always with the same id."""
    return tuple(
        _snapshot(fixture, one).model_dump(exclude_none=True) for one in line_ups if one.starters
    )


def _snapshot(fixture: Fixture, line_up: LineUp) -> Snapshot:
    side = side_of(line_up.team_id, fixture.home.id)
    players = {
        v.LINE_UP_STARTER: _ids(line_up.starters),
        v.LINE_UP_SUBSTITUTE: _ids(line_up.substitutes),
    }
    return Snapshot(
        id=f"{fixture.id}/line-up/{side}",
        datasource=DATASOURCE,
        scope_id=str(fixture.id),
        timestamp=fixture.kickoff - OUT_BEFORE_KICKOFF,
        options={
            v.STATUS: MatchStatus.NOT_STARTED,
            v.TEAM: side,
            v.LINE_UP_TEAM: side,
            **{event: ids for event, ids in players.items() if ids},
        },
    )


def _ids(players: Sequence[RosterPlayer]) -> list[str]:
    return [str(one.player.id) for one in players if one.player.id][:MAX_VALUES]
