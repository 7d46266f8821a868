"""The daily cost of a paid service, and the cap that all processes share."""

from dataclasses import dataclass
from datetime import date

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import SPENDING, Document


@dataclass(frozen=True, slots=True)
class Cap:
    """The limits of a day. Money is counted in whole micro-dollars, so that sums are exact."""

    calls: int
    micro_usd: int


class Spending:
    """Reserves a call's highest price before the call, and corrects it when the cost is known.

    If the process dies in between, the highest price stays spent: the cap is never exceeded.
    """

    def __init__(self, database: Database[Document], service: str) -> None:
        self._spending = database[SPENDING]
        self._service = service

    def reserve(self, day: date, most: int, cap: Cap) -> bool:
        """Reserve `most` micro-dollars and one call of a day, unless that would exceed the cap."""
        if most > cap.micro_usd or cap.calls < 1:
            return False
        below_cap = {
            "_id": self._id(day),
            "calls": {"$lt": cap.calls},
            "micro_usd": {"$lte": cap.micro_usd - most},
        }
        spend = {"$inc": {"calls": 1, "micro_usd": most}}
        try:
            self._spending.update_one(below_cap, spend, upsert=True)
        except DuplicateKeyError:
            # The cap is reached, or another process inserted the day just now.
            return self._spending.update_one(below_cap, spend).matched_count == 1
        return True

    def record_cost(self, day: date, reserved: int, cost: int) -> None:
        """The call cost `cost`."""
        self._spending.update_one({"_id": self._id(day)}, {"$inc": {"micro_usd": cost - reserved}})

    def _id(self, day: date) -> str:
        return f"{self._service}:{day.isoformat()}"
