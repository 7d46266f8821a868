"""What a plan of API-Football can do, in a sentence for people."""

from footy_assets.matchday.rules.pace import SMALL_PLAN_HORIZON, Quota, is_small_plan, reserve
from resources.api_football.models import ApiAccount

FREE = "free"
LIMITS = (
    "it has the matches in play and those of yesterday to tomorrow, and refuses current seasons: "
    "matches are tracked by their league (FOOTY_TRACKED_LEAGUES), not by the clubs of a league"
)


def describe_plan(account: ApiAccount, poll_seconds: float) -> str:
    used, limit = account.requests.get("current", "?"), account.requests.get("limit_day", "?")
    parts = [f"{used} of {limit} requests used today"]
    if account.plan is not None:
        parts.insert(0, f"plan {account.plan}")
    quota = Quota(account.day_limit, account.day_remaining)
    if (account.plan or "").casefold() != FREE and not is_small_plan(quota):
        return ", ".join(parts)
    return "; ".join([", ".join(parts), LIMITS, _pace(quota, poll_seconds)])


def _pace(quota: Quota, poll_seconds: float) -> str:
    """How late a goal is noticed, if the rest of the day's requests is spread over an evening."""
    left = (quota.day_remaining or 0) - reserve(quota.day_limit or 0)
    if left <= 0:
        return "no request is left for polls"
    horizon = SMALL_PLAN_HORIZON.total_seconds()
    minutes = max(poll_seconds, horizon / left) / 60
    return (
        f"the rest allows a poll about every {minutes:.0f} min over {horizon / 3600:g} hours of "
        "matches: a goal is noticed that late"
    )
