"""The vision endpoint's client: what the model says about a frame."""

from base64 import b64encode

from footy_assets.errors import (
    VisionAnswerInvalid,
    VisionBudgetSpent,
    VisionRefused,
    VisionUnavailable,
)
from footy_assets.media.decode import Still
from footy_assets.media.opinion import FrameOpinion
from resources.chat import ChatClient, Failures, Prices
from resources.vision.models import QUESTION, REPLY_FORMAT, FrameReply

__all__ = ["LEASE", "Prices", "VisionClient"]

LEASE = "vision"
FRAME_WIDTH = 768


class VisionClient(ChatClient):
    """A `SecondOpinion`. Use as a context manager."""

    service = LEASE
    called = "the vision model"
    failures = Failures(VisionUnavailable, VisionRefused, VisionAnswerInvalid, VisionBudgetSpent)
    # The question and one frame of 768 pixels: what models of the field count, rounded up.
    question_tokens = 2_000
    reply_tokens = 120
    retries = "validation"
    wait_for_a_slot = 120.0

    def ask(self, still: Still) -> FrameOpinion:
        """V4: what the model says about a frame; nonsense is asked again, then given up."""
        picture = b64encode(still.jpeg(FRAME_WIDTH)).decode()
        question = [
            {"type": "text", "text": QUESTION},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{picture}"}},
        ]
        reply = self.reply(question, FrameReply, REPLY_FORMAT)
        clock = reply.clock.strip() if reply.clock else None
        return FrameOpinion(self.model, reply.football, reply.filmed_off_screen, clock or None)
