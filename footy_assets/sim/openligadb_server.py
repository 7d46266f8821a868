"""OpenLigaDB's endpoint /getmatchdata: a matchday, the current one, or one match."""

from collections.abc import Callable
from datetime import datetime

from footy_assets.sim.feed import Json
from footy_assets.sim.openligadb import (
    ID_OFFSET,
    LEAGUE_OF_SHORTCUT,
    group_of,
    match_json,
    with_extra_goal,
    without_flags,
    without_minutes,
)
from footy_assets.sim.provider import Provider
from footy_assets.sim.provider_faults import OpenLigaDbFaults


class OpenLigaDbEndpoints:
    """The endpoint over a provider's fixtures, at an instant and with faults."""

    def __init__(self, provider: Provider, faults: OpenLigaDbFaults, now: datetime) -> None:
        self._provider, self._faults = provider, faults
        self._now = faults.lens.time(now)

    def matchday(self, shortcut: str, season: int, group: int | None = None) -> list[Json]:
        """Without a group, the whole season."""
        return [
            self._match(fixture)
            for fixture in self._of_league(shortcut)
            if fixture["league"]["season"] == season and group in (None, group_of(fixture))
        ]

    def current_matchday(self, shortcut: str) -> list[Json]:
        """The group of the match that is nearest in time."""

        def distance(fixture: Json) -> float:
            return abs(float(fixture["fixture"]["timestamp"]) - self._now.timestamp())

        fixtures = self._of_league(shortcut)
        if not fixtures:
            return []
        nearest = min(fixtures, key=distance)
        return self.matchday(shortcut, nearest["league"]["season"], group_of(nearest))

    def one(self, match_id: int) -> Json | None:
        fixture = self._provider.fixture(match_id - ID_OFFSET, self._now)
        if fixture is None or fixture["league"]["id"] not in LEAGUE_OF_SHORTCUT.values():
            return None
        return self._match(self._faults.lens.apply(fixture))

    def _of_league(self, shortcut: str) -> list[Json]:
        league = LEAGUE_OF_SHORTCUT.get(shortcut.lower())
        return [
            self._faults.lens.apply(fixture)
            for fixture in self._provider.listed(self._now, events=True)
            if fixture["league"]["id"] == league
        ]

    def _match(self, fixture: Json) -> Json:
        script = self._provider.script(fixture["fixture"]["id"])
        match = match_json(fixture, script, self._now)
        changes: dict[Callable[[Json], Json], bool] = {
            without_flags: self._faults.wrong_flags,
            without_minutes: self._faults.missing_minutes,
            with_extra_goal: self._faults.extra_goal,
        }
        for change, switched_on in changes.items():
            match = change(match) if switched_on else match
        return match
