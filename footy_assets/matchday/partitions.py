"""Partitions of assets: fixtures and live events by matchday, videos and clips by goal."""

from datetime import date

import dagster as dg

from footy_assets.matchday.rules.days import FIRST_MATCHDAY

# `end_offset=1`: today's partition exists during the day.
matchdays = dg.DailyPartitionsDefinition(
    start_date=FIRST_MATCHDAY.isoformat(), timezone="UTC", end_offset=1
)
# A run costs as much as several days; one that fails must not lose too many.
a_week_per_run = dg.BackfillPolicy.multi_run(max_partitions_per_run=7)


def matchday_of(partition_key: str) -> date:
    return date.fromisoformat(partition_key)


# A goal gets its partition when its search opens, and loses it at retention.
goals = dg.DynamicPartitionsDefinition(name="goals")
