"""What a paid service cost per day, and the cap that no number of processes can exceed together."""

from dataclasses import dataclass
from datetime import date

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from footy_assets.store.collections import SPENDING, Document


@dataclass(frozen=True, slots=True)
class Cap:
    """A day's most. Money is counted in whole micro-dollars, so that sums are exact."""

    calls: int
    micro_usd: int


@dataclass(frozen=True, slots=True)
class Spent:
    calls: int = 0
    micro_usd: int = 0


class Spending:
    """A call's worst price is set aside before it is made and corrected when its real one is known.

    A process that dies in between leaves the worst price spent: the cap errs on the safe side.
    """

    def __init__(self, database: Database[Document], service: str) -> None:
        self._spending = database[SPENDING]
        self._service = service

    def set_aside(self, day: date, most: int, cap: Cap) -> bool:
        """Spend `most` micro-dollars and one call of a day, unless that would exceed the cap."""
        if most > cap.micro_usd or cap.calls < 1:
            return False
        room = {
            "_id": self._id(day),
            "calls": {"$lt": cap.calls},
            "micro_usd": {"$lte": cap.micro_usd - most},
        }
        try:
            self._spending.update_one(room, {"$inc": {"calls": 1, "micro_usd": most}}, upsert=True)
        except DuplicateKeyError:
            # The day is there, without room; or another process made it just now.
            spend = {"$inc": {"calls": 1, "micro_usd": most}}
            return self._spending.update_one(room, spend).matched_count == 1
        return True

    def settle(self, day: date, set_aside: int, real: int) -> None:
        """The call was made and cost `real`."""
        self._spending.update_one({"_id": self._id(day)}, {"$inc": {"micro_usd": real - set_aside}})

    def on(self, day: date) -> Spent:
        found = self._spending.find_one({"_id": self._id(day)})
        return Spent(found["calls"], found["micro_usd"]) if found else Spent()

    def _id(self, day: date) -> str:
        return f"{self._service}:{day.isoformat()}"
