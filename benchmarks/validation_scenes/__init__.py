"""Films for training and testing validation: panning photographs, drawn scenes, filmed screens.

A seed gives the same film. The parameters vary widely on purpose: a model that learns the constants
of one renderer knows nothing about real phones.
"""

from collections.abc import Callable, Iterator

from benchmarks.validation_scenes.green import billiards, forest, golf, meadow, tennis
from benchmarks.validation_scenes.other import computer_game, crowd, slate, talking_head
from benchmarks.validation_scenes.pitch import drawn_pitch
from benchmarks.validation_scenes.screen_recording import (
    HAND_HELD,
    SCREEN_STYLES,
    ScreenStyle,
    record_off_screen,
)
from benchmarks.validation_scenes.video import Picture, frames_of, pan_photo, write_film

__all__ = [
    "HAND_HELD",
    "NOT_FOOTBALL",
    "SCREEN_STYLES",
    "Picture",
    "ScreenStyle",
    "drawn_pitch",
    "frames_of",
    "pan_photo",
    "record_off_screen",
    "write_film",
]

NOT_FOOTBALL: dict[str, Callable[[int], Iterator[Picture]]] = {
    "meadow": meadow,
    "forest": forest,
    "golf": golf,
    "tennis": tennis,
    "billiards": billiards,
    "talking_head": talking_head,
    "computer_game": computer_game,
    "crowd": crowd,
    "slate": slate,
}
