"""Every way this can fail: a name, when it happens, what to do, and whether a retry can heal it."""

from typing import ClassVar


class FootyError(Exception):
    """The root of all failures that are ours to explain. `fix` says what to do about it."""

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1
    default_fix: ClassVar[str] = ""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.fix = self.default_fix if fix is None else fix

    def sentence(self) -> str:
        return f"{str(self).rstrip('.')}. {self.fix}".rstrip(". ") + "."


class BadInput(FootyError):
    """Something a person typed or configured cannot be used as it is."""

    exit_code = 2


class NotFound(FootyError):
    """A fixture, event or file that was asked for by name is not known."""

    exit_code = 4


class AlreadyRunning(FootyError):
    """Another supervisor owns this home."""

    exit_code = 5


class Busy(FootyError):
    """What is done by one at a time is being done by another."""

    retryable = True
    exit_code = 5
    default_fix = "Try again when the other has finished"


class Stalled(FootyError):
    """P3: a step gave no sign of life for too long, and was ended."""

    retryable = True


class Unavailable(FootyError):
    """A server we depend on does not answer."""

    retryable = True
    exit_code = 3


class MongoUnavailable(Unavailable):
    """MongoDB does not answer, or refuses us."""

    default_fix = "Check FOOTY_MONGO_URI, or unset it to use the embedded server"


class S3Unavailable(Unavailable):
    """The S3 server does not answer, or refuses us."""

    default_fix = "Check FOOTY_S3_ENDPOINT_URL and its keys, or unset it to use the embedded server"


class DagsterUnavailable(Unavailable):
    """Dagster's webserver does not answer, or does not take what is asked of it."""

    default_fix = "Start it with `footy up`, or use the command of the same name"


class BinaryMissing(FootyError):
    """An embedded server's program is not on this machine."""

    exit_code = 3


class ProviderError(FootyError):
    """The football provider did not give a usable answer."""

    exit_code = 3


class ProviderUnavailable(ProviderError):
    """No answer, a time-out, or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_API_FOOTBALL_URL and the network; polling goes on by itself"


class ProviderRateLimited(ProviderError):
    """Too many requests in this minute (HTTP 429, or the same said in `errors`)."""

    retryable = True
    default_fix = "Wait a minute; polling slows down by itself"


class ProviderQuotaExhausted(ProviderError):
    """The day's requests are used up."""

    default_fix = "Wait for 00:00 UTC or raise the plan"


class ProviderRefused(ProviderError):
    """The key is missing, wrong or suspended, or the request is not allowed."""

    default_fix = "Set FOOTY_API_FOOTBALL_KEY to a valid key"


class ProviderAnswerInvalid(ProviderError):
    """The answer came but is not what the API documents."""


class ProviderKnowsNone(ProviderError):
    """The provider says that it has no such league or season."""

    exit_code = 4


class VisionError(FootyError):
    """The vision model gave no usable opinion."""

    exit_code = 3


class VisionUnavailable(VisionError):
    """No answer, a time-out, a 429 or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_VISION_URL, or unset it to judge without a model"


class VisionRefused(VisionError):
    """The key is missing or wrong, or the model is not known there."""

    default_fix = "Check FOOTY_VISION_KEY and FOOTY_VISION_MODEL"


class VisionAnswerInvalid(VisionError):
    """The model answered something that is not the JSON that was asked for."""

    retryable = True


class VisionBudgetSpent(VisionError):
    """The day's cap on calls or money is reached."""

    default_fix = "Raise FOOTY_VISION_CALLS_PER_DAY or FOOTY_VISION_USD_PER_DAY, or wait a day"


class WikidataError(FootyError):
    """Wikidata gave no usable answer."""

    exit_code = 3


class WikidataUnavailable(WikidataError):
    """No answer, a time-out, too many requests, or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_WIKIDATA_URL and the network; known names serve meanwhile"


class WikidataRefused(WikidataError):
    """The request is not allowed: Wikimedia turns away clients that break its policies."""

    default_fix = "Check FOOTY_WIKIDATA_URL and FOOTY_WIKIDATA_CONTACT"


class WikidataAnswerInvalid(WikidataError):
    """The answer came but is not what the API documents."""


class PickerError(FootyError):
    """The language model gave no usable choice of a team's names."""

    exit_code = 3


class PickerUnavailable(PickerError):
    """No answer, a time-out, a 429 or a 5xx."""

    retryable = True
    default_fix = "Check FOOTY_ALIAS_LLM_URL, or unset it to rank without a model"


class PickerRefused(PickerError):
    """The key is missing or wrong, or the model is not known there."""

    default_fix = "Check FOOTY_ALIAS_LLM_KEY and FOOTY_ALIAS_LLM_MODEL"


class PickerAnswerInvalid(PickerError):
    """The model answered something that is not a choice among the words given."""

    retryable = True


class PickerBudgetSpent(PickerError):
    """The day's cap on calls is reached."""

    default_fix = "Raise FOOTY_ALIAS_LLM_CALLS_PER_DAY, or wait a day"


class SourceError(FootyError):
    """A place where fans post could not be searched."""

    exit_code = 3


class SourceUnavailable(SourceError):
    """No answer, a time-out, a 5xx, or a page that does not come up."""

    retryable = True


class SourceRateLimited(SourceError):
    """Too many searches for this source."""

    retryable = True
    default_fix = "Wait; the next attempt comes by itself"


class SourceRefused(SourceError):
    """The source does not let us search at all (403): not a matter of waiting a little."""


class LoginLost(SourceError):
    """The source wants a login, and ours is missing or has ended."""

    default_fix = "Run `footy login x` and log in by hand, or renew FOOTY_X_COOKIES_FILE"


class SourceAnswerInvalid(SourceError):
    """The source answered something that we do not understand: its format may have changed."""


class DownloadFailed(FootyError):
    """A video could not be fetched. `cause` is the class it is stored under (D1)."""

    exit_code = 3

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class DownloadUnavailable(DownloadFailed):
    """A failure that may heal: a time-out, a dropped connection, a 5xx, a full disk."""

    retryable = True
