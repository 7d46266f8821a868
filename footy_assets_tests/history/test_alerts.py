"""Y5: a stalled season is reported when it stalls and when it recovers, and not in between."""

from datetime import UTC, datetime

from footy_assets.history.alerts import compare_stalled
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.saga import Saga
from footy_assets.history.store.documents import SeasonRecord

NOON = datetime(2025, 5, 10, 12, 0, tzinfo=UTC)
ONE, OTHER = (SeasonRecord(Saga(LeagueSeason(39, year)), NOON, "a test") for year in (2023, 2022))


def test_y5_an_alert_is_new_once() -> None:
    first = compare_stalled([ONE], None)
    assert first.new == (ONE,)
    assert first.changed
    again = compare_stalled([ONE], first.cursor)
    assert not again.new
    assert not again.changed


def test_y5_a_second_season_is_new_beside_the_first() -> None:
    both = compare_stalled([ONE, OTHER], compare_stalled([ONE], None).cursor)
    assert both.new == (OTHER,)
    assert both.changed
    assert not compare_stalled([OTHER, ONE], both.cursor).changed, "the order does not matter"


def test_y5_a_recovery_is_a_change_without_a_new_alert() -> None:
    over = compare_stalled([], compare_stalled([ONE], None).cursor)
    assert not over.new
    assert over.changed
    assert over.cursor == ""
