"""Which teams are tracked (F3)."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from footy_assets.errors import ProviderError, ProviderPlanLimited, ProviderSwitchedOff
from footy_assets.matchday.rules.feed import Failure, Feed, SeasonSpan
from footy_assets.matchday.rules.sighting import FixtureSighting
from footy_assets.matchday.store.team_lists import TeamListStore

FRESH_FOR = timedelta(hours=24)
TEAMS_REFUSED = (
    "Matches of the tracked leagues are kept; those of their clubs in other competitions are not. "
    "Add these competitions to FOOTY_TRACKED_LEAGUES, or clubs to FOOTY_TRACKED_TEAMS"
)
Listed = TypeVar("Listed")


@dataclass(frozen=True, slots=True)
class TrackingPolicy:
    """The tracked leagues, whose clubs are tracked, and further teams."""

    leagues: tuple[int, ...] = ()
    teams: tuple[int, ...] | Literal["*"] = ()


@dataclass(slots=True)
class TrackedTeams:
    """A fixture is kept if it is one of these leagues', or one of these teams plays; `everything`:
    `FOOTY_TRACKED_TEAMS=*`."""

    ids: set[int] = field(default_factory=set)
    leagues: frozenset[int] = frozenset()
    everything: bool = False
    calls: int = 0
    warnings: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def keeps(self, sighting: FixtureSighting) -> bool:
        """F3."""
        return (
            self.everything
            or sighting.league.id in self.leagues
            or bool({sighting.home.id, sighting.away.id} & self.ids)
        )


def tracked_teams(
    store: TeamListStore,
    feed: Feed,
    now: datetime,
    day: date,
    leagues: Iterable[int],
    teams: Collection[int] | Literal["*"],
) -> TrackedTeams:
    """F3: the configured leagues, their clubs in the season of `day`, and configured teams."""
    if teams == "*":
        return TrackedTeams(everything=True)
    leagues = tuple(leagues)
    tracked = TrackedTeams({int(team) for team in teams}, frozenset(leagues))
    refusal: ProviderPlanLimited | None = None
    for league in leagues:
        try:
            if refusal is None:
                ids = _teams_of(store, feed, now, day, league, tracked)
                tracked.ids |= set(ids or _last_known_teams(store, league, ids is None, tracked))
                continue
        except ProviderPlanLimited as error:
            refusal = error
            tracked.warnings.append(f"{str(error).rstrip('.')}. {TEAMS_REFUSED}.")
        # A plan that refuses the list of one league refuses all: the day's requests are few.
        tracked.ids |= set(_last_known_teams(store, league, False, tracked))
    return tracked


def _teams_of(
    store: TeamListStore, feed: Feed, now: datetime, day: date, league: int, tracked: TrackedTeams
) -> list[int] | None:
    """The clubs of a league; None if the provider failed and no list is known."""
    fetch_seasons = partial(_season_rows, feed, league)
    rows = _cached(store, now, f"seasons:{league}", fetch_seasons, tracked)
    season = season_of(day, [_season_span(*row) for row in rows or ()])
    fetch_teams = partial(feed.team_ids, league, season)
    return _cached(store, now, f"teams:{league}:{season}", fetch_teams, tracked)


def _last_known_teams(
    store: TeamListStore, league: int, failed: bool, tracked: TrackedTeams
) -> list[int]:
    """F3: use the last known list, even last season's."""
    known = store.latest(f"teams:{league}:")
    if known is not None:
        tracked.warnings.append(f"teams:{league}: using the list of {known.fetched_at:%Y-%m-%d}")
        return known.values
    if failed:
        tracked.failures.append(Failure(f"teams of league {league}", "no answer, no list known"))
    return []


def season_of(day: date, spans: Collection[SeasonSpan]) -> int:
    """The season of a day: the latest one begun by then; July to June if none is known."""
    begun = [span for span in spans if span.start <= day]
    if begun:
        return max(begun, key=lambda span: span.start).year
    return day.year if day.month >= 7 else day.year - 1


def _cached(
    store: TeamListStore,
    now: datetime,
    key: str,
    fetch: Callable[[], list[Listed]],
    tracked: TrackedTeams,
) -> list[Listed] | None:
    """A stored list is fresh for a day; if the provider fails, the last known list is used."""
    known = store.get(key)
    if known and now - known.fetched_at < FRESH_FOR:
        return known.values
    fallback = f"using the list of {known.fetched_at:%Y-%m-%d %H:%M}" if known else "none known"
    tracked.calls += 1
    try:
        values = fetch()
    except (ProviderPlanLimited, ProviderSwitchedOff):
        raise
    except ProviderError as error:
        tracked.warnings.append(f"{key}: {error} ({fallback})")
        return known.values if known else None
    if not values and known:
        tracked.warnings.append(f"{key}: the provider's list is empty ({fallback})")
        return known.values
    if values:
        store.put(key, values, now)
    return values


def _season_rows(feed: Feed, league: int) -> list[tuple[int, str, str]]:
    return [(s.year, s.start.isoformat(), s.end.isoformat()) for s in feed.seasons(league)]


def _season_span(year: int, start: str, end: str) -> SeasonSpan:
    return SeasonSpan(year, date.fromisoformat(start), date.fromisoformat(end))
