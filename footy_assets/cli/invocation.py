"""The settings of a command: loaded once, when the command line begins."""

from contextvars import ContextVar
from pathlib import Path

import typer

from footy_assets.settings import Settings, load_settings

_settings: ContextVar[Settings | None] = ContextVar("settings of the invocation", default=None)


def begin_invocation(ctx: typer.Context, env_file: Path | None = None) -> Settings:
    """Load the settings; they are forgotten when the invocation ends, because one process may have
    several, each with an environment of its own."""
    settings = load_settings(env_file=env_file) if env_file else load_settings()
    token = _settings.set(settings)
    ctx.call_on_close(lambda: _settings.reset(token))
    return settings


def invocation_settings() -> Settings:
    """The settings of the command that runs. A group of commands that is run without the rest of
    the command line loads them itself."""
    return _settings.get() or load_settings()
