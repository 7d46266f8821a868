"""The settings of rules as a Dagster resource, so that its UI shows their values."""

from typing import Any, Self

from dagster import ConfigurableResource

from footy_assets.settings import Settings
from resources.from_settings import FromSettings, setting


class PolicyResource(FromSettings, ConfigurableResource["PolicyResource"]):
    """What is tracked, how often to search, how long to keep. `footy_assets/policies.py` turns it
    into the policies of each room."""

    home: str = setting("home")
    providers_file: str | None = setting("providers_file")
    provider_pause_after: int = setting("provider_pause_after")
    provider_archive_hours: float = setting("provider_archive_hours")
    tracked_leagues: str = setting("tracked_leagues")
    tracked_teams: str = setting("tracked_teams")
    sites: str = setting("sites")
    fixture_deadline_hours: float = setting("fixture_deadline_hours")
    retention_days: int = setting("retention_days")
    search_attempts: int = setting("search_attempts")
    search_apart_seconds: float = setting("search_apart_seconds")
    search_give_up_minutes: float = setting("search_give_up_minutes")
    search_chosen: int = setting("search_chosen")
    search_ahead: bool = setting("search_ahead")
    canary_minutes: float = setting("canary_minutes")
    canary_words: str = setting("canary_words")
    coverage_target: float = setting("coverage_target")
    coverage_goals: int = setting("coverage_goals")
    history_threshold: int = setting("history_threshold")
    history_flag_share: float = setting("history_flag_share")
    history_flag_minimum: int = setting("history_flag_minimum")
    history_alert_minutes: float = setting("history_alert_minutes")
    history_at_once: int = setting("history_at_once")
    tables_folder: str | None = setting("tables_folder")
    api_public_url: str | None = setting("api_public_url")

    @classmethod
    def from_settings(cls, settings: Settings, **resources: ConfigurableResource[Any]) -> Self:
        """Without `api_public_url`, the gallery's own address is used."""
        public = settings.model_copy(update={"api_public_url": settings.gallery_url})
        return super().from_settings(public, **resources)
