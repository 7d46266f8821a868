"""Y5, Y11: an operator starts the next tier, forgets a season, backfills its matchdays."""

from datetime import UTC, datetime

import pytest

from footy_assets.errors import BadInput, Busy, NotFound
from footy_assets.history.operator_actions import advance, backfill, forget
from footy_assets.history.rules.tiers import SagaState, Tier
from footy_assets.history.start import lease_name
from footy_assets.store.collections import AUDIT
from footy_assets_tests.history.conftest import KEY, LAST_VENUE, Sourcing

pytestmark = pytest.mark.slow


def test_y5_an_operator_starts_the_next_tier_and_it_is_recorded(sourcing: Sourcing) -> None:
    sourcing.sim.faults.garble(times=None, path="/venues", query={"id": LAST_VENUE})
    sourcing.source()
    assert advance(sourcing.store, sourcing.by, KEY).state is SagaState.WAITING_FOR_TEAM_SEASON
    sourcing.work.run(KEY, patience=10**9)
    status = sourcing.status()
    assert status["state"] == "WaitingForPlayerSeason"
    assert status["history"][2] | {"at": ""} == {
        "state": "WaitingForTeamSeason",
        "at": "",
        "because": "forced",
        "by": "me: a test",
    }
    assert status["tiers"]["player_season"]["complete"]
    entry = sourcing.store.database[AUDIT].find_one({"operation": "advance season"})
    assert entry is not None
    assert entry["outcome"] == "forced to WaitingForTeamSeason"
    with pytest.raises(BadInput, match="no further tier"):
        advance(sourcing.store, sourcing.by, KEY)


def test_y5_a_season_can_be_forgotten_unless_a_process_works_on_it(
    sourcing: Sourcing,
) -> None:
    sourcing.source(tiers=[Tier.SEASON])
    with sourcing.work.leases.hold(lease_name(KEY)), pytest.raises(Busy):
        forget(sourcing.store, sourcing.by, KEY)
    known = len(sourcing.store.documents(KEY))
    assert forget(sourcing.store, sourcing.by, KEY) == known > 0
    assert not sourcing.store.documents(KEY)
    with pytest.raises(NotFound):
        sourcing.status()


def test_y11_the_backfill_of_a_running_season_requests_the_days_already_played(
    sourcing: Sourcing,
) -> None:
    sourcing.source(tiers=[Tier.SEASON])
    sourcing.clock.at = datetime(2023, 12, 1, tzinfo=UTC)
    days = backfill(sourcing.store, sourcing.by, KEY)
    assert days
    assert max(days) <= "2023-12-01"
    sourcing.clock.at = datetime(2023, 7, 1, tzinfo=UTC)
    with pytest.raises(BadInput, match="has no matchday to backfill"):
        backfill(sourcing.store, sourcing.by, KEY)
