"""How assets are cut: fixtures and live events by matchday, videos and clips by goal."""

from datetime import date

import dagster as dg

from footy_assets.matchday.days import FIRST_MATCHDAY

# `end_offset=1`: today's partition exists while the day is being played.
matchdays = dg.DailyPartitionsDefinition(
    start_date=FIRST_MATCHDAY.isoformat(), timezone="UTC", end_offset=1
)


def matchday_of(partition_key: str) -> date:
    return date.fromisoformat(partition_key)


# `discovered_videos` and `clips` are cut by goal; keys come when a goal is stable and go with it.
goals = dg.DynamicPartitionsDefinition(name="goals")
