"""A vision model that answers questions about a frame."""

from base64 import b64encode

from footy_assets.errors import (
    VisionAnswerInvalid,
    VisionBudgetSpent,
    VisionRefused,
    VisionUnavailable,
)
from footy_assets.media.decode import Still
from footy_assets.media.vision_model import FrameAnswer
from resources.language_model.client import ChatClient, Failures, Prices
from resources.language_model.models import QUESTION, REPLY_FORMAT, FrameReply

__all__ = ["LEASE", "Prices", "VisionClient"]

LEASE = "vision"
FRAME_WIDTH = 768


class VisionClient(ChatClient):
    """A `VisionModel`. Use as a context manager."""

    service = LEASE
    display_name = "the vision model"
    failures = Failures(VisionUnavailable, VisionRefused, VisionAnswerInvalid, VisionBudgetSpent)
    # The question and a frame of 768 pixels in tokens, rounded up.
    question_tokens = 2_000
    reply_tokens = 120
    retries = "validation"
    wait_for_a_slot = 120.0

    def ask(self, still: Still) -> FrameAnswer:
        """V4: the model's answers about a frame; an invalid reply is retried, then an error."""
        picture = b64encode(still.jpeg(FRAME_WIDTH)).decode()
        question = [
            {"type": "text", "text": QUESTION},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{picture}"}},
        ]
        reply = self.reply(question, FrameReply, REPLY_FORMAT)
        clock = reply.clock.strip() if reply.clock else None
        return FrameAnswer(self.model, reply.football, reply.filmed_off_screen, clock or None)
