"""A world of matches with a beginning and an end, and the truth about it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from footy_assets.sim import feed
from footy_assets.sim.matchday import large_matchday, matchday, quiet_matchday
from footy_assets.sim.script import MatchScript
from footy_assets.sim.truth import ExpectedGoal, expected_goals, final_score

BEFORE_FIRST_KICKOFF = timedelta(minutes=40)
AFTER_THE_LAST = timedelta(minutes=10)


@dataclass(frozen=True)
class World:
    day: date
    scripts: tuple[MatchScript, ...]

    @classmethod
    def from_scripts(cls, scripts: Iterable[MatchScript], day: date | None = None) -> "World":
        """A world of given matches; its day defaults to that of the first kick-off."""
        written = tuple(scripts)
        if len({script.fixture_id for script in written}) != len(written):
            raise ValueError("two matches have the same fixture id")
        if day is None and not written:
            raise ValueError("a world without matches needs a day")
        first = day or min(script.kickoff for script in written).astimezone(UTC).date()
        return cls(first, written)

    @cached_property
    def by_id(self) -> dict[int, MatchScript]:
        return {script.fixture_id: script for script in self.scripts}

    @property
    def fixture_ids(self) -> tuple[int, ...]:
        return tuple(self.by_id)

    @cached_property
    def days(self) -> tuple[date, ...]:
        return tuple(sorted({script.kickoff.astimezone(UTC).date() for script in self.scripts}))

    @cached_property
    def starts_at(self) -> datetime:
        midnight = datetime.combine(self.day, datetime.min.time(), tzinfo=UTC)
        kickoffs = [script.kickoff for script in self.scripts]
        return min(kickoffs, default=midnight + BEFORE_FIRST_KICKOFF) - BEFORE_FIRST_KICKOFF

    @cached_property
    def ends_at(self) -> datetime:
        settled = [script.settled_at for script in self.scripts]
        return max(settled, default=self.starts_at) + AFTER_THE_LAST

    def only(self, titles: Collection[str]) -> "World":
        """The same day with some of its matches."""
        return World(self.day, tuple(script for script in self.scripts if script.title in titles))

    def fixture_at(self, fixture_id: int, now: datetime, events: bool = True) -> feed.Json:
        return feed.fixture_at(self.by_id[fixture_id], now, events)

    def truth(self) -> tuple[ExpectedGoal, ...]:
        return tuple(goal for script in self.scripts for goal in expected_goals(script))

    def team_name(self, team_id: int) -> str:
        for script in self.scripts:
            for club in (script.home, script.away):
                if club.id == team_id:
                    return club.name
        raise KeyError(team_id)

    def final_score(self, fixture_id: int) -> tuple[int | None, int | None]:
        return final_score(self.by_id[fixture_id])

    def final_status(self, fixture_id: int) -> str:
        return self.by_id[fixture_id].final_status


def make_world(seed: int = 7, day: date = date(2025, 5, 10), matches: int | None = None) -> World:
    """One matchday with every trap; with `matches`, that many ordinary ones live at once."""
    scripts = matchday(seed, day) if matches is None else large_matchday(seed, day, matches)
    return World.from_scripts(scripts, day)


def make_season_days(
    seed: int = 7,
    first_day: date = date(2025, 5, 1),
    days: int = 7,
    matches_per_day: int = 4,
) -> World:
    """Several days of ordinary matches, for looking back."""
    scripts = (
        script
        for number in range(days)
        for script in quiet_matchday(seed, first_day + timedelta(days=number), matches_per_day)
    )
    return World.from_scripts(scripts, first_day)
