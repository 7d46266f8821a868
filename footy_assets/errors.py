"""All errors: when each happens, what to do about it, and whether a retry can help."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar


class FootyError(Exception):
    """Base of all expected errors. `fix` says what to do about it."""

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1
    default_fix: ClassVar[str] = ""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.fix = self.default_fix if fix is None else fix

    def sentence(self) -> str:
        return f"{str(self).rstrip('.')}. {self.fix}".rstrip(". ") + "."


def is_retryable(error: BaseException) -> bool:
    return isinstance(error, FootyError) and error.retryable


class BadInput(FootyError):
    """Invalid input: an argument, a setting or a file."""

    exit_code = 2


class NotFound(FootyError):
    """The requested fixture, event or file does not exist."""

    exit_code = 4


class AlreadyRunning(FootyError):
    """Another supervisor runs in this FOOTY_HOME."""

    exit_code = 5


class Busy(FootyError):
    """Another process holds the lease for this work."""

    retryable = True
    exit_code = 5
    default_fix = "Try again when the other process has finished"


class Stalled(FootyError):
    """P3: a step was ended because it reported no progress."""

    retryable = True


class Unavailable(FootyError):
    """A required server does not answer."""

    retryable = True
    exit_code = 3


class MongoUnavailable(Unavailable):
    """MongoDB does not answer, or refuses the connection."""

    default_fix = "Check FOOTY_MONGO_URI, or unset it to use the embedded server"


class S3Unavailable(Unavailable):
    """The S3 server does not answer, or refuses the request."""

    default_fix = "Check FOOTY_S3_ENDPOINT_URL and its keys, or unset it to use the embedded server"


class SchemaTooOld(FootyError):
    """The database is as an older version wrote it."""

    default_fix = "Stop everything that uses it, then run `footy migrate`; `footy up` does so too"


class SchemaTooNew(FootyError):
    """A newer version has written to the database: this one would misread it."""

    default_fix = (
        "Install the version that wrote it or a newer one, or restore a backup of before the "
        "upgrade with `footy restore`"
    )


class RestoreUnfinished(FootyError):
    """A restore into this database has not come to its end."""

    default_fix = "Run the same `footy restore` again: it starts anew"


class BackupUnusable(FootyError):
    """A folder is no finished backup, or its files are not as they were written."""

    default_fix = "Use another backup"


class DatabaseNotEmpty(FootyError):
    """A restore would replace documents."""

    exit_code = 2
    default_fix = (
        "Name an empty database with FOOTY_MONGO_DATABASE, or replace all its documents with "
        "`footy restore --force`"
    )


class DagsterUnavailable(Unavailable):
    """The Dagster webserver does not answer, or refuses the request."""

    default_fix = "Start it with `footy up`, or use the command of the same name"


class BinaryMissing(FootyError):
    """The binary of an embedded server is not installed."""

    exit_code = 3


class ProviderError(FootyError):
    """A football provider gave no usable answer."""

    exit_code = 3
    # Set if the provider must be left alone until then.
    ask_again_at: datetime | None = None


class ProviderUnavailable(ProviderError):
    """No answer, a timeout, or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_API_FOOTBALL_URL and the network; polling continues"


class ProviderRateLimited(ProviderError):
    """Too many requests this minute (HTTP 429, or an entry in `errors`)."""

    retryable = True
    default_fix = "Wait a minute; polling slows down automatically"


class ProviderQuotaExhausted(ProviderError):
    """The daily quota is used up."""

    default_fix = "Wait until 00:00 UTC, or upgrade your plan"


class ProviderRefused(ProviderError):
    """The key is missing, wrong or suspended, or the request is not allowed."""

    default_fix = "Set FOOTY_API_FOOTBALL_KEY to a valid key"


class ProviderPlanLimited(ProviderRefused):
    """The plan of the key does not include the request."""

    default_fix = "Upgrade the plan of your key; `footy doctor` says what it includes"


class ProviderSwitchedOff(ProviderError):
    """An operator has switched the provider off; the message says how to switch it on."""


class ProviderAnswerInvalid(ProviderError):
    """The answer does not follow the API's documentation."""


class ProviderKnowsNone(ProviderError):
    """The provider has no such league or season."""

    exit_code = 4


class VisionError(FootyError):
    """The vision model gave no usable answer."""

    exit_code = 3


