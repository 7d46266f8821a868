"""V3, V6: everything that the scorebug of a clip says, from one search for text."""

from collections.abc import Sequence
from dataclasses import dataclass

from footy_assets.media.clock import ClockReading, find_regions, no_clock, read_clock
from footy_assets.media.clock_check import checked_clock
from footy_assets.media.decode import Still
from footy_assets.media.mirrored_text import mirrored, shows_mirrored_time
from footy_assets.media.ocr import OcrText, TextReader, reading_failure, text_reader
from footy_assets.media.scorebug import read_scorebug
from footy_assets.media.scorebug_reading import NO_SCOREBUG, ScorebugReading
from footy_assets.media.text_regions import TextRegion, are_adjacent


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
    return _with_scorebug(clock, stills, regions, reader, is_mirrored=is_mirrored)


def _with_scorebug(
    clock: ClockReading,
    stills: Sequence[Still],
    regions: Sequence[TextRegion],
    reader: TextReader,
    *,
    is_mirrored: bool,
) -> ScreenText:
    place = clock.region if clock.minutes or clock.stands_at is not None else None
    read_at = {frame.seconds for frame in clock.frames if frame.match_seconds is not None}
    bug = read_scorebug(stills, regions, place, reader, read_at)
    if place is None and bug.names and (seen := _times_beside(bug)):
        # The closer look at the scorebug shows a clock that the search did not.
        found = checked_clock(read_clock(stills, reader, seen), stills)
        clock = found if found.minutes else clock
    return ScreenText(clock, bug, is_mirrored)


def _times_beside(bug: ScorebugReading) -> list[TextRegion]:
    """The texts around the names in which a time was read."""
    regions = (TextRegion(cell.box, (OcrText(cell.text, cell.confidence),)) for cell in bug.cells)
    return [
        region
        for region in regions
        if region.shows_clear_time and bug.box is not None and are_adjacent(region.box, bug.box)
    ]
