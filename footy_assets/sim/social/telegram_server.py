"""Web previews of Telegram channels, and their files, on one socket.

A post of `telegram` is a message of the channel that its author names. Whoever asks for a channel
that does not exist, is private or has no preview is sent to its page, which has no messages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from footy_assets.clock import Clock
from footy_assets.sim.social.posts import Posts, SimPost
from footy_assets.sim.social.posts_server import PostsServer

SITE = "telegram"
PAGE_SIZE = 20
FIRST_NUMBER = 1_001
# How a preview is broken: another page, messages of an unknown form, or cut short.
Broken = Literal["", "other_page", "other_form", "cut"]


@dataclass
class TelegramFaults:
    """`status` with `headers` instead of any preview, `older_status` instead of older pages."""

    status: int | None = None
    older_status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    broken: Broken = ""
    no_preview: set[str] = field(default_factory=set)


class TelegramServer(PostsServer):
    """Serves posts of `telegram`. `quiet_channels` exist without messages."""

    def __init__(
        self, posts: Posts, clock: Clock, *, page_size: int = PAGE_SIZE, **options: Any
    ) -> None:
        super().__init__(posts, clock, **options)
        self.page_size = page_size
        self.faults = TelegramFaults()
        self.quiet_channels: set[str] = set()

    def reset(self) -> None:
        self.faults = TelegramFaults()
        self.requests.clear()
        self.quiet_channels.clear()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/s/{channel}", self._preview),
                Route("/file/{film}.mp4", self.send_mp4),
                Route("/{channel}", self._contact),
            ]
        )

    async def _preview(self, request: Request) -> Response:
        await self.record(request)
        channel, before = request.path_params["channel"], request.query_params.get("before")
        status = (self.faults.older_status if before else None) or self.faults.status
        if status is not None:
            return Response("", status, self.faults.headers)
        messages = self._messages(channel)
        exists = messages or channel in self.quiet_channels
        if not exists or channel in self.faults.no_preview:
            return RedirectResponse(f"/{channel}", 302)
        if before:
            messages = [(number, post) for number, post in messages if number < int(before)]
        name = messages[0][1].author if messages else channel
        text = preview(name, messages[-self.page_size :], self.url)
        match self.faults.broken:
            case "other_page":
                text = "<!doctype html><title>Telegram</title><p>Something is different here."
            case "other_form":
                text = text.replace("<time datetime", "<time data-at")
            case "cut":
                text = text[: text.rfind("<video")]
        return HTMLResponse(text)

    async def _contact(self, request: Request) -> Response:
        await self.record(request)
        return HTMLResponse('<!doctype html><div class="tgme_page_action">View in Telegram</div>')

    def _messages(self, channel: str) -> list[tuple[int, SimPost]]:
        """Oldest first."""
        return numbered_messages(self.posts_of(SITE), channel)


def numbered_messages(posts: Iterable[SimPost], channel: str) -> list[tuple[int, SimPost]]:
    """Those of the channel, oldest first. Numbers grow with time, and some are missing: messages
    were deleted."""
    named = [post for post in posts if post.author.lower() == channel.lower()]
    named.sort(key=lambda post: (post.posted_at, post.id))
    return [(FIRST_NUMBER + place * 2, post) for place, post in enumerate(named)]


def preview(channel: str, messages: Sequence[tuple[int, SimPost]], base: str) -> str:
    """A page of messages, with a link to older ones unless the channel begins here."""
    shown = "".join(_message(channel, number, post, base) for number, post in messages)
    more = ""
    if messages and (first := messages[0][0]) > FIRST_NUMBER:
        more = (
            '<div class="tgme_widget_message_centered js-messages_more_wrap">'
            f'<a href="/s/{channel}?before={first}" class="tme_messages_more js-messages_more" '
            f'data-before="{first}"></a></div>'
        )
    return (
        f"<!DOCTYPE html><html><head><title>{channel} – Telegram</title></head><body>"
        f'<div class="tgme_channel_info"><div class="tgme_channel_info_header_title">{channel}'
        f'</div></div><section class="tgme_channel_history js-message_history">{more}{shown}'
        "</section></body></html>"
    )


def _message(channel: str, number: int, post: SimPost, base: str) -> str:
    id_ = f"{channel}/{number}"
    at = "" if post.shape == "undated" else f' datetime="{post.posted_at.isoformat()}"'
    text = escape(post.text, quote=False).replace("\n", "<br/>")
    return (
        '<div class="tgme_widget_message_wrap js-widget_message_wrap">'
        f'<div class="tgme_widget_message js-widget_message" data-post="{id_}">'
        '<div class="tgme_widget_message_bubble"><div class="tgme_widget_message_author">'
        f'<a class="tgme_widget_message_owner_name" href="https://t.me/{channel}">'
        f'<span dir="auto">{channel}</span></a></div>{_reply(post)}{_player(id_, post, base)}'
        f'<div class="tgme_widget_message_text js-message_text" dir="auto">{text}</div>'
        '<div class="tgme_widget_message_footer"><div class="tgme_widget_message_info">'
        f'<span class="tgme_widget_message_views">{_count(post.views)}</span>'
        '<span class="tgme_widget_message_meta"><a class="tgme_widget_message_date" '
        f'href="https://t.me/{id_}"><time{at} class="time">{post.posted_at:%H:%M}</time></a>'
        "</span></div></div></div></div></div>"
    )


def _reply(post: SimPost) -> str:
    if post.quotes is None:
        return ""
    return (
        '<a class="tgme_widget_message_reply"><div class="tgme_widget_message_text '
        f'js-message_reply_text">{escape(post.quotes.text)}</div></a>'
    )


def _player(id_: str, post: SimPost, base: str) -> str:
    if post.video is None:
        return ""
    thumb = f'<i class="tgme_widget_message_video_thumb" style="background-image:url(\'{base}\')">'
    if post.shape == "too_big":
        return (
            '<a class="tgme_widget_message_video_player not_supported js-message_video_player" '
            f'href="https://t.me/{id_}">{thumb}</i><div class="tgme_widget_message_video_wrap">'
            '</div><div class="message_media_not_supported_wrap">'
            '<div class="message_media_not_supported_label">Media is too big</div>'
            '<span class="message_media_view_in_telegram">VIEW IN TELEGRAM</span></div>'
            f"{_duration(post)}</a>"
        )
    width, height = post.size
    source = escape(f"{base}/file/{post.video}.mp4?token=A&b=1")
    return (
        '<a class="tgme_widget_message_video_player js-message_video_player" '
        f'href="https://t.me/{id_}">{thumb}</i><div class="tgme_widget_message_video_wrap" '
        f'style="width:{width}px;padding-top:{height / width * 100:.6f}%"><video src="{source}" '
        'class="tgme_widget_message_video js-message_video" width="100%" height="100%"></video>'
        f"</div>{_duration(post)}</a>"
    )


def _duration(post: SimPost) -> str:
    if post.duration is None:
        return ""
    minutes, seconds = divmod(round(post.duration), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f'<time class="message_video_duration js-message_video_duration">{text}</time>'


def _count(views: int) -> str:
    return f"{views / 1_000:.1f}K".replace(".0K", "K") if views >= 1_000 else str(views)
