"""V3, V6: everything that the scorebug of a clip says, from one search for text."""

from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.media.clock import ClockReading, find_regions, no_clock, read_clock
from footy_assets.media.clock_check import checked_clock
from footy_assets.media.decode import Still
from footy_assets.media.mirrored_text import mirrored, shows_mirrored_time
from footy_assets.media.ocr import TextReader, reading_failure, text_reader
from footy_assets.media.scorebug import read_scorebug
from footy_assets.media.scorebug_reading import NO_SCOREBUG, ScorebugReading


@dataclass(frozen=True, slots=True)
class ScreenText:
    clock: ClockReading
    scorebug: ScorebugReading = NO_SCOREBUG
    # The clip was mirrored, and all boxes are those of its stills mirrored back.
    mirrored: bool = False


def read_screen_text(stills: Sequence[Still], reader: TextReader | None = None) -> ScreenText:
    """Read the clock, the sides and the score. Detecting text is the expensive part: once. Never
    raises: the reasons say what could not be read."""
    try:
        reader = reader or text_reader()
        regions = find_regions(stills, reader) if stills else ()
        clock = checked_clock(read_clock(stills, reader, regions), stills)
        is_mirrored = not clock.minutes and shows_mirrored_time(stills, regions, reader)
        if is_mirrored:
            stills = mirrored(stills)
            regions = find_regions(stills, reader)
            clock = checked_clock(read_clock(stills, reader, regions), stills)
    except Exception as error:
        return ScreenText(no_clock(reading_failure("the text in the picture", error)))
    place = clock.region if clock.minutes or clock.stands_at is not None else None
    return ScreenText(clock, read_scorebug(stills, regions, place, reader), is_mirrored)
