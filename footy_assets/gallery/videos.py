"""Serves clips and their images by public key, from wherever the best copy is stored."""

import re
from typing import Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from footy_assets.clips.rules.keys import (
    POSTER,
    SCOREBUG,
    THUMBNAIL,
    VIDEO,
    poster_and_thumbnail_keys,
    scorebug_key,
)
from footy_assets.clips.rules.rendition import rendition_type
from footy_assets.errors import NotFound
from footy_assets.gallery.byte_ranges import ByteRange, Unsatisfiable, wanted_range
from footy_assets.gallery.etags import client_has_current
from footy_assets.gallery.services import AppServices, Services
from footy_assets.names import plain
from footy_assets.store.collections import Document

router = APIRouter()

FixtureId = Annotated[int, Path(ge=1, lt=2**53, description="A match.")]
EventName = Annotated[
    str, Path(pattern=r"^[0-9A-Za-z_]{1,80}$", description="A goal, as 5000_40_234_Goal_1.")
]
ContentHash = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="A clip's hash.")]
Bucket = Annotated[str, Path(pattern=r"^[a-z0-9.-]{3,63}$")]
FileName = Annotated[
    str, Path(pattern=r"^[0-9a-f]{16}(\.mp4|\.(hevc|vp9|av1)\.mp4|\.jpg|\.thumb\.jpg|\.bug\.jpg)$")
]

NO_SUCH_CLIP = "there is no such clip, or its goal was removed"
# A better copy may replace a video at any time; an image's name changes with its content.
REVALIDATE, CACHE_FOR_A_DAY = "no-cache", "public, max-age=86400, immutable"


@router.api_route(
    "/video/{bucket}/{fixture_id}/{event}/{name}",
    methods=["GET", "HEAD"],
    include_in_schema=False,
)
async def file(
    request: Request,
    services: Services,
    bucket: Bucket,
    fixture_id: FixtureId,
    event: EventName,
    name: FileName,
    download: Annotated[Literal["1"] | None, Query()] = None,
) -> Response:
    if bucket != services.objects.bucket:
        raise HTTPException(404, NO_SUCH_CLIP)
    stem, dot, ending = name.partition(".")
    key = f"{fixture_id}/{event}/{stem}{VIDEO}"
    if dot + ending == VIDEO:
        return await _video(request, services, key, download is not None)
    if ending.endswith(VIDEO):
        return await _rendition(request, services, fixture_id, f"{fixture_id}/{event}/{name}")
    return await _image(request, services, key, dot + ending)


async def _video(request: Request, services: AppServices, key: str, download: bool) -> Response:
    clip = await to_thread.run_sync(services.gallery.clip_document, key)
    if clip is None:
        raise HTTPException(404, NO_SUCH_CLIP)
    headers = {}
    if download:
        headers["Content-Disposition"] = f'attachment; filename="{_file_name(clip)}"'
    return await _object(request, services, clip, "video/mp4", headers)


async def _rendition(
    request: Request, services: AppServices, fixture_id: int, key: str
) -> Response:
    """D6: only while it is a clip's. A page that is older takes the H.264 then."""
    found = await to_thread.run_sync(services.gallery.rendition, fixture_id, key)
    if found is None:
        raise HTTPException(404, NO_SUCH_CLIP)
    return await _object(request, services, found, rendition_type(found["codecs"]), {})


async def _object(
    request: Request,
    services: AppServices,
    stored: Document,
    content_type: str,
    headers: dict[str, str],
) -> Response:
    """An object by its `key`, `md5` and `size`, or the range of it that is wanted."""
    etag, size = f'"{stored["md5"]}"', int(stored["size"])
    headers |= {"ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": REVALIDATE}
    if client_has_current(request, etag):
        return Response(status_code=304, headers=headers)
    try:
        part = wanted_range(_range_header(request, etag), size)
    except Unsatisfiable:
        raise HTTPException(
            416, "the range is outside the file", {"Content-Range": f"bytes */{size}"}
        ) from None
    headers["Content-Length"] = str(part.length if part else size)
    if part is not None:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{size}"
    status = 206 if part else 200
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type=content_type)
    headers["Content-Type"] = content_type
    return await _stream(services, stored["key"], part, status, headers)


async def _stream(
    services: AppServices,
    key: str,
    part: ByteRange | None,
    status: int,
    headers: dict[str, str],
) -> Response:
    """Opens the object before the response starts, so that a missing one is a 404."""
    first, last = (part.first, part.last) if part else (None, None)
    try:
        body = await to_thread.run_sync(lambda: services.objects.open(key, first, last))
    except NotFound:
        raise HTTPException(404, NO_SUCH_CLIP) from None
    return StreamingResponse(body, status, headers)


async def _image(request: Request, services: AppServices, key: str, ending: str) -> Response:
    clip = await to_thread.run_sync(services.gallery.clip_by_video_key, key)
    if clip is None:
        raise HTTPException(404, NO_SUCH_CLIP)
    poster, thumbnail = poster_and_thumbnail_keys(clip["key"])
    images = {POSTER: poster, THUMBNAIL: thumbnail, SCOREBUG: scorebug_key(clip["key"])}
    wanted = images[ending]
    etag = f'"{clip["md5"]}{ending}"'
    headers = {"ETag": etag, "Cache-Control": CACHE_FOR_A_DAY if clip["key"] == key else REVALIDATE}
    if client_has_current(request, etag):
        return Response(status_code=304, headers=headers)
    try:
        body = await to_thread.run_sync(services.objects.get, wanted)
    except NotFound:
        raise HTTPException(404, NO_SUCH_CLIP) from None
    return Response(body, headers=headers, media_type="image/jpeg")


def _range_header(request: Request, etag: str) -> str | None:
    """Ignores a range of an older copy (`If-Range`): the player then gets the whole current one."""
    only_if = request.headers.get("if-range")
    return request.headers.get("range") if only_if in (None, etag) else None


def _file_name(clip: Document) -> str:
    """`5000_40_306_Goal_1-2.mp4`: the goal's event id and the clip's rank."""
    text = plain(f"{clip['event_id']}-{clip['rank'] or 0}")
    return re.sub(r"[^A-Za-z0-9_-]+", "", text) + VIDEO
