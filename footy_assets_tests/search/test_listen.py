"""Posts that were heard: written, kept through breaks and crashes, found for a goal."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import SiteUnavailable
from footy_assets.search.connection import heard_sites
from footy_assets.search.heard_bluesky import HeardBluesky
from footy_assets.search.listen import ListenRules, PostListener
from footy_assets.search.rules.heard import (
    HeardPost,
    RemovedAuthor,
    RemovedPost,
    StreamEvent,
    position_of,
)
from footy_assets.search.rules.posts import Post, Window
from footy_assets.search.rules.query import GoalQuery
from footy_assets.search.store.heard_posts import HeardPosts, server_time
from footy_assets.settings import settings_of
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.stream import EventLog, chatter, created, position_at
from footy_assets.store.collections import HEARD_POSTS, LISTENERS, Document
from footy_assets_tests.resources.fans import NOW, ago, ignore, post, window
from footy_assets_tests.resources.local_feeds import LocalFeeds
from footy_assets_tests.resources.local_rate_limit import LocalRateLimit
from footy_assets_tests.waiting import no_sleep
from resources.bluesky.jetstream import SECOND, Jetstream
from resources.sites.connection import open_sites

AT = position_of(NOW)
QUERY = GoalQuery(("Salah", "Mohamed"), ("Liverpool", "LFC"))


def heard(
    number: int, text: str = "GOAL! Salah for Liverpool", seconds_ago: float = 60
) -> HeardPost:
    author = f"did:plc:fan{number}"
    return HeardPost(
        post_id=f"{author}/{number}",
        author=author,
        text=text,
        posted_at=ago(seconds=seconds_ago),
        video=f"film{number}",
        width=1280,
        height=720,
    )


def event(*changes: HeardPost | RemovedPost | RemovedAuthor, after: float = 0) -> StreamEvent:
    return StreamEvent(AT + round(after * SECOND), changes)


class Recorded:
    """A stream that was recorded. `fails` ends it with an error, as a killed process would."""

    def __init__(self, *events: StreamEvent | None, fails: bool = False) -> None:
        self._events, self._fails = events, fails
        self.after: int | None = None

    def events(
        self, after: int | None, stopped: Callable[[], bool]
    ) -> Iterator[StreamEvent | None]:
        self.after = after
        yield from self._events
        if self._fails:
            raise KeyboardInterrupt


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def posts(database: Database[Document]) -> HeardPosts:
    return HeardPosts(database, "bluesky")


@pytest.fixture
def bluesky(posts: HeardPosts, clock: ManualClock) -> HeardBluesky:
    return HeardBluesky(posts, clock, "https://video.example")


def listen(posts: HeardPosts, *events: StreamEvent | None, **rules: float) -> PostListener:
    kept = ListenRules(batch_seconds=rules.get("batch_seconds", 1.0), keep=timedelta(hours=48))
    listener = PostListener(posts, Recorded(*events), ManualClock(NOW), kept)
    listener.run(lambda: False)
    return listener


def ids(database: Database[Document]) -> set[str]:
    return set(database[HEARD_POSTS].distinct("author"))


def test_se5_a_search_is_a_query_of_our_own(posts: HeardPosts, bluesky: HeardBluesky) -> None:
    listen(posts, event(heard(1)))
    (found,) = bluesky.search(QUERY, window(), ignore).posts
    assert found == Post(
        site="bluesky",
        post_id="did:plc:fan1/1",
        url="https://bsky.app/profile/did:plc:fan1/post/1",
        posted_at=ago(seconds=60),
        text="GOAL! Salah for Liverpool",
        author="did:plc:fan1",
        video_url="https://video.example/watch/did%3Aplc%3Afan1/film1/playlist.m3u8",
        width=1280,
        height=720,
        aspect=1280 / 720,
    )


def test_se4_the_scorer_and_the_team_are_found_without_accents(
    posts: HeardPosts, bluesky: HeardBluesky
) -> None:
    texts = {
        1: "SALAH!! #LFC",
        2: "What a strike, Mohamed. Liverpool",
        3: "Salah on my fantasy team",
        4: "Sálah for Liverpool",
        5: "Salahs for Liverpool",
    }
    listen(posts, event(*(heard(number, text) for number, text in texts.items())))
    found = bluesky.search(QUERY, window(), ignore)
    assert {one.author for one in found.posts} == {f"did:plc:fan{n}" for n in (1, 2, 4)}
    assert found.looked_at == 4
    of_team = bluesky.search(GoalQuery((), ("LFC",)), window(), ignore)
    assert [one.author for one in of_team.posts] == ["did:plc:fan1"]


def test_se6_the_window_is_kept_newest_first(posts: HeardPosts, bluesky: HeardBluesky) -> None:
    listen(posts, event(*(heard(n, seconds_ago=s) for n, s in enumerate((30, 10, 7_200, 20_000)))))
    found = bluesky.search(QUERY, window(), ignore).posts
    assert [one.author for one in found] == ["did:plc:fan1", "did:plc:fan0"]
    past = bluesky.search(QUERY, Window(ago(hours=3), ago(hours=2)), ignore).posts
    assert [one.author for one in past] == ["did:plc:fan2"]


def test_se7_a_stream_that_is_not_heard_is_a_failure(
    posts: HeardPosts, bluesky: HeardBluesky, clock: ManualClock
) -> None:
    with pytest.raises(SiteUnavailable, match="no post was heard yet"):
        bluesky.search(QUERY, window(), ignore)
    listen(posts, event(heard(1)))
    clock.advance(119)
    assert bluesky.search(QUERY, window(), ignore).posts
    clock.advance(2)
    with pytest.raises(SiteUnavailable, match="since 2025-05-10 15:30:00 UTC") as silent:
        bluesky.search(QUERY, window(), ignore)
    assert "footy listen" in silent.value.sentence()
    past = bluesky.search(QUERY, Window(ago(hours=3), ago(hours=2)), ignore)
    assert past.posts == (), "a past match needs no stream now"


def test_se7_a_window_before_the_listener_began_is_counted(
    posts: HeardPosts, bluesky: HeardBluesky
) -> None:
    listen(posts, event(heard(1), after=-600))
    listen(posts, event())
    assert bluesky.search(QUERY, window(), ignore).unreadable == {}
    listen(posts, StreamEvent(AT, missed_since=AT - 7200 * SECOND))
    assert bluesky.search(QUERY, window(), ignore).unreadable == {"not_heard": 1}


def test_se5_bluesky_is_heard_unless_a_search_is_configured(
    database: Database[Document], clock: ManualClock
) -> None:
    for settings, names in (
        (settings_of(), ["bluesky"]),
        (settings_of(sites=("x",)), []),
        (settings_of(bluesky_url="https://appview.example"), []),
    ):
        assert [site.name for site in heard_sites(settings, database, clock)] == names
        with open_sites(settings, clock, LocalRateLimit(), LocalFeeds()) as searched:
            assert ("bluesky" in [site.name for site in searched]) == bool(settings.bluesky_url)


def test_repeated_posts_are_stored_once(database: Database[Document], posts: HeardPosts) -> None:
    listen(posts, event(heard(1)), event(heard(2)))
    listen(posts, event(heard(2, "another text")), event(heard(3)))
    assert database[HEARD_POSTS].count_documents({}) == 3
    assert database[HEARD_POSTS].count_documents({"text": "another text"}) == 0


def test_removed_posts_and_accounts_go(database: Database[Document], posts: HeardPosts) -> None:
    listen(posts, event(*(heard(number) for number in range(1, 13))))
    gone = RemovedPost("did:plc:fan2/2"), RemovedAuthor("did:plc:fan1")
    listen(posts, event(heard(20)), event(*gone, RemovedPost("did:plc:fan20/20")), event(heard(21)))
    kept = {f"did:plc:fan{n}" for n in (*range(3, 13), 21)}
    assert ids(database) == kept, "fan10 is not fan1"


def test_an_edited_post_has_its_new_text(database: Database[Document], posts: HeardPosts) -> None:
    listen(posts, event(heard(1)))
    listen(posts, event(RemovedPost("did:plc:fan1/1"), heard(1, "corrected")))
    assert [one["text"] for one in database[HEARD_POSTS].find()] == ["corrected"]


def test_se5_a_crash_loses_nothing(database: Database[Document], posts: HeardPosts) -> None:
    """Killed between the posts and the position, and between two batches."""
    listen(posts, event(heard(1)))

    class Killed(HeardPosts):
        def advance(self, *_: object, **__: object) -> None:
            raise KeyboardInterrupt

    stream = Recorded(event(heard(2), after=1))
    with pytest.raises(KeyboardInterrupt):
        PostListener(Killed(database, "bluesky"), stream, ManualClock(NOW)).run(lambda: False)
    again = Recorded(event(heard(2), after=1), event(heard(3), after=2), fails=True)
    with pytest.raises(KeyboardInterrupt):
        PostListener(posts, again, ManualClock(NOW)).run(lambda: False)
    assert again.after == AT
    last = Recorded(event(heard(2), after=1), event(heard(3), after=2))
    PostListener(posts, last, ManualClock(NOW)).run(lambda: False)
    assert last.after == AT
    assert ids(database) == {f"did:plc:fan{n}" for n in (1, 2, 3)}
    state = posts.state()
    assert state is not None
    assert state.position == AT + 2 * SECOND


def test_a_batch_is_bounded_and_what_is_skipped_is_counted(
    database: Database[Document], posts: HeardPosts
) -> None:
    sizes: list[int] = []

    class Counting(HeardPosts):
        def write(self, posts: list[HeardPost], *others: object) -> None:  # type: ignore[override]
            sizes.append(len(posts))
            super().write(posts, *others)  # type: ignore[arg-type]

    flood = [event(heard(number), after=number / 1000) for number in range(1, 26)]
    flood += [event(after=1)] * 5
    flood += [
        StreamEvent(AT, unreadable="unknown_record"),
        StreamEvent(None, unreadable="too_large"),
    ]
    listener = PostListener(
        Counting(database, "bluesky"),
        Recorded(*flood),
        ManualClock(NOW),
        ListenRules(batch_changes=10, batch_seconds=60),
    )
    listener.run(lambda: False)
    assert sizes == [10, 10, 5]
    assert listener.counts == {"kept": 25, "passed": 5, "unknown_record": 1, "too_large": 1}
    state = posts.state()
    assert state is not None
    assert state.counts == dict(listener.counts)


def test_broken_connections_are_counted_also_while_nothing_is_heard(posts: HeardPosts) -> None:
    broken = StreamEvent(None, broke_off=True)
    listen(posts, event(heard(1)), broken)
    listen(posts, broken, None, broken)
    state = posts.state()
    assert state is not None
    assert state.counts == {"kept": 1, "reconnects": 3}
    assert state.position == AT


def test_posts_of_a_replayed_past_expire_by_the_clock_of_mongodb(
    database: Database[Document], posts: HeardPosts
) -> None:
    before = server_time(database)
    listen(posts, event(heard(1)))
    after = server_time(database)
    (stored,) = database[HEARD_POSTS].find()
    assert before <= stored["expires_at"] - timedelta(hours=48) <= after
    ttl = [one for one in database[HEARD_POSTS].list_indexes() if "expireAfterSeconds" in one]
    assert [(dict(one["key"]), one["expireAfterSeconds"]) for one in ttl] == [
        ({"expires_at": 1}, 0)
    ]


def test_a_query_uses_the_index(database: Database[Document], posts: HeardPosts) -> None:
    listen(posts, event(*(heard(number, f"word{number}") for number in range(1, 200))))
    wanted = {"words": {"$all": ["word7"]}, "posted_at": {"$gte": ago(hours=1)}}
    plan = database.command(
        "explain", {"find": HEARD_POSTS, "filter": {"$or": [wanted]}}, verbosity="executionStats"
    )
    assert plan["executionStats"]["totalDocsExamined"] == 1


def test_se5_from_the_stream_to_the_search_through_breaks(
    database: Database[Document], posts: HeardPosts, bluesky: HeardBluesky
) -> None:
    log = EventLog()
    for number in range(60):
        at = position_at(NOW) - (60 - number) * SECOND
        log.add(created(post(number, 60 - number), at) if number % 3 else chatter(at))
    with JetstreamServer(log) as server:
        server.faults.drops = [5, 1, 20, 13]
        stream = Jetstream([server.url], sleep=no_sleep)
        listener = PostListener(posts, stream, ManualClock(NOW), ListenRules(batch_changes=7))
        posts.advance(position_at(NOW) - 60 * SECOND, NOW, {})
        final = position_at(NOW) - SECOND

        def done() -> bool:
            state = posts.state()
            return state is not None and state.position == final

        listener.run(done)
    assert len(bluesky.search(QUERY, window(), ignore).posts) == 40
    assert database[LISTENERS].count_documents({}) == 1
