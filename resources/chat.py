"""An OpenAI-compatible chat endpoint: strict replies, one queue and one budget for all processes.

What is asked, and what a failure is called, is its user's business.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

import httpx
from pydantic import BaseModel, Field, ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import Busy, FootyError
from footy_assets.progress import beat
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending

Reply = TypeVar("Reply", bound=BaseModel)


class Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    message: Message
    finish_reason: str | None = None


class Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class Completion(BaseModel):
    choices: list[Choice] = Field(min_length=1)
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens. Both are zero where the model is our own."""

    question: float = 0.0
    reply: float = 0.0

    def micro_usd(self, usage: Usage) -> int:
        return round(usage.prompt_tokens * self.question + usage.completion_tokens * self.reply)


@dataclass(frozen=True, slots=True)
class Failures:
    """The error classes of one user of a model."""

    unavailable: type[FootyError]
    refused: type[FootyError]
    invalid: type[FootyError]
    spent: type[FootyError]


class ChatClient:
    """Asks one model. Use as a context manager; a subclass says what for."""

    # Names the lease and the account.
    service: ClassVar[str]
    called: ClassVar[str]
    failures: ClassVar[Failures]
    # The most that one call may take: set aside before it is made.
    question_tokens: ClassVar[int]
    reply_tokens: ClassVar[int]
    retries: ClassVar[str]
    wait_for_a_slot: ClassVar[float]

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
        retry: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.model = model
        self._clock, self._leases, self._spending = clock, leases, spending
        self._cap, self._prices, self._at_once = cap, prices or Prices(), at_once
        self._retry, self._sleep = retry or RETRIES[self.retries], sleep
        self._client = httpx.Client(
            headers={"authorization": f"Bearer {key}"} if key else {},
            timeout=self._retry.timeout,
            verify=self.base_url.startswith("https"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def reply(self, content: Any, form: type[Reply], reply_format: dict[str, Any]) -> Reply:
        """The model's reply; nonsense is asked again, then given up."""
        return self._retry.run(
            lambda: self._ask_once(content, form, reply_format),
            lambda error: isinstance(error, FootyError) and error.retryable,
            self._sleep,
        )

    def _ask_once(self, content: Any, form: type[Reply], reply_format: dict[str, Any]) -> Reply:
        # P3: whoever waits for a whole clip hears of every call.
        beat()
        held = (self._retry.timeout or 0.0) + 10.0
        try:
            with self._leases.hold(
                self.service, slots=self._at_once, seconds=held, wait=self.wait_for_a_slot
            ):
                return self._paid(content, form, reply_format)
        except Busy as error:
            raise self.failures.unavailable(f"{self.called} is busy ({error})") from error

    def _paid(self, content: Any, form: type[Reply], reply_format: dict[str, Any]) -> Reply:
        today, most = self._clock.now().date(), self._most()
        if not self._spending.set_aside(today, most, self._cap):
            raise self.failures.spent(f"the day's budget for {self.called} is spent")
        completion = self._complete(content, reply_format)
        if completion.usage is not None:
            self._spending.settle(today, most, self._prices.micro_usd(completion.usage))
        return self._read(completion, form)

    def _most(self) -> int:
        return self._prices.micro_usd(
            Usage(prompt_tokens=self.question_tokens, completion_tokens=self.reply_tokens)
        )

    def _complete(self, content: Any, reply_format: dict[str, Any]) -> Completion:
        body = {
            "model": self.model,
            "temperature": 0,
            "max_tokens": self.reply_tokens,
            "response_format": reply_format,
            "messages": [{"role": "user", "content": content}],
        }
        try:
            response = self._client.post(f"{self.base_url}/chat/completions", json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise self.failures.unavailable(f"{self.called} at {self.base_url}: {why}") from error
        status = response.status_code
        if status == httpx.codes.TOO_MANY_REQUESTS or status >= 500:
            raise self.failures.unavailable(f"{self.called} answered {status}")
        if status != httpx.codes.OK:
            raise self.failures.refused(f"{self.called} refused the request ({status})")
        try:
            return Completion.model_validate_json(response.content)
        except ValidationError as error:
            raise self.failures.invalid(f"{self.called}'s answer is no chat completion") from error

    def _read(self, completion: Completion, form: type[Reply]) -> Reply:
        choice = completion.choices[0]
        if choice.message.refusal:
            raise self.failures.invalid(f"{self.called} declined to answer")
        if choice.finish_reason == "length":
            raise self.failures.invalid(f"{self.called}'s reply was cut off")
        try:
            return form.model_validate_json(choice.message.content or "")
        except ValidationError as error:
            raise self.failures.invalid(
                f"{self.called}'s reply is not the JSON asked for"
            ) from error
