"""The question to the vision model and the schema of its reply."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

QUESTION = """\
You see one frame of a short video from social media. Answer three questions as JSON.
football: does it show an association football (soccer) match, or a replay of one?
filmed_off_screen: was a television or monitor filmed with a camera (bezel, tilted picture, moire, \
reflections, a room around it)? A clean recording with captions or borders is not.
clock: the match clock exactly as written in the scoreboard graphic, with its added time if shown \
(as 23:41, 45:00 +2:13, 90+4:58, 2H 12:30), or null if none can be read with certainty."""


class FrameReply(BaseModel):
    """The model's reply; anything else is invalid."""

    model_config = ConfigDict(extra="forbid", strict=True)

    football: bool
    filmed_off_screen: bool
    clock: str | None = Field(max_length=40)


REPLY_FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "frame",
        "strict": True,
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["football", "filmed_off_screen", "clock"],
            "properties": {
                "football": {"type": "boolean"},
                "filmed_off_screen": {"type": "boolean"},
                "clock": {"type": ["string", "null"]},
            },
        },
    },
}
