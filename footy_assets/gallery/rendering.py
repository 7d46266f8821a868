"""Renders pages from templates; all values are escaped."""

import hashlib
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from footy_assets.gallery import labels

STATIC = Path(__file__).with_name("static")


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("footy_assets.gallery"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["static"] = static_path
    made.filters |= {
        "long_date": long_date,
        "clock": lambda moment: f"{moment:%H:%M}",
        "duration": labels.format_duration,
        "position": labels.position_label,
        "megabytes": lambda size: f"{size / 1_000_000:.1f} MB",
    }
    made.globals["pluralize"] = labels.pluralize
    return made


def render(name: str, /, **context: Any) -> str:
    return environment().get_template(name).render(**context)


@cache
def static_path(name: str) -> str:
    """With a hash of its content, so that browsers may cache it until it changes."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def long_date(day: date | datetime) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
