"""A simulated vision model over HTTP: the OpenAI chat protocol, with scripted replies."""

import asyncio
import json
from base64 import b64decode
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from footy_assets.sim.loopback import Loopback

BadReply = Literal[
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
class VisionRequest:
    """One received request: its model, body, authorization and JPEG."""

    model: str
    body: dict[str, Any]
    authorization: str | None
    picture: bytes


@dataclass
class VisionServer:
    """Answers every request with `reply`. `corrupt_next` corrupts the next replies."""

    reply: dict[str, Any] = field(default_factory=lambda: dict(FOOTBALL))
    key: str | None = None
    delay_seconds: float = 0.0
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 900, "completion_tokens": 24}
    )
    requests: list[VisionRequest] = field(default_factory=list)
    max_parallel: int = 0
    _corruptions: list[BadReply | int] = field(default_factory=list)
    _parallel: int = 0
    _lock: Lock = field(default_factory=Lock)
    _server: Loopback | None = None

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("the server has no port until it has started")
        host, port = self._server.address
        return f"http://{host}:{port}/v1"

    def corrupt_next(self, *corruptions: BadReply | int) -> None:
        """Corrupt the next replies in these ways, or answer with these HTTP status codes."""
        self._corruptions += corruptions

    def __enter__(self) -> "VisionServer":
        routes = [Route("/v1/chat/completions", self._complete, methods=["POST"])]
        self._server = Loopback(Starlette(routes=routes), ("127.0.0.1", 0))
        return self

    def __exit__(self, *error: object) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        authorization = request.headers.get("authorization")
        if self.key is not None and authorization != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "Incorrect API key provided"}}, 401)
        content = body["messages"][0]["content"]
        # The content of a request without a picture is a string.
        picture = "" if isinstance(content, str) else content[1]["image_url"]["url"]
        with self._lock:
            self._parallel += 1
            self.max_parallel = max(self.max_parallel, self._parallel)
            jpeg = b64decode(picture.removeprefix("data:image/jpeg;base64,"))
            self.requests.append(VisionRequest(body["model"], body, authorization, jpeg))
            corruption = self._corruptions.pop(0) if self._corruptions else None
        await asyncio.sleep(self.delay_seconds)
        with self._lock:
            self._parallel -= 1
        return self._answer(body["model"], corruption)

    def _answer(self, model: str, corruption: BadReply | int | None) -> Response:
        if isinstance(corruption, int):
            return JSONResponse({"error": {"message": "no"}}, corruption)
        if corruption == "html":
            return PlainTextResponse("<html>Bad gateway</html>")
        content = _content(self.reply, corruption)
        message = {"role": "assistant", "content": content, "refusal": None}
        if corruption == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that."}
        finish = "length" if corruption == "cut_off" else "stop"
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        return JSONResponse(
            {
                "id": f"chatcmpl-{len(self.requests)}",
                "object": "chat.completion",
                "model": model,
                "choices": [] if corruption == "no_choices" else choices,
                **({"usage": self.usage} if self.usage else {}),
            }
        )


def _content(reply: dict[str, Any], corruption: BadReply | None) -> str:
    text = json.dumps(reply)
    match corruption:
        case "prose":
            return f"Sure! This is a football match. {text}"
        case "fenced":
            return f"```json\n{text}\n```"
        case "extra_field":
            return json.dumps(reply | {"confidence": 0.9})
        case "wrong_type":
            return json.dumps(reply | {"football": "yes"})
        case "missing_field":
            return json.dumps({name: reply[name] for name in list(reply)[:-1]})
        case "cut_off":
            return text[: len(text) // 2]
        case "empty":
            return ""
        case _:
            return text
