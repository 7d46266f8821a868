"""The settings as lists: for child processes as environment variables, for people as a table."""

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from footy_assets.settings import NO_SITES, PREFIX, Settings


def as_environment(settings: Settings) -> dict[str, str]:
    """The settings that were set, as environment variables for child processes. An empty one is a
    setting without a value, so that a child does not take it from the environment of this one."""
    env: dict[str, str] = {}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        if name == "sites" and not value:
            value = NO_SITES
        env[f"{PREFIX}{name.upper()}"] = "" if value is None else str(_shown(value))
    return env


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Every setting with value (secrets masked), default and description."""
    rows = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        default = field.get_default(call_default_factory=True, validated_data={})
        rows.append(
            {
                "name": f"{PREFIX}{name.upper()}",
                "value": _shown(value),
                "default": _shown(default),
                "set": name in settings.model_fields_set,
                "description": field.description or "",
            }
        )
    return rows


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return value
