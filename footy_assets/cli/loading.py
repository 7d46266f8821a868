"""Maps each command to its module, which is imported when the command runs.

Importing all of them loads OpenCV, yt-dlp, Playwright and more: two seconds of CPU before the
smallest command could start.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

COMMANDS = {
    **dict.fromkeys(("up", "worker", "demo", "doctor", "settings"), "runtime.commands"),
    **dict.fromkeys(("code-server", "daemon", "dagster-ui", "alive"), "runtime.commands"),
    **dict.fromkeys(("ingest", "poll", "fixtures", "line-ups", "events"), "matchday.commands"),
    **dict.fromkeys(("close", "audit"), "matchday.operator_commands"),
    **dict.fromkeys(("clips", "coverage", "explain", "search"), "clips.commands"),
    **dict.fromkeys(("revalidate", "rerank"), "clips.operator_commands"),
    **dict.fromkeys(("migrate", "backup", "restore"), "store.commands"),
    **dict.fromkeys(("aliases", "canary", "listen"), "search.commands"),
    **{"login": "search.login_commands", "web": "gallery.commands", "health": "providers.commands"},
}
GROUPS = {
    "clip": "clips.file_commands",
    "triggers": "triggers.commands",
    "follow": "triggers.follow_commands",
    "history": "history.commands",
    "sources": "providers.commands",
}


class LazyGroup(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]


class Commands(Mapping[str, Any]):
    """Every command by its name."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS and name not in GROUPS:
            raise KeyError(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*COMMANDS, *GROUPS))

    def __len__(self) -> int:
        return len(COMMANDS) + len(GROUPS)


@cache
def _load(name: str) -> Any:
    module = import_module(f"footy_assets.{COMMANDS.get(name) or GROUPS[name]}")
    alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if name in GROUPS:
        alone.add_typer(module.app)
    else:
        alone.command(name)(getattr(module, name.replace("-", "_")))
    return get_group(alone).commands[name]
