"""Which module holds a command. It is loaded when the command is asked for.

All of them together load OpenCV, yt-dlp, Playwright and more: two seconds of a core before the
least of them could begin.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

PLACES = {
    **dict.fromkeys(("up", "demo", "doctor", "settings"), "running"),
    **{"web": "web", "health": "sources", "login": "logins"},
    **dict.fromkeys(("ingest", "poll", "fixtures", "events"), "matchdays"),
    **{"aliases": "aliases", "close": "audit", "audit": "audit"},
    **dict.fromkeys(("search", "explain", "clips"), "goals"),
    **dict.fromkeys(("revalidate", "rerank"), "by_hand"),
}
GROUPS = {"clip": "clips", "triggers": "triggers", "history": "history", "sources": "sources"}


class LoadedWhenAsked(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]


class Commands(Mapping[str, Any]):
    """Every command by its name."""

    def __getitem__(self, name: str) -> Any:
        if name not in PLACES and name not in GROUPS:
            raise KeyError(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*PLACES, *GROUPS))

    def __len__(self) -> int:
        return len(PLACES) + len(GROUPS)


@cache
def _load(name: str) -> Any:
    module = import_module(f"footy_assets.cli.{PLACES.get(name) or GROUPS[name]}")
    alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if name in GROUPS:
        alone.add_typer(module.app)
    else:
        alone.command(name)(getattr(module, name))
    return get_group(alone).commands[name]
