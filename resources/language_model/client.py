"""An OpenAI-compatible chat endpoint: strict replies, one queue and one budget for all processes.

Subclasses define the question, the reply and the error classes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import httpx
from pydantic import BaseModel, Field, ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import Busy, FootyError
from footy_assets.progress import heartbeat
from footy_assets.retries import RETRIES, RetryPolicy
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from resources.answers import send_bounded
from resources.tls import verify_for

Reply = TypeVar("Reply", bound=BaseModel)


class Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class CompletionChoice(BaseModel):
    message: Message
    finish_reason: str | None = None


class Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class Completion(BaseModel):
    choices: list[CompletionChoice] = Field(min_length=1)
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens; zero for a self-hosted model."""

    question: float = 0.0
    reply: float = 0.0

    def micro_usd(self, usage: Usage) -> int:
        return round(usage.prompt_tokens * self.question + usage.completion_tokens * self.reply)


@dataclass(frozen=True, slots=True)
class Failures:
    """The error classes of a subclass."""

    unavailable: type[FootyError]
    refused: type[FootyError]
    invalid: type[FootyError]
    spent: type[FootyError]


class ChatClient:
    """A client of one model. Use as a context manager."""

    # Name of the lease and of the budget.
    service: ClassVar[str]
    display_name: ClassVar[str]
    failures: ClassVar[Failures]
    # The maximum of one call, reserved in the budget before it.
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
            verify=verify_for(self.base_url),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def reply(self, content: Any, schema: type[Reply], reply_format: dict[str, Any]) -> Reply:
        """The model's reply; an invalid one is retried, then an error."""
        return self._retry.retrying(self._sleep)(
            lambda: self._reply_once(content, schema, reply_format)
        )

    def _reply_once(self, content: Any, schema: type[Reply], reply_format: dict[str, Any]) -> Reply:
        # P3: each call counts as progress of the clip.
        heartbeat()
        held = (self._retry.timeout or 0.0) + 10.0
        try:
            with self._leases.hold(
                self.service, slots=self._at_once, seconds=held, wait=self.wait_for_a_slot
            ):
                return self._reply_within_budget(content, schema, reply_format)
        except Busy as error:
            raise self.failures.unavailable(f"{self.display_name} is busy ({error})") from error

    def _reply_within_budget(
        self, content: Any, schema: type[Reply], reply_format: dict[str, Any]
    ) -> Reply:
        today, reserved = self._clock.now().date(), self._max_cost()
        if not self._spending.reserve(today, reserved, self._cap):
            raise self.failures.spent(f"the day's budget for {self.display_name} is spent")
        completion = self._complete(content, reply_format)
        if completion.usage is not None:
            self._spending.record_cost(today, reserved, self._prices.micro_usd(completion.usage))
        return self._parse(completion, schema)

    def _max_cost(self) -> int:
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
            url = f"{self.base_url}/chat/completions"
            response = send_bounded(self._client, "POST", url, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise self.failures.unavailable(
                f"{self.display_name} at {self.base_url}: {why}"
            ) from error
        status = response.status_code
        if status == httpx.codes.TOO_MANY_REQUESTS or status >= 500:
            raise self.failures.unavailable(f"{self.display_name} answered {status}")
        if status != httpx.codes.OK:
            raise self.failures.refused(f"{self.display_name} refused the request ({status})")
        try:
            return Completion.model_validate_json(response.content)
        except ValidationError as error:
            raise self.failures.invalid(
                f"{self.display_name}'s answer is no chat completion"
            ) from error

    def _parse(self, completion: Completion, schema: type[Reply]) -> Reply:
        choice = completion.choices[0]
        if choice.message.refusal:
            raise self.failures.invalid(f"{self.display_name} declined to answer")
        if choice.finish_reason == "length":
            raise self.failures.invalid(f"{self.display_name}'s reply was cut off")
        try:
            return schema.model_validate_json(choice.message.content or "")
        except ValidationError as error:
            raise self.failures.invalid(
                f"{self.display_name}'s reply is not the expected JSON"
            ) from error
