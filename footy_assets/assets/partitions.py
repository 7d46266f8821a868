"""How assets are cut: fixtures and live events by matchday, videos and clips by goal."""

from datetime import date

import dagster as dg

FIRST_MATCHDAY = "2015-07-01"

# `end_offset=1`: today's partition exists while the day is being played.
matchdays = dg.DailyPartitionsDefinition(start_date=FIRST_MATCHDAY, timezone="UTC", end_offset=1)


def matchday_of(partition_key: str) -> date:
    return date.fromisoformat(partition_key)


# `discovered_videos` and `clips` are cut by goal; keys come when a goal is stable and go with it.
goals = dg.DynamicPartitionsDefinition(name="goals")
