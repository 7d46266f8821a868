"""One decoding cell for all tests of a process: starting one takes longer than most of them."""

import atexit
from functools import cache

from footy_assets.media.cell import DecodingCell


@cache
def shared_cell() -> DecodingCell:
    cell = DecodingCell()
    atexit.register(cell.__exit__)
    return cell
