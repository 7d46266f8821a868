"""T18: hours in which a subscription is not notified; what happened waits for their end."""

import re
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

SPAN = re.compile(r"(\d{1,2}:\d{2})\s*(?:-|–|to)\s*(\d{1,2}:\d{2})")


class QuietHours(BaseModel):
    """From `start` to `end` by the clock of `zone`, every day; over midnight if `end` is earlier.

    May be written as one text: `23:00-07:00`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: time
    end: time
    zone: str = "UTC"

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        if not (span := SPAN.fullmatch(given.strip())):
            raise ValueError("is written like 23:00-07:00")
        return {"start": f"{span[1]:0>5}", "end": f"{span[2]:0>5}"}

    @field_validator("start", "end")
    @classmethod
    def _by_the_zone(cls, value: time) -> time:
        if value.tzinfo is not None:
            raise ValueError("is a time of day without a zone; name it in `zone`")
        return value.replace(second=0, microsecond=0)

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{zone!r:.80} is no time zone; Europe/London is one") from error
        return zone

    def due_at(self, wanted: datetime) -> datetime:
        """The first moment from `wanted` on that is not quiet."""
        local = wanted.astimezone(ZoneInfo(self.zone))
        now = local.time()
        if self.start <= self.end:
            quiet, day = self.start <= now < self.end, local.date()
        else:
            quiet = now >= self.start or now < self.end
            day = local.date() + timedelta(days=1 if now >= self.start else 0)
        if not quiet:
            return wanted
        ends = datetime.combine(day, self.end, local.tzinfo)
        return ends.astimezone(wanted.tzinfo)
