"""P5: the operator and the reason of an HTTP request."""

from typing import Annotated

from fastapi import Body, Header

from footy_assets.gallery.services import AppServices
from footy_assets.operator_actions import OperatorAction
from footy_assets.store.audit import AuditLog

PRINTED = r"^[^\x00-\x1f\x7f]*$"
Who = Annotated[
    str | None,
    Header(
        alias="X-Footy-Who",
        max_length=80,
        pattern=PRINTED,
        description="Recorded in the audit log.",
    ),
]
NeededWhy = Annotated[str, Body(embed=True, min_length=1, max_length=500, pattern=PRINTED)]
Why = Annotated[str, Body(embed=True, max_length=500, pattern=PRINTED)]


def operator_action(services: AppServices, who: str | None, why: str) -> OperatorAction:
    operator = f"{_utf8(who)} (api)" if who else "api"
    return OperatorAction(AuditLog(services.database), services.clock, operator, why)


def _utf8(header: str) -> str:
    """ASGI decodes headers as Latin-1, but most clients send UTF-8."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header
