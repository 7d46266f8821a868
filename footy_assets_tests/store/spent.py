"""What a service has cost on a day, read from MongoDB."""

from datetime import date
from typing import NamedTuple

from pymongo.database import Database

from footy_assets.store.collections import SPENDING, Document


class Spent(NamedTuple):
    calls: int = 0
    micro_usd: int = 0


def spent_on(database: Database[Document], service: str, day: date) -> Spent:
    found = database[SPENDING].find_one({"_id": f"{service}:{day.isoformat()}"})
    return Spent(found["calls"], found["micro_usd"]) if found else Spent()
