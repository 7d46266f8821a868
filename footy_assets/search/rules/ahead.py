"""SE8: searches for a goal that is seen but not stable yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from footy_assets.search.rules.site import LimitedSite, VideoSite

# The number of a search ahead of stable: the planned attempts begin with 1.
AHEAD = 0


@dataclass(frozen=True, slots=True)
class AheadPlan:
    """Start to start. The last one leaves time to judge before the third poll, a minute after the
    first, sees the goal. A sensor that looks every 5 s makes it 15 s."""

    searches: int = 4
    apart: timedelta = timedelta(seconds=13)


def left_to_choose(chosen: int, per_attempt: int) -> int:
    """SE8: all searches ahead of stable together choose as many videos as one attempt."""
    return max(per_attempt - chosen, 0)


def sites_with_room(sites: Sequence[VideoSite]) -> list[VideoSite]:
    """SE8: sites whose posts we keep ourselves, and others while their rate limit has room."""
    return [site for site in sites if not isinstance(site, LimitedSite) or site.has_room()]
