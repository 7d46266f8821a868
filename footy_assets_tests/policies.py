"""The monitor's policy as the product builds it, for tests that run cycles themselves."""

from dataclasses import replace
from functools import cache

from footy_assets.matchday.monitor import MonitorPolicy
from footy_assets.matchday.rules.lifecycle import Deadlines
from footy_assets.policies import monitor_policy
from footy_assets.settings import settings_of


@cache
def polling_policy(search_attempts: int = 0, deadlines: Deadlines | None = None) -> MonitorPolicy:
    """With no search attempts, a stable goal waits for nothing."""
    given = settings_of(
        search_attempts=search_attempts or 1, sites="x" if search_attempts else "none"
    )
    return replace(monitor_policy(given), deadlines=deadlines or Deadlines())
