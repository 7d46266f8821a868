"""Checks of arguments that hold for every command."""

from collections.abc import Sequence
from pathlib import Path

from footy_assets.errors import BadInput

SHOWN_LETTERS = 60


def require_utf8(arguments: Sequence[str]) -> None:
    """Raises `BadInput` for an argument whose bytes are not UTF-8: no store and no terminal takes
    it, nor the half characters that Python makes of it."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            readable = shortened(argument.encode(errors="surrogateescape").decode(errors="replace"))
            raise BadInput(
                f"the argument {readable!r} is not UTF-8 text", "Write or rename it in UTF-8"
            ) from None


def usable_path(path: Path | None) -> Path | None:
    """The callback of an argument that names a file or folder, which need not exist."""
    try:
        if path is not None:
            path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise BadInput(f"{shortened(str(path))} cannot be used: {error.strerror}") from error
    return path


def usable_picture(path: Path | None) -> Path | None:
    """The same for a picture that is drawn."""
    if path is not None and path.suffix.lower() not in (".png", ".jpg"):
        raise BadInput(f"{path.name} is not an image file", "Use a name that ends with .png")
    return usable_path(path)


def usable_paths(paths: list[Path]) -> list[Path]:
    """The same for an argument that names several."""
    for path in paths:
        usable_path(path)
    return paths


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}…"
