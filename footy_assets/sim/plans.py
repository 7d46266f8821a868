"""What each of the provider's plans allows, and its words where it does not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from footy_assets.sim.clubs import season_of
from footy_assets.sim.parameters import Params, date_of
from footy_assets.sim.quota import Quota

Refusal = Mapping[str, str]
# The free plan has the three seasons before the current one.
SEASONS_BACK = 3
ONE_DAY = timedelta(days=1)


def _refuses_nothing(params: Params, now: datetime) -> Refusal | None:
    return None


@dataclass(frozen=True)
class Plan:
    """`refuse` is given the parameters of a request, and returns the errors of its answer."""

    name: str
    quota: Quota
    refuse: Callable[[Params, datetime], Refusal | None] = _refuses_nothing


def refuse_on_free_plan(params: Params, now: datetime) -> Refusal | None:
    """`id`, `live` and the days around today are allowed; `ids` and other seasons are not."""
    if "ids" in params:
        return {"plan": "Free plans do not have access to the Ids parameter."}
    if params.get("season", "").isdigit():
        current = season_of(now.date())
        if not current - SEASONS_BACK <= int(params["season"]) < current:
            allowed = f"{current - SEASONS_BACK} to {current - 1}"
            message = f"Free plans do not have access to this season, try from {allowed}."
            return {"plan": message}
    if "date" in params:
        first, last = now.date() - ONE_DAY, now.date() + ONE_DAY
        if not first <= date_of(params["date"]) <= last:
            message = f"Free plans do not have access to this date, try from {first} to {last}."
            return {"plan": message}
    return None


PAID_PLAN = Plan("Sim", Quota())
FREE_PLAN = Plan("Free", Quota(per_day=100, per_minute=10), refuse_on_free_plan)
