"""A site that serves the harness's films over HTTP, with the faults of real sites."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from footy_assets_tests.clips.clip_harness import film

# An HTTP status; half a file with the length of the whole; half a file with its own length.
Fault = int | Literal["cut off", "half"]


@dataclass
class VideoHost:
    """`/NAME.mp4` is the film of that name. `faults` maps film names to faults."""

    faults: dict[str, Fault] = field(default_factory=dict)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{name}.mp4", self._serve, methods=["GET", "HEAD"])])

    async def _serve(self, request: Request) -> Response:
        name = request.path_params["name"]
        whole, fault = film(name).read_bytes(), self.faults.get(name)
        if isinstance(fault, int):
            return PlainTextResponse("no", fault)
        half = whole[: len(whole) // 2]
        if fault == "half":
            return Response(half, media_type="video/mp4")
        if fault == "cut off":
            headers = {"content-length": str(len(whole))}
            return StreamingResponse(_only(half), media_type="video/mp4", headers=headers)
        return Response(whole, media_type="video/mp4")


async def _only(part: bytes) -> AsyncIterator[bytes]:
    yield part
