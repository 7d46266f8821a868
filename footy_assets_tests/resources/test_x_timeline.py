"""X's JSON, valid or damaged: readable posts are read, others are counted."""

import json
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.errors import LoginLost, SiteAnswerInvalid, SiteError, SiteRateLimited
from footy_assets.sim.social.posts import Page
from footy_assets.sim.social.timeline import search_timeline
from footy_assets_tests.resources.fans import post
from resources.x.timeline import FoundPosts, parse_timeline

pytestmark = pytest.mark.slow

BASE = "https://x.example"
PAGE = search_timeline(Page((post(1), post(2), post(3)), None, post(4, is_ad=True)), BASE, None)
JUNK = st.sampled_from([None, 7, -1.5, "", "surprise", [], {}, [None], {"result": 3}, True])


def parse(page: Any) -> FoundPosts:
    found = FoundPosts()
    parse_timeline(json.dumps(page).encode(), BASE, found)
    return found


def entries(page: Any) -> list[Any]:
    timeline = page["data"]["search_by_raw_query"]["search_timeline"]["timeline"]
    found: list[Any] = timeline["instructions"][0]["entries"]
    return found


def spots(page: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside a JSON value."""
    inner = page.items() if isinstance(page, dict) else enumerate(page)
    found = [path] if path else []
    for key, value in inner:
        deeper = isinstance(value, dict | list)
        found += spots(value, (*path, key)) if deeper else [(*path, key)]
    return found


SPOTS = spots(PAGE)
SPOTS_OF_THE_FIRST = spots(entries(PAGE)[0])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SPOTS), JUNK), min_size=1, max_size=3))
def test_se5_any_change_of_x_is_at_worst_a_site_error(
    changes: list[tuple[tuple[Any, ...], Any]],
) -> None:
    page = deepcopy(PAGE)
    for path, junk in changes:
        _put(page, path, junk)
    with suppress(SiteError):
        parse(page)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SPOTS_OF_THE_FIRST), JUNK)
def test_se5_an_invalid_post_does_not_stop_the_others(path: tuple[Any, ...], junk: Any) -> None:
    page = deepcopy(PAGE)
    _put(entries(page)[0], path, junk)
    found = parse(page).posts
    assert {"1900000002", "1900000003", "1900000004"} <= found.keys()


def _put(value: Any, path: tuple[Any, ...], junk: Any) -> None:
    for key in path[:-1]:
        if not isinstance(value, dict | list):
            return
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(value, dict) or (isinstance(value, list) and path[-1] in range(len(value))):
        # A copy: a later change may modify it, and must not modify the drawn value.
        value[path[-1]] = deepcopy(junk)


def media_of(page: Any) -> Any:
    result = entries(page)[0]["content"]["itemContent"]["tweet_results"]["result"]
    return result["legacy"]["extended_entities"]["media"][0]


def test_se5_the_best_mp4_is_used_and_a_gif_is_not_a_video() -> None:
    page = deepcopy(PAGE)
    assert parse(page).posts["1900000001"].video_url == f"{BASE}/video/film1.mp4"
    media_of(page)["type"] = "animated_gif"
    assert parse(page).posts["1900000001"].video_url is None


def variants(*files: tuple[str, int]) -> list[dict[str, Any]]:
    cdn = "https://video.example/ext_tw_video/1/pu/vid/avc1"
    return [
        {"content_type": "video/mp4", "bitrate": bits, "url": f"{cdn}/{size}/a.mp4?tag=14"}
        for size, bits in files
    ]


def test_d5_the_file_up_to_the_wanted_height_is_used_with_what_its_path_says() -> None:
    page = deepcopy(PAGE)
    media = media_of(page)
    sizes = ("640x360", 832_000), ("3840x2160", 25_128_000), ("1920x1080", 10_368_000)
    media["video_info"]["variants"] = variants(*sizes)
    media["original_info"] = {"width": 3840, "height": 2160}
    found = parse(page).posts["1900000001"]
    assert found.video_url is not None
    assert "1920x1080" in found.video_url
    assert (found.width, found.height, found.size) == (1920, 1080, 16_200_000)


@pytest.mark.parametrize("junk", [None, "1280x720", {"width": 0, "height": 9}, [16], 10**30])
def test_se6_a_picture_that_cannot_be_read_is_unknown(junk: Any) -> None:
    page = deepcopy(PAGE)
    media = media_of(page)
    media["original_info"] = media["video_info"]["aspect_ratio"] = junk
    found = parse(page).posts["1900000001"]
    assert (found.width, found.height, found.aspect) == (None, None, None)
    assert found.video_url is not None


def test_se5_an_authors_name_is_found_in_its_old_and_new_place() -> None:
    page = deepcopy(PAGE)
    result = entries(page)[0]["content"]["itemContent"]["tweet_results"]["result"]
    result["core"]["user_results"]["result"] = {"legacy": {"screen_name": "old_place"}}
    assert parse(page).posts["1900000001"].url == f"{BASE}/old_place/status/1900000001"


def test_se5_null_is_a_missing_field() -> None:
    page = deepcopy(PAGE)
    result = entries(page)[0]["content"]["itemContent"]["tweet_results"]["result"]
    result["views"] = result["core"] = result["legacy"]["retweet_count"] = None
    (found,) = [p for p in parse(page).posts.values() if p.post_id == "1900000001"]
    assert (found.author, found.popularity, found.video_url is not None) == ("", 10, True)


def test_se5_posts_in_a_module_are_read() -> None:
    page = deepcopy(PAGE)
    first = entries(page)[0]
    items = [{"entryId": "m", "item": {"itemContent": first["content"]["itemContent"]}}]
    first["content"] = {"entryType": "TimelineTimelineModule", "items": items}
    assert "1900000001" in parse(page).posts


@pytest.mark.parametrize(
    ("page", "failure"),
    [
        ({"errors": [{"code": 88, "message": "Rate limit exceeded"}]}, SiteRateLimited),
        ({"errors": [{"code": 32, "message": "Could not authenticate you"}]}, LoginLost),
        ({"errors": [{"code": 131}], "data": None}, SiteAnswerInvalid),
        ({"data": {}}, SiteAnswerInvalid),
        ([], SiteAnswerInvalid),
    ],
)
def test_se7_a_failure_with_status_200_is_a_failure(page: Any, failure: type[SiteError]) -> None:
    with pytest.raises(failure):
        parse(page)