class VisionUnavailable(VisionError):
    """No answer, a timeout, a 429 or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_VISION_URL, or unset it to validate without a model"


class VisionRefused(VisionError):
    """The key is missing or wrong, or the endpoint has no such model."""

    default_fix = "Check FOOTY_VISION_KEY and FOOTY_VISION_MODEL"


class VisionAnswerInvalid(VisionError):
    """The model's answer is not the requested JSON."""

    retryable = True


class VisionBudgetSpent(VisionError):
    """The daily limit on calls or cost is reached."""

    default_fix = "Raise FOOTY_VISION_CALLS_PER_DAY or FOOTY_VISION_USD_PER_DAY, or wait a day"


class WikidataError(FootyError):
    """Wikidata gave no usable answer."""

    exit_code = 3


class WikidataUnavailable(WikidataError):
    """No answer, a timeout, too many requests, or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_WIKIDATA_URL and the network; cached names are used meanwhile"


class WikidataRefused(WikidataError):
    """The request is not allowed: Wikimedia blocks clients that break its policies."""

    default_fix = "Check FOOTY_WIKIDATA_URL and FOOTY_WIKIDATA_CONTACT"


class WikidataAnswerInvalid(WikidataError):
    """The answer does not follow the API's documentation."""


class PickerError(FootyError):
    """The language model gave no usable choice of team names."""

    exit_code = 3


class PickerUnavailable(PickerError):
    """No answer, a timeout, a 429 or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_ALIAS_LLM_URL, or unset it to rank without a model"


class PickerRefused(PickerError):
    """The key is missing or wrong, or the endpoint has no such model."""

    default_fix = "Check FOOTY_ALIAS_LLM_KEY and FOOTY_ALIAS_LLM_MODEL"


class PickerAnswerInvalid(PickerError):
    """The model's answer is not a choice among the given words."""

    retryable = True


class PickerBudgetSpent(PickerError):
    """The daily limit on calls is reached."""

    default_fix = "Raise FOOTY_ALIAS_LLM_CALLS_PER_DAY, or wait a day"


class SiteError(FootyError):
    """A site could not be searched."""

    exit_code = 3


class SiteUnavailable(SiteError):
    """No answer, a timeout, a 5xx, or a page that does not load."""

    retryable = True


class SiteRateLimited(SiteError):
    """Too many requests to this site."""

    retryable = True
    default_fix = "Wait; the next attempt runs automatically"


class SiteRefused(SiteError):
    """The site refuses searches (403); waiting does not help."""


class LoginLost(SiteError):
    """The site requires a login, and ours is missing or has expired."""

    default_fix = "Run `footy login x` and log in by hand, or renew FOOTY_X_COOKIES_FILE"


class ChannelNotReadable(SiteError):
    """A listed channel has no public preview, or none is listed."""

    default_fix = (
        "Open https://t.me/s/CHANNEL in a browser; if it shows no messages, take the channel out "
        "of FOOTY_TELEGRAM_CHANNELS"
    )


class SiteAnswerInvalid(SiteError):
    """The site's answer cannot be read: its format may have changed."""


class AddressNotPublic(FootyError, OSError):
    """A URL from outside leads to this machine or its network. Not retried: it may be an attack."""


class DeliveryFailed(FootyError):
    """A subscriber did not accept a notification; the outbox retries it (T12)."""

    retryable = True


class DownloadCause(StrEnum):
    """D1, D5: why a download failed, as stored with the video."""

    GEO_BLOCKED = "geo_blocked"
    # Its file is gone.
    REMOVED = "removed"
    PRIVATE = "private"
    # Its post is gone, its author's account is suspended, or it is shown to adults only.
    DELETED = "deleted"
    SUSPENDED = "suspended"
    AGE_RESTRICTED = "age_restricted"
    # It leads to a host that is not a site's, or to this machine or its network.
    FORBIDDEN = "forbidden_address"
    NO_VIDEO = "no_video"
    TOO_LARGE = "too_large"
    TIMED_OUT = "timed_out"
    DISK_FULL = "disk_full"
    # Its site's answer, playlist or keys broke the downloader.
    UNREADABLE = "unreadable"
    UNAVAILABLE = "unavailable"


class DownloadFailed(FootyError):
    """A video could not be downloaded. `cause` is stored with it (D1)."""

    exit_code = 3

    def __init__(self, message: str, cause: DownloadCause) -> None:
        super().__init__(message)
        self.cause = cause


class DownloadUnavailable(DownloadFailed):
    """A download error that may heal: a timeout, a dropped connection, a 5xx, a full disk."""

    retryable = True
