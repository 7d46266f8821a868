"""Which bytes of a file a request wants (RFC 9110, section 14)."""

import re
from dataclasses import dataclass

BYTES = "bytes="
ONE_RANGE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")


class Unsatisfiable(Exception):
    """The range is malformed, or lies beyond the end."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def wanted_range(header: str | None, size: int) -> ByteRange | None:
    """The requested range; None for the whole file.

    Other units and lists of ranges are ignored, as the RFC allows: no player asks for them, and a
    list could make us send the same bytes many times.
    """
    if header is None or not header.startswith(BYTES) or "," in header:
        return None
    found = ONE_RANGE.fullmatch(header.removeprefix(BYTES).strip())
    if found is None or found[0] == "-":
        raise Unsatisfiable
    first, last = found.groups()
    if not first:
        length = min(int(last), size)
        wanted = ByteRange(size - length, size - 1)
    else:
        wanted = ByteRange(int(first), min(int(last), size - 1) if last else size - 1)
        if last and int(last) < int(first):
            raise Unsatisfiable
    if wanted.first > wanted.last or wanted.first >= size:
        raise Unsatisfiable
    return wanted
