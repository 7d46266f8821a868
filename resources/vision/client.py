"""The vision endpoint's client: strict replies, one budget and one queue for all processes."""

import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import httpx
from pydantic import ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import (
    Busy,
    VisionAnswerInvalid,
    VisionBudgetSpent,
    VisionError,
    VisionRefused,
    VisionUnavailable,
)
from footy_assets.media.decode import Still
from footy_assets.media.opinion import FrameOpinion
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from resources.vision.models import QUESTION, REPLY_FORMAT, Completion, FrameReply, Usage

LEASE = "vision"
WAIT_FOR_A_SLOT = 120.0
FRAME_WIDTH = 768
REPLY_TOKENS = 120
# The question and one frame of 768 pixels: what models of the field count, rounded up.
QUESTION_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens. Both are zero where the model is our own."""

    question: float = 0.0
    reply: float = 0.0

    def micro_usd(self, usage: Usage) -> int:
        return round(usage.prompt_tokens * self.question + usage.completion_tokens * self.reply)

    @property
    def most(self) -> int:
        return self.micro_usd(Usage(prompt_tokens=QUESTION_TOKENS, completion_tokens=REPLY_TOKENS))


class VisionClient:
    """A `SecondOpinion`. Use as a context manager."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        clock: Clock,
        leases: Leases,
        spending: Spending,
        cap: Cap,
        prices: Prices | None = None,
        key: str | None = None,
        at_once: int = 2,
        retry: RetryPolicy = RETRIES["validation"],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.model = model
        self._clock, self._leases, self._spending = clock, leases, spending
        self._cap, self._prices, self._at_once = cap, prices or Prices(), at_once
        self._retry, self._sleep = retry, sleep
        self._client = httpx.Client(
            headers={"authorization": f"Bearer {key}"} if key else {},
            timeout=retry.timeout,
            verify=self.base_url.startswith("https"),
        )

    def __enter__(self) -> "VisionClient":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def ask(self, still: Still) -> FrameOpinion:
        """V4: what the model says about a frame; nonsense is asked again, then given up."""
        waits = self._retry.waits()
        for attempt in range(self._retry.attempts):
            try:
                reply = self._ask_once(still)
            except VisionError as error:
                if not error.retryable or attempt == len(waits):
                    raise
            else:
                clock = reply.clock.strip() if reply.clock else None
                return FrameOpinion(
                    self.model, reply.football, reply.filmed_off_screen, clock or None
                )
            self._sleep(waits[attempt])
        raise AssertionError("the last attempt returns or raises")

    def _ask_once(self, still: Still) -> FrameReply:
        held = (self._retry.timeout or 0.0) + 10.0
        try:
            with self._leases.hold(LEASE, slots=self._at_once, seconds=held, wait=WAIT_FOR_A_SLOT):
                return self._paid(still)
        except Busy as error:
            raise VisionUnavailable(f"the vision model is busy ({error})") from error

    def _paid(self, still: Still) -> FrameReply:
        today, most = self._clock.now().date(), self._prices.most
        if not self._spending.set_aside(today, most, self._cap):
            raise VisionBudgetSpent("the day's budget for the vision model is spent")
        completion = self._complete(still)
        if completion.usage is not None:
            self._spending.settle(today, most, self._prices.micro_usd(completion.usage))
        return _reply(completion)

    def _complete(self, still: Still) -> Completion:
        picture = b64encode(still.jpeg(FRAME_WIDTH)).decode()
        question = [
            {"type": "text", "text": QUESTION},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{picture}"}},
        ]
        body = {
            "model": self.model,
            "temperature": 0,
            "max_tokens": REPLY_TOKENS,
            "response_format": REPLY_FORMAT,
            "messages": [{"role": "user", "content": question}],
        }
        try:
            response = self._client.post(f"{self.base_url}/chat/completions", json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise VisionUnavailable(f"the vision model at {self.base_url}: {why}") from error
        return _completion(response)


def _completion(response: httpx.Response) -> Completion:
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= 500:
        raise VisionUnavailable(f"the vision model answered {status}")
    if status != httpx.codes.OK:
        raise VisionRefused(f"the vision model refused the request ({status})")
    try:
        return Completion.model_validate_json(response.content)
    except ValidationError as error:
        raise VisionAnswerInvalid("the vision model's answer is no chat completion") from error


def _reply(completion: Completion) -> FrameReply:
    choice = completion.choices[0]
    if choice.message.refusal:
        raise VisionAnswerInvalid("the vision model declined to answer")
    if choice.finish_reason == "length":
        raise VisionAnswerInvalid("the vision model's reply was cut off")
    try:
        return FrameReply.model_validate_json(choice.message.content or "")
    except ValidationError as error:
        raise VisionAnswerInvalid("the vision model's reply is not the JSON asked for") from error
