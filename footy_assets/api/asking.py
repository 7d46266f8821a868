"""P5: who asks for something over HTTP, and why."""

from typing import Annotated

from fastapi import Body, Header

from footy_assets.api.parts import Parts
from footy_assets.operations.by_hand import ByHand
from footy_assets.store.audit import AuditLog

NOT_TOLD = "not told"
PRINTED = r"^[^\x00-\x1f\x7f]*$"
Who = Annotated[
    str | None,
    Header(alias="X-Footy-Who", max_length=80, pattern=PRINTED, description="Kept in the audit."),
]
NeededWhy = Annotated[str, Body(embed=True, min_length=1, max_length=500, pattern=PRINTED)]
Why = Annotated[str, Body(embed=True, max_length=500, pattern=PRINTED)]


def asked(parts: Parts, who: str | None, why: str) -> ByHand:
    asker = f"{_utf8(who)} (api)" if who else "api"
    return ByHand(AuditLog(parts.database), parts.clock, asker, why)


def _utf8(header: str) -> str:
    """Headers come as Latin-1, and are mostly meant as UTF-8."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header
