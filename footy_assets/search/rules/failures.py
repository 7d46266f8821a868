"""The kinds of failed searches, by the names of their errors, as metrics count them."""

from footy_assets.errors import (
    BadInput,
    BinaryMissing,
    LoginLost,
    SiteAnswerInvalid,
    SiteRateLimited,
    SiteRefused,
    SiteUnavailable,
)

FAILURE_KINDS = frozenset(
    error.__name__
    for error in (
        SiteUnavailable,
        SiteRateLimited,
        SiteRefused,
        SiteAnswerInvalid,
        LoginLost,
        BinaryMissing,
        BadInput,
    )
)
