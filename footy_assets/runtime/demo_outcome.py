"""The outcome of a demo: goals, clips and sites judged against the script, and figures."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pymongo.database import Database

from footy_assets.cli.output import INTERRUPTED
from footy_assets.clips.explain import clip_rows
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState, MatchStatus
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.views import Row, event_row, fixture_row
from footy_assets.runtime.demo_figures import clip_figures, dagster_figures, matchday_figures
from footy_assets.runtime.supervisor import Running
from footy_assets.search.rules.video import WITHOUT_CLIP
from footy_assets.search.store.videos import VideoStore
from footy_assets.sim import SimServer, World
from footy_assets.sim.check_clips import (
    ClipsCheck,
    SiteCheck,
    SiteCounts,
    check_clips,
    check_sites,
)
from footy_assets.sim.check_goals import GoalsReport, check_goals
from footy_assets.sim.check_wrong_footage import (
    VideoOutcome,
    WrongFootageCheck,
    check_wrong_footage,
)
from footy_assets.sim.fan_sites import SITES
from footy_assets.sim.fans import Fans
from footy_assets.store.collections import Document


@dataclass(frozen=True)
class DemoOutcome:
    """Result of the demo; `report` is None if it was stopped before the end."""

    report: GoalsReport | None
    clips: tuple[ClipsCheck, ...]
    figures: dict[str, Any]
    ui: str
    sites: tuple[SiteCheck, ...] = ()
    wrong_footage: tuple[WrongFootageCheck, ...] = ()

    @property
    def exit_code(self) -> int:
        if self.report is None:
            return INTERRUPTED
        wrong = [
            *(clip.problem for clip in self.clips),
            *(site.problem for site in self.sites),
            *(footage.problem for footage in self.wrong_footage),
        ]
        return 0 if self.report.right and not any(wrong) and not self._failed() else 1

    def _failed(self) -> bool:
        names = ("failed_runs", "failed_ticks", "fixtures_missing")
        return any(self.figures[name] for name in names)

    def as_json(self) -> dict[str, Any]:
        report = self.report
        return {
            "right": report.right if report else None,
            "goals": [
                {**check.goal.as_json(), "event_id": check.event_id, "problem": check.problem}
                for check in (report.goals if report else ())
            ],
            "clips": [
                {
                    "event_id": check.goal_check.event_id,
                    "clips": [clip["url"] for clip in check.clips],
                    "problem": check.problem,
                }
                for check in self.clips
            ],
            "sites": [asdict(check) for check in self.sites],
            "wrong_footage": [asdict(check) for check in self.wrong_footage],
            "unexpected": list(report.unexpected) if report else [],
            "fixtures_wrong": list(report.fixtures) if report else [],
            **self.figures,
        }


@dataclass(frozen=True)
class DemoResults:
    """Reads what the pipeline made of the matchday."""

    up: Running
    world: World
    fans: Fans | None
    provider: SimServer
    database: Database[Document]
    bucket: str

    def fixtures_and_events(self, now: datetime) -> tuple[list[Row], list[Row]]:
        store = MatchdayStore(self.database)
        fixtures = store.fixtures_of(self.world.day)
        goals = store.goals_of([fixture.id for fixture in fixtures])
        return (
            [fixture_row(fixture, now) for fixture in fixtures],
            [event_row(goal, f.matchday) for f in fixtures for goal in goals[f.id]],
        )

    def outcome(self, now: datetime, speed: float, finished: bool) -> DemoOutcome:
        fixtures, events = self.fixtures_and_events(now)
        missing = set(self.world.fixture_ids) - {row["fixture_id"] for row in fixtures}
        figures: dict[str, Any] = {
            **matchday_figures(self.database, fixtures, events),
            "api_calls": len(self.provider.requests),
            **dagster_figures(self.up),
            "fixtures_missing": sorted(missing),
        }
        if not finished:
            return DemoOutcome(None, (), figures, self.up.ui)
        report = check_goals(self.world, fixtures, events, self.provider.polled_at())
        if self.fans is None:
            return DemoOutcome(report, (), figures, self.up.ui)
        keys = dict(enumerate(self.fans.goal_keys))
        clips = check_clips(report.goals, keys, self._clip_rows(), self.fans.videos_by_post())
        figures |= clip_figures(self.database, clips, speed)
        standing = [keys[n] for n, one in enumerate(report.goals) if one.goal.ending == "stable"]
        sites = check_sites(self.count_by_site(), self.fans.sites_with_clips(standing))
        posts = self.fans.videos_by_post()
        wrong_footage = check_wrong_footage(self._outcomes(report), posts)
        return DemoOutcome(report, clips, figures, self.up.ui, sites, wrong_footage)

    def count_by_site(self) -> dict[str, SiteCounts]:
        """Nothing if no goal is searched for."""
        if self.fans is None:
            return {}
        counts = VideoStore(self.database).count_by_site()
        return {
            site: SiteCounts(one.found, one.taken + one.duplicate, one.wasted)
            if (one := counts.get(site))
            else SiteCounts(0, 0, 0)
            for site in SITES
        }

    def _clip_rows(self) -> list[Row]:
        return clip_rows(ClipDocuments(self.database), self._goals(), self.bucket)

    def _goals(self) -> list[GoalEvent]:
        found = MatchdayStore(self.database).goals_of(list(self.world.fixture_ids))
        return [goal for of_fixture in found.values() for goal in of_fixture]

    def _outcomes(self, report: GoalsReport) -> list[VideoOutcome]:
        """What became of every post that was downloaded, with the catalogue's keys of the goals."""
        keys = self.fans.goal_keys if self.fans else ()
        by_event = {check.event_id: key for check, key in zip(report.goals, keys, strict=True)}
        by_goal = {goal.key: by_event.get(goal.event_id) for goal in self._goals()}
        return [
            VideoOutcome(
                by_goal.get(found["goal_key"]),
                found["video_id"],
                found["reason"] if found["state"] in WITHOUT_CLIP else None,
            )
            for found in VideoStore(self.database).outcomes()
        ]


def all_completed(world: World, states: Mapping[int, FixtureState]) -> bool:
    """Whether every match that ends in the script is completed, given their states by id."""
    return bool(states) and all(
        state == FixtureState.COMPLETED or world.final_status(fixture_id) == MatchStatus.POSTPONED
        for fixture_id, state in states.items()
    )
