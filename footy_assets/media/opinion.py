"""What another judge says about one frame. The engine defines the question, not who answers it."""

from dataclasses import dataclass
from typing import Protocol

from footy_assets.media.decode import Still


@dataclass(frozen=True, slots=True)
class FrameOpinion:
    """V2's three questions, answered for one frame. `clock` is the text as it stands there."""

    judge: str
    football: bool
    filmed_off_screen: bool
    clock: str | None


class SecondOpinion(Protocol):
    def ask(self, still: Still) -> FrameOpinion:
        """Raises `VisionError` when no usable opinion is to be had."""
        ...
