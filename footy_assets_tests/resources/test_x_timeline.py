"""X's JSON in every state: what can be read is read, what cannot is counted."""

import json
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footy_assets.errors import LoginLost, SourceAnswerInvalid, SourceError, SourceRateLimited
from footy_assets.sim.social.posts import Page
from footy_assets.sim.social.timeline import search_timeline
from footy_assets_tests.resources.fans import post
from resources.x.timeline import Gathered, read_timeline

BASE = "https://x.example"
PAGE = search_timeline(Page((post(1), post(2), post(3)), None, post(4, is_ad=True)), BASE, None)
JUNK = st.sampled_from([None, 7, -1.5, "", "surprise", [], {}, [None], {"result": 3}, True])


def read(told: Any) -> Gathered:
    gathered = Gathered()
    read_timeline(json.dumps(told).encode(), BASE, gathered)
    return gathered


def entries(told: Any) -> list[Any]:
    timeline = told["data"]["search_by_raw_query"]["search_timeline"]["timeline"]
    found: list[Any] = timeline["instructions"][0]["entries"]
    return found


def spots(told: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = told.items() if isinstance(told, dict) else enumerate(told)
    found = [path] if path else []
    for key, value in inner:
        deeper = isinstance(value, dict | list)
        found += spots(value, (*path, key)) if deeper else [(*path, key)]
    return found


SPOTS = spots(PAGE)
SPOTS_OF_THE_FIRST = spots(entries(PAGE)[0])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SPOTS), JUNK), min_size=1, max_size=3))
def test_s5_whatever_x_changes_the_failure_is_one_of_ours(
    changes: list[tuple[tuple[Any, ...], Any]],
) -> None:
    told = deepcopy(PAGE)
    for path, junk in changes:
        _put(told, path, junk)
    with suppress(SourceError):
        read(told)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SPOTS_OF_THE_FIRST), JUNK)
def test_s5_a_broken_post_never_stops_its_neighbours(path: tuple[Any, ...], junk: Any) -> None:
    told = deepcopy(PAGE)
    _put(entries(told)[0], path, junk)
    found = read(told).posts
    assert {"1900000002", "1900000003", "1900000004"} <= found.keys()


def _put(told: Any, path: tuple[Any, ...], junk: Any) -> None:
    for key in path[:-1]:
        if not isinstance(told, dict | list):
            return
        try:
            told = told[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(told, dict) or (isinstance(told, list) and path[-1] in range(len(told))):
        told[path[-1]] = junk


def test_s5_the_best_mp4_is_taken_and_a_moving_picture_is_no_video() -> None:
    told = deepcopy(PAGE)
    media = entries(told)[0]["content"]["itemContent"]["tweet_results"]["result"]["legacy"][
        "extended_entities"
    ]["media"][0]
    assert read(told).posts["1900000001"].video_url == f"{BASE}/video/film1.mp4"
    media["type"] = "animated_gif"
    assert read(told).posts["1900000001"].video_url is None


def test_s5_an_authors_name_is_found_in_its_old_and_new_place() -> None:
    told = deepcopy(PAGE)
    result = entries(told)[0]["content"]["itemContent"]["tweet_results"]["result"]
    result["core"]["user_results"]["result"] = {"legacy": {"screen_name": "old_place"}}
    assert read(told).posts["1900000001"].url == f"{BASE}/old_place/status/1900000001"


def test_s5_a_null_is_as_good_as_a_missing_field() -> None:
    told = deepcopy(PAGE)
    result = entries(told)[0]["content"]["itemContent"]["tweet_results"]["result"]
    result["views"] = result["core"] = result["legacy"]["retweet_count"] = None
    (found,) = [p for p in read(told).posts.values() if p.post_id == "1900000001"]
    assert (found.author, found.popularity, found.video_url is not None) == ("", 10, True)


def test_s5_posts_in_a_module_are_read() -> None:
    told = deepcopy(PAGE)
    first = entries(told)[0]
    items = [{"entryId": "m", "item": {"itemContent": first["content"]["itemContent"]}}]
    first["content"] = {"entryType": "TimelineTimelineModule", "items": items}
    assert "1900000001" in read(told).posts


@pytest.mark.parametrize(
    ("told", "failure"),
    [
        ({"errors": [{"code": 88, "message": "Rate limit exceeded"}]}, SourceRateLimited),
        ({"errors": [{"code": 32, "message": "Could not authenticate you"}]}, LoginLost),
        ({"errors": [{"code": 131}], "data": None}, SourceAnswerInvalid),
        ({"data": {}}, SourceAnswerInvalid),
        ([], SourceAnswerInvalid),
    ],
)
def test_s7_a_failure_that_comes_as_200_is_one(told: Any, failure: type[SourceError]) -> None:
    with pytest.raises(failure):
        read(told)
