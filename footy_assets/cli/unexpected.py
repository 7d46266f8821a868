"""What a user sees of an error that nobody expected: one sentence, and where the details are."""

import os
import sys
import traceback
from pathlib import Path

from footy_assets.cli.invocation import invocation_settings
from footy_assets.clock import SystemClock
from footy_assets.errors import FootyError

LOG = Path("logs") / "errors.log"


def report_unexpected(error: Exception, debug: bool) -> str:
    """Returns the sentence. The traceback goes to stderr with `--debug`, else to the log file."""
    name = f"an unexpected error ({type(error).__name__})"
    details = "".join(traceback.format_exception(error))
    if debug:
        sys.stderr.write(details)
        return f"{name}. This is a bug; the details are above."
    try:
        path = invocation_settings().home / LOG
        _append(path, f"{SystemClock().now().isoformat()} {details}\n")
    except (OSError, FootyError):
        return f"{name}. This is a bug; `footy --debug …` shows the details."
    return f"{name}. This is a bug; the details are in {path}."


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
