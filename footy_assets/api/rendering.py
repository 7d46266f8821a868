"""Pages from templates; everything that goes into one is escaped."""

import hashlib
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from footy_assets.api import words

STATIC = Path(__file__).with_name("static")


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("footy_assets.api"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["static"] = static_path
    made.filters |= {
        "longday": longday,
        "clock": lambda moment: f"{moment:%H:%M}",
        "lasting": words.lasting,
        "megabytes": lambda size: f"{size / 1_000_000:.1f} MB",
    }
    made.globals["counted"] = words.counted
    return made


def render(name: str, /, **told: Any) -> str:
    return environment().get_template(name).render(**told)


@cache
def static_path(name: str) -> str:
    """With a mark of its content, so that browsers may keep it until it changes."""
    mark = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={mark}"


def longday(day: date | datetime) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
