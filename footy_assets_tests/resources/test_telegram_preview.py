"""The page of a channel's preview, message by message."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from footy_assets.errors import BadInput, SiteAnswerInvalid
from footy_assets.settings import load_settings
from resources.telegram.models import (
    NOT_SUPPORTED,
    TOO_BIG,
    ChannelMessage,
    parse_count,
    parse_duration,
    parse_page,
)

URL = "https://t.me/s/goals"
AT = datetime(2026, 9, 12, 15, 29, tzinfo=UTC)
FOOTER = (
    '<span class="tgme_widget_message_views">{views}</span><a class="tgme_widget_message_date" '
    'href="https://t.me/goals/7"><time datetime="2026-09-12T17:29:00+02:00"></time></a>'
)
PLAYER = (
    '<a class="tgme_widget_message_video_player js-message_video_player" '
    'href="https://t.me/goals/{number}?single"><i class="tgme_widget_message_video_thumb"></i>'
    '<div class="tgme_widget_message_video_wrap" style="width:640px;padding-top:56.25%">'
    '<video src="{source}" class="tgme_widget_message_video"></video></div>'
    '<time class="message_video_duration">{duration}</time></a>'
)


def message(body: str, number: int = 7, views: str = "1.2K") -> str:
    footer = FOOTER.format(views=views)
    return f'<div class="tgme_widget_message" data-post="goals/{number}">{body}{footer}</div>'


def parse(*messages: str) -> tuple[tuple[ChannelMessage, ...], Counter[str]]:
    unreadable: Counter[str] = Counter()
    page = f'<section class="tgme_channel_history">{"".join(messages)}</section>'
    return parse_page(page, URL, unreadable).messages, unreadable


def test_se5_a_message_has_its_video_with_length_and_shape() -> None:
    player = PLAYER.format(number=7, source="//cdn4.telesco.pe/f.mp4?a=1&amp;b=2", duration="0:12")
    text = (
        '<div class="tgme_widget_message_text js-message_text">Ndiaye!<br>1 &amp; 2 <b>x</b></div>'
    )
    quoted = '<a class="tgme_widget_message_reply"><div class="js-message_reply_text">Old</div></a>'
    owner = '<a class="tgme_widget_message_owner_name"><span>Goals</span></a>'
    (found,), unreadable = parse(message(f"{owner}{quoted}{player}{text}"))
    assert found == ChannelMessage(
        id="goals/7",
        published=AT,
        text="Ndiaye!\n1 & 2 x",
        author="Goals",
        views=1_200,
        video_url="https://cdn4.telesco.pe/f.mp4?a=1&b=2",
        duration=12,
        width=640,
        height=360,
    )
    assert not unreadable


def test_se5_each_video_of_an_album_is_a_message() -> None:
    players = [
        PLAYER.format(number=n, source=f"https://cdn4.telesco.pe/{n}.mp4", duration="0:10")
        for n in (7, 8, 9)
    ]
    found, _ = parse(message("".join(players)))
    assert [one.id for one in found] == ["goals/7", "goals/8", "goals/9"]
    assert len({one.video_url for one in found}) == 3


@pytest.mark.parametrize(
    ("label", "reason"),
    [("Media is too big", TOO_BIG), ("This media is not supported in your browser", NOT_SUPPORTED)],
)
def test_se5_a_video_that_the_preview_does_not_serve_has_a_reason(label: str, reason: str) -> None:
    player = (
        '<a class="tgme_widget_message_video_player not_supported"><div '
        'class="tgme_widget_message_video_wrap"></div><div '
        f'class="message_media_not_supported_label">{label}</div></a>'
    )
    (found,), unreadable = parse(message(player))
    assert (found.video_url, found.unplayable, found.width) == (None, reason, None)
    assert not unreadable


@pytest.mark.parametrize(
    "wrong",
    [
        '<div class="tgme_widget_message" data-post="goals/1">no time</div>',
        message("", 1).replace("2026-09-12T17:29:00+02:00", "just now"),
        message("", 1).replace("goals/1", "goals"),
        message(PLAYER.format(number=1, source="javascript:alert(1)", duration="0:01"), 1),
    ],
)
def test_se5_a_message_that_cannot_be_read_is_counted_and_harms_no_other(wrong: str) -> None:
    found, unreadable = parse(wrong, message("", 8))
    assert [one.id for one in found] == ["goals/8"]
    assert unreadable == {"unknown_form": 1}
    with pytest.raises(SiteAnswerInvalid, match="no message"):
        parse(wrong)


def test_se7_another_page_is_no_empty_channel() -> None:
    assert parse() == ((), {})
    with pytest.raises(SiteAnswerInvalid, match="not the preview"):
        parse_page("<!doctype html><title>Telegram</title>", URL, Counter())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:03", 3), ("12:40", 760), ("1:02:03", 3_723), ("", None), ("live", None), ("1:2:3", None)],
)
def test_lengths_are_read(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "count"), [("987", 987), ("1.2K", 1_200), ("4.45M", 4_450_000), ("", 0), ("many", 0)]
)
def test_views_are_read(text: str, count: int) -> None:
    assert parse_count(text) == count


def test_channels_are_named_in_any_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    named = "goals_tv,@Other1 https://t.me/s/third_x/ t.me/fourth GOALS_TV"
    monkeypatch.setenv("FOOTY_TELEGRAM_CHANNELS", named)
    assert [name.lower() for name in load_settings().telegram_channels] == [
        "goals_tv", "other1", "third_x", "fourth",
    ]  # fmt: skip
    for wrong in ("t.me/+AbCdEf", "t.me/joinchat/x", "abc", "1goals", "a-b-c-d"):
        monkeypatch.setenv("FOOTY_TELEGRAM_CHANNELS", wrong)
        with pytest.raises(BadInput, match=r"FOOTY_TELEGRAM_CHANNELS.*not a public channel"):
            load_settings()
