"""The listener as a process of its own, as `footy up` starts it."""

import os
from pathlib import Path

import pytest
from pymongo.database import Database

from footy_assets.runtime.home import Home
from footy_assets.runtime.listen_process import start_listener
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.stream import EventLog, created, position_at
from footy_assets.store.collections import HEARD_POSTS, LISTENERS, Document
from footy_assets_tests.resources.fans import NOW, post
from footy_assets_tests.waiting import wait_until
from resources.bluesky.jetstream import SECOND

AT = position_at(NOW)


@pytest.mark.slow
def test_se5_a_killed_listener_goes_on_where_it_stopped(
    mongo_uri: str, database: Database[Document], tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    home.prepare()
    log = EventLog([created(post(number), AT + number * SECOND) for number in range(5)])
    state = {"_id": "bluesky", "position": AT, "since": NOW, "until": NOW, "written_at": NOW}
    database[LISTENERS].insert_one(state)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTY_")}
    with JetstreamServer(log) as server:
        env = kept | {
            "FOOTY_HOME": str(home.path),
            "FOOTY_MONGO_URI": mongo_uri,
            "FOOTY_MONGO_DATABASE": database.name,
            "FOOTY_JETSTREAM_URLS": server.url,
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        }

        def heard() -> int:
            return database[HEARD_POSTS].count_documents({})

        for expected in (5, 9):
            listener = start_listener(home, env)
            try:
                wait_until(lambda wanted=expected: heard() == wanted)  # type: ignore[misc]
            finally:
                listener.identity.end(0)
            log.add(*(created(post(n), AT + n * SECOND) for n in range(expected, expected + 4)))
    assert heard() == 9
