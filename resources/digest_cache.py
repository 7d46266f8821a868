"""A cache for functions of large contents."""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from threading import Lock
from typing import TypeVar

Result = TypeVar("Result")


def cached_by_digest(
    maxsize: int,
) -> Callable[[Callable[[bytes], Result]], Callable[[bytes], Result]]:
    """Like `lru_cache`, but keeps the SHA-256 of a content only, and not the content."""

    def decorate(function: Callable[[bytes], Result]) -> Callable[[bytes], Result]:
        kept: dict[bytes, tuple[Result]] = {}
        turn = Lock()

        @wraps(function)
        def cached(content: bytes) -> Result:
            digest = sha256(content).digest()
            found = kept.get(digest) or (function(content),)
            with turn:
                # The least recently used is the first.
                kept.pop(digest, None)
                kept[digest] = found
                if len(kept) > maxsize:
                    kept.pop(next(iter(kept)))
            return found[0]

        return cached

    return decorate
