"""Dagster resources whose fields are settings, filled from the settings that the root loads."""

import os
from pathlib import Path
from typing import Any, Self

from dagster import ConfigurableResource, EnvVar
from pydantic import Field, SecretStr

from footy_assets.settings import NO_SITES, PREFIX, Settings, settings_of


class FromSettings:
    """Mixin for a `ConfigurableResource` whose fields have the names of settings."""

    @classmethod
    def from_settings(cls, settings: Settings, **resources: ConfigurableResource[Any]) -> Self:
        """The resource with its fields from the settings; `resources` are its dependencies."""
        names = [name for name in cls._setting_names() if name not in resources]
        return cls(**{name: as_field(settings, name) for name in names}, **resources)

    def as_settings(self) -> Settings:
        """Settings with these fields' values, and defaults for all others."""
        values = {name: getattr(self, name) for name in self._setting_names()}
        return settings_of(
            **{
                name: value
                for name, value in values.items()
                if value is not None and not isinstance(value, ConfigurableResource)
            }
        )

    @classmethod
    def _setting_names(cls) -> list[str]:
        fields: dict[str, Any] = cls.model_fields  # type: ignore[attr-defined]
        return [name for name in fields if name in Settings.model_fields]


def setting(name: str) -> Any:
    """A resource's field with the default and the description of the setting of this name."""
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True, validated_data={})
    return Field(default=_field_value(name, default), description=field.description)


def as_field(settings: Settings, name: str) -> Any:
    """A setting as the field of a resource, which is a number, a flag or a string.

    For a secret, Dagster's UI shows the name of its environment variable, never the value. The
    variable is set here, because the secret may come from `.env`.
    """
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        variable = PREFIX + name.upper()
        os.environ[variable] = value.get_secret_value()
        return EnvVar(variable)
    return _field_value(name, value)


def _field_value(name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or (NO_SITES if name == "sites" else "")
    return str(value) if isinstance(value, Path) else value
