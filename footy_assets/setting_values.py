"""Checks of single settings: what pydantic's types do not say."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import StringConstraints

from footy_assets.clip_host_name import ClipHostName
from footy_assets.parsing import LARGEST_INTEGER

# The name of a provider in the providers file, and ESPN's name of a competition.
ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_-]+$")]
LeagueSlug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(\.[a-z0-9_]+)+$")]

YEAR_DAYS = 366
YEAR_HOURS = YEAR_DAYS * 24.0
YEAR_MINUTES = YEAR_HOURS * 60
YEAR_SECONDS = YEAR_MINUTES * 60


# Polls that count towards stable are this far apart.
MIN_CONFIRM_SECONDS = 10.0


def off_or_apart(seconds: float) -> float:
    if 0 < seconds < MIN_CONFIRM_SECONDS:
        raise ValueError(f"it is at least {MIN_CONFIRM_SECONDS:g}, or 0 for off")
    return seconds


def absolute_path(value: Path) -> Path:
    try:
        return value.expanduser().absolute()
    except RuntimeError:
        raise ValueError(f"there is no user {value.parts[0].removeprefix('~')}") from None


def http_url(value: str) -> str:
    return _url(value, "http", "https")


def postgres_url(value: str) -> str:
    return _url(value, "postgresql", "postgres")


def broker_url(value: str) -> str:
    return _url(value, "amqp", "amqps")


def websocket_url(value: str) -> str:
    return _url(value, "ws", "wss")


def _url(value: str, *schemes: str) -> str:
    try:
        parts = urlsplit(value)
        valid = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        starts = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ValueError(f"it is not a URL that starts with {starts} and has a host")
    return value


def clip_host(value: str) -> str:
    """`domain`, or `domain=name` of a host whose pages it has."""
    domain, given, name = value.lower().partition("=")
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", domain):
        raise ValueError(f"{value} is not a domain, such as streamin.link")
    if given and name not in set(ClipHostName):
        raise ValueError(f"{name} is not a host of clips; choose from {', '.join(ClipHostName)}")
    return f"{domain}{given}{name}"


def telegram_channel(value: str) -> str:
    """A channel's name: as it is, with an @, or in its address."""
    name = re.sub(r"^(?:https?://)?(?:www\.)?t\.me/(?:s/)?|^@", "", value.strip()).rstrip("/")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{3,31}", name):
        raise ValueError(f"{value} is not a public channel, such as t.me/name")
    return name


def header_text(value: str) -> str:
    """Text that is sent in an HTTP header. The message does not show it: it may be a secret."""
    if not (value.isascii() and value.isprintable()):
        raise ValueError("it has letters that an HTTP header cannot carry; copy it again")
    return value


def stored_integers(values: Iterable[object]) -> None:
    for value in values:
        if isinstance(value, int) and value > LARGEST_INTEGER:
            raise ValueError(f"ids end at {LARGEST_INTEGER}")


def not_utf8(prefix: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The first variable with this prefix that is not UTF-8 text."""
    for name, value in environment.items():
        if name.upper().startswith(prefix):
            try:
                value.encode()
            except UnicodeEncodeError:
                return name
    return None
