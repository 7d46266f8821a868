"""Which teams we follow (F3)."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from footy_assets.errors import ProviderError
from footy_assets.matchday.feed import Failure, Feed, SeasonSpan
from footy_assets.matchday.sighting import FixtureSighting
from footy_assets.store.teams import TeamListStore

FRESH_FOR = timedelta(hours=24)
Listed = TypeVar("Listed")


@dataclass(slots=True)
class TrackedTeams:
    """The teams a fixture needs one of; `everything` for `FOOTY_TRACKED_TEAMS=*`."""

    ids: set[int] = field(default_factory=set)
    everything: bool = False
    calls: int = 0
    warnings: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def keeps(self, sighting: FixtureSighting) -> bool:
        return self.everything or bool({sighting.home.id, sighting.away.id} & self.ids)


def tracked_teams(
    store: TeamListStore,
    feed: Feed,
    now: datetime,
    day: date,
    leagues: Iterable[int],
    teams: Collection[int] | Literal["*"],
) -> TrackedTeams:
    """F3: clubs of the configured leagues in the season of `day`, plus configured teams."""
    if teams == "*":
        return TrackedTeams(everything=True)
    tracked = TrackedTeams(ids={int(team) for team in teams})
    for league in leagues:
        spans = _cached(store, now, f"seasons:{league}", partial(_spans, feed, league), tracked)
        season = season_of(day, [SeasonSpan(y, _day(s), _day(e)) for y, s, e in spans or ()])
        ids = _cached(
            store,
            now,
            f"teams:{league}:{season}",
            partial(feed.team_ids, league, season),
            tracked,
        )
        tracked.ids |= set(ids or _of_another_season(store, league, ids is None, tracked))
    return tracked


def _of_another_season(
    store: TeamListStore, league: int, unanswered: bool, tracked: TrackedTeams
) -> list[int]:
    """F3: the last known list serves, be it last season's; without any, nothing can be kept."""
    known = store.latest(f"teams:{league}:")
    if known is not None:
        tracked.warnings.append(f"teams:{league}: the list of {known.fetched_at:%Y-%m-%d} serves")
        return known.values
    if unanswered:
        tracked.failures.append(Failure(f"teams of league {league}", "no answer, no list known"))
    return []


def season_of(day: date, spans: Collection[SeasonSpan]) -> int:
    """The season a day belongs to: the latest begun by then; July to June where none is known."""
    begun = [span for span in spans if span.start <= day]
    if begun:
        return max(begun, key=lambda span: span.start).year
    return day.year if day.month >= 7 else day.year - 1


def _cached(
    store: TeamListStore,
    now: datetime,
    key: str,
    ask: Callable[[], list[Listed]],
    tracked: TrackedTeams,
) -> list[Listed] | None:
    """Fresh for a day; when the provider is down, the last known list serves."""
    known = store.get(key)
    if known and now - known.fetched_at < FRESH_FOR:
        return known.values
    tracked.calls += 1
    try:
        values = ask()
    except ProviderError as error:
        serves = f"the list of {known.fetched_at:%Y-%m-%d %H:%M} serves" if known else "none known"
        tracked.warnings.append(f"{key}: {error} ({serves})")
        return known.values if known else None
    if not values and known:
        tracked.warnings.append(f"{key}: the provider's list is empty, the last known serves")
        return known.values
    if values:
        store.put(key, values, now)
    return values


def _spans(feed: Feed, league: int) -> list[tuple[int, str, str]]:
    return [(s.year, s.start.isoformat(), s.end.isoformat()) for s in feed.seasons(league)]


def _day(text: str) -> date:
    return date.fromisoformat(text)
