"""`footy listen`, and when it is a part of `footy up`."""

from pymongo.database import Database

from footy_assets.runtime.listen_process import has_listener
from footy_assets.settings import settings_of
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.stream import EventLog, created, position_at
from footy_assets.store.collections import HEARD_POSTS, LISTENERS, Document
from footy_assets_tests.fixtures.command import Footy
from footy_assets_tests.resources.fans import NOW, post
from resources.bluesky.jetstream import SECOND


def test_posts_are_heard_where_the_listener_stopped(
    footy: Footy, database: Database[Document]
) -> None:
    at = position_at(NOW)
    log = EventLog([created(post(number), at + number * SECOND) for number in range(5)])
    state = {"_id": "bluesky", "position": at, "since": NOW, "until": NOW, "written_at": NOW}
    database[LISTENERS].insert_one(state)
    with JetstreamServer(log) as server:
        env = {"FOOTY_SITES": "bluesky", "FOOTY_JETSTREAM_URLS": server.url}
        done = footy("listen", "--seconds", "0.4", **env)
    assert done.returncode == 0, done.stderr
    assert "5 posts with a video kept" in done.stderr
    assert database[HEARD_POSTS].count_documents({}) == 5


def test_it_says_when_nothing_is_to_be_heard(footy: Footy) -> None:
    for env in (
        {"FOOTY_SITES": "x,telegram"},
        {"FOOTY_SITES": "bluesky", "FOOTY_BLUESKY_URL": "http://a"},
    ):
        done = footy("listen", **env)
        assert done.returncode == 2
        assert "Name bluesky in FOOTY_SITES, and unset FOOTY_BLUESKY_URL" in done.stderr


def test_se5_footy_up_listens_unless_a_search_is_configured() -> None:
    assert has_listener(settings_of())
    assert not has_listener(settings_of(sites=("x",)))
    assert not has_listener(settings_of(bluesky_url="https://appview.example"))
    assert not has_listener(settings_of(search_attempts=0))
