"""A vision model on a socket: the OpenAI chat protocol, with opinions that a test dictates."""

import asyncio
import json
from base64 import b64decode
from dataclasses import dataclass, field
from threading import Lock
from types import TracebackType
from typing import Any, Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from footy_assets.sim.loopback import Loopback

Nonsense = Literal[
    "prose",
    "fenced",
    "extra_field",
    "wrong_type",
    "missing_field",
    "cut_off",
    "refusal",
    "no_choices",
    "empty",
    "html",
]

FOOTBALL: dict[str, Any] = {"football": True, "filmed_off_screen": False, "clock": None}


@dataclass(frozen=True)
class Asked:
    """One request as it arrived: what was asked, by whom, and the JPEG that came along."""

    model: str
    body: dict[str, Any]
    authorization: str | None
    picture: bytes


@dataclass
class VisionServer:
    """Answers `says` to every frame. `spoil` spoils the next answers, `fail` refuses them."""

    says: dict[str, Any] = field(default_factory=lambda: dict(FOOTBALL))
    key: str | None = None
    seconds: float = 0.0
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 900, "completion_tokens": 24}
    )
    asked: list[Asked] = field(default_factory=list)
    busiest: int = 0
    _spoiled: list[Nonsense | int] = field(default_factory=list)
    _busy: int = 0
    _lock: Lock = field(default_factory=Lock)
    _running: Loopback | None = None

    @property
    def url(self) -> str:
        if self._running is None:
            raise RuntimeError("the server has no port until it has started")
        host, port = self._running.address
        return f"http://{host}:{port}/v1"

    def spoil(self, *with_: Nonsense | int) -> None:
        """The next answers are nonsense of these kinds, or HTTP errors of these numbers."""
        self._spoiled += with_

    def __enter__(self) -> "VisionServer":
        routes = [Route("/v1/chat/completions", self._complete, methods=["POST"])]
        self._running = Loopback(Starlette(routes=routes), ("127.0.0.1", 0))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        authorization = request.headers.get("authorization")
        if self.key is not None and authorization != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "Incorrect API key provided"}}, 401)
        content = body["messages"][0]["content"]
        # A question in words alone comes as a string.
        picture = "" if isinstance(content, str) else content[1]["image_url"]["url"]
        with self._lock:
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
            jpeg = b64decode(picture.removeprefix("data:image/jpeg;base64,"))
            self.asked.append(Asked(body["model"], body, authorization, jpeg))
            spoiled = self._spoiled.pop(0) if self._spoiled else None
        await asyncio.sleep(self.seconds)
        with self._lock:
            self._busy -= 1
        return self._answer(body["model"], spoiled)

    def _answer(self, model: str, spoiled: Nonsense | int | None) -> Response:
        if isinstance(spoiled, int):
            return JSONResponse({"error": {"message": "no"}}, spoiled)
        if spoiled == "html":
            return PlainTextResponse("<html>Bad gateway</html>")
        content = _spoiled_content(self.says, spoiled)
        message = {"role": "assistant", "content": content, "refusal": None}
        if spoiled == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that."}
        finish = "length" if spoiled == "cut_off" else "stop"
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        return JSONResponse(
            {
                "id": f"chatcmpl-{len(self.asked)}",
                "object": "chat.completion",
                "model": model,
                "choices": [] if spoiled == "no_choices" else choices,
                **({"usage": self.usage} if self.usage else {}),
            }
        )


def _spoiled_content(says: dict[str, Any], spoiled: Nonsense | None) -> str:
    plain = json.dumps(says)
    match spoiled:
        case "prose":
            return f"Sure! This is a football match. {plain}"
        case "fenced":
            return f"```json\n{plain}\n```"
        case "extra_field":
            return json.dumps(says | {"confidence": 0.9})
        case "wrong_type":
            return json.dumps(says | {"football": "yes"})
        case "missing_field":
            return json.dumps({name: says[name] for name in list(says)[:-1]})
        case "cut_off":
            return plain[: len(plain) // 2]
        case "empty":
            return ""
        case _:
            return plain
