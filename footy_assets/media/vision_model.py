"""The interface to an optional vision model: `resources.language_model` implements it."""

from dataclasses import dataclass
from typing import Protocol

from footy_assets.media.decode import Still


@dataclass(frozen=True, slots=True)
class FrameAnswer:
    """A model's answers to V2's three questions about one frame.

    `judge` is the name of the model, `clock` the text of the clock as it stands in the frame.
    """

    judge: str
    football: bool
    filmed_off_screen: bool
    clock: str | None


class VisionModel(Protocol):
    def ask(self, still: Still) -> FrameAnswer:
        """Raises `VisionError` when the model gives no usable answer."""
        ...
