"""T18: quiet hours, over midnight and by the clock of a zone."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from footy_assets.triggers.rules.quiet_hours import QuietHours


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2025, 5, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "zone", "now", "due"),
    [
        ("23:00-07:00", "UTC", at(10, 22, 59), at(10, 22, 59)),
        ("23:00-07:00", "UTC", at(10, 23), at(11, 7)),
        ("23:00-07:00", "UTC", at(11, 6, 59), at(11, 7)),
        ("23:00-07:00", "UTC", at(11, 7), at(11, 7)),
        ("13:00-15:00", "UTC", at(10, 14), at(10, 15)),
        ("13:00-15:00", "UTC", at(10, 15), at(10, 15)),
        # London is an hour ahead in May.
        ("23:00-07:00", "Europe/London", at(10, 22), at(11, 6)),
        ("23:00-07:00", "Europe/London", at(11, 6), at(11, 6)),
        ("8:00 to 8:00", "UTC", at(10, 9), at(10, 9)),
    ],
)
def test_t18_what_happens_in_quiet_hours_waits_for_their_end(
    span: str, zone: str, now: datetime, due: datetime
) -> None:
    hours = QuietHours.model_validate(span)
    assert QuietHours(start=hours.start, end=hours.end, zone=zone).due_at(now) == due


@pytest.mark.parametrize("given", ["23-7", "25:00-07:00", {"start": "1:00", "zone": "Mars"}])
def test_t18_wrong_quiet_hours_are_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        QuietHours.model_validate(given)
