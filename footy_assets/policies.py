"""Each room's policy, from the settings, and what rooms take from each other as callables."""

from datetime import timedelta
from functools import partial

from pymongo.database import Database

from footy_assets.clips.rules.coverage import CoverageTarget
from footy_assets.clips.store import retention as clips_retention
from footy_assets.history.rules.limits import HistoryRules
from footy_assets.matchday.monitor import MonitorPolicy
from footy_assets.matchday.retention import FixtureDeletion
from footy_assets.matchday.rules.lifecycle import Deadlines
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.rules.competitions import league_number
from footy_assets.providers.rules.lifecycle import LifecycleLimits
from footy_assets.providers.rules.recovery import BrowserLimits
from footy_assets.providers.store import retention as providers_retention
from footy_assets.search.rules.attempts import SearchPlan, attempts_for
from footy_assets.search.rules.canary import CanaryRules
from footy_assets.search.searcher import SearchRules
from footy_assets.search.store import retention as search_retention
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.triggers.rules.live import describe_changes
from footy_assets.triggers.store import retention as triggers_retention


def tracking_policy(settings: Settings) -> TrackingPolicy:
    numbers = (league_number(one) for one in settings.tracked_leagues)
    return TrackingPolicy(tuple(one for one in numbers if one is not None), settings.tracked_teams)


def deadlines(settings: Settings) -> Deadlines:
    return Deadlines(
        unfinished_after=timedelta(hours=settings.fixture_deadline_hours),
        retention=timedelta(days=settings.retention_days),
    )


def lifecycle_limits(settings: Settings) -> LifecycleLimits:
    return LifecycleLimits(
        settings.provider_pause_after, timedelta(hours=settings.provider_archive_hours)
    )


def browser_limits(settings: Settings) -> BrowserLimits:
    return BrowserLimits(
        uptime=timedelta(hours=settings.browser_uptime_hours),
        tasks=settings.browser_tasks,
        processes=settings.browser_processes,
        megabytes=float(settings.browser_megabytes),
        pages=settings.browser_pages,
    )


def fixture_deletions(database: Database[Document]) -> tuple[FixtureDeletion, ...]:
    """F9: how each room deletes a fixture, in order."""
    rooms = (search_retention, clips_retention, triggers_retention, providers_retention)
    return tuple(partial(room.delete_fixture, database) for room in rooms)


def monitor_policy(settings: Settings) -> MonitorPolicy:
    """The monitor's policy, with functions of other rooms: how many search attempts a goal gets,
    and how changes are described to triggers."""
    # Without sites, no search is planned.
    planned = settings.search_attempts if settings.sites else 0
    return MonitorPolicy(
        deadlines(settings),
        attempts_for=lambda kickoff, now: attempts_for(kickoff, now, planned),
        describe=describe_changes,
    )


def search_plan(settings: Settings) -> SearchPlan:
    return SearchPlan(
        attempts=settings.search_attempts,
        apart=timedelta(seconds=settings.search_apart_seconds),
        give_up_after=timedelta(minutes=settings.search_give_up_minutes),
    )


def search_rules(settings: Settings) -> SearchRules:
    return SearchRules(search_plan(settings), settings.search_chosen, settings.clip_rules)


def is_searched_ahead(settings: Settings) -> bool:
    """SE8: not where nothing is searched for."""
    return bool(settings.search_ahead and settings.search_attempts and settings.sites)


def canary_rules(settings: Settings) -> CanaryRules:
    """Where nothing is searched for, there are no canaries."""
    minutes = settings.canary_minutes if settings.search_attempts else 0
    return CanaryRules(timedelta(minutes=minutes), settings.canary_words)


def coverage_target(settings: Settings) -> CoverageTarget:
    return CoverageTarget(settings.coverage_target, settings.coverage_goals)


def history_rules(settings: Settings) -> HistoryRules:
    return HistoryRules(
        threshold=settings.history_threshold,
        flag_share=settings.history_flag_share,
        flag_minimum=settings.history_flag_minimum,
        alert_after=timedelta(minutes=settings.history_alert_minutes),
        at_once=settings.history_at_once,
    )
