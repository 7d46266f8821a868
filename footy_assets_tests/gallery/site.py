"""The web app as a real server on a free port, and a matchday for it to show."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from pymongo.database import Database

from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clips.store.held import HeldFiles
from footy_assets.clips.work import ClipBatch, ClipWork
from footy_assets.clock import ManualClock
from footy_assets.gallery.access import access_of
from footy_assets.gallery.app import create_app
from footy_assets.gallery.services import AppServices, make_services
from footy_assets.gallery.serving import Server
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent, Removal, RemovalReason
from footy_assets.matchday.rules.line_up import LineUp, RosterPlayer
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import NOBODY, League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import fixture_document, goal_document
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.media.examine import FileExaminer
from footy_assets.search.rules.video import VideoState
from footy_assets.search.store.ahead import AheadStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.search.store.videos import VideoStore, video_key
from footy_assets.settings import Settings, load_settings
from footy_assets.store.collections import EVENTS, FIXTURES, VIDEOS, Document, ensure_indexes
from footy_assets.store.leases import Leases
from footy_assets.web_server.connections import ConnectionLimits
from footy_assets.web_server.listening import listen, server_config
from footy_assets_tests.clips.clip_harness import LENIENT, FilmHost, no_log_lines, validate
from footy_assets_tests.matchday.goals import KICKOFF
from footy_assets_tests.media.cells import shared_cell
from footy_assets_tests.waiting import wait_until
from resources.s3.clip_store import ClipStore

TOKEN = "s3cret-t0ken"
POPULAR = 1240


@dataclass
class Site:
    """A running web server and its services."""

    url: str
    services: AppServices


@contextmanager
def running_site(
    database: Database[Document],
    objects: ClipStore,
    clock: ManualClock,
    settings: Settings | None = None,
    *,
    live: bool = True,
    send_buffer: int | None = None,
    limits: ConnectionLimits | None = None,
) -> Iterator[Site]:
    settings = settings or load_settings(api_port=0, api_token=TOKEN, dagster_port=0)
    ensure_indexes(database)
    listening_socket = listen(access_of(settings), settings.api_port, "the web app")
    if send_buffer is not None:
        listening_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    port = listening_socket.getsockname()[1]
    settings = settings.model_copy(update={"api_port": port})
    services = make_services(settings, database, objects, clock)
    limits = limits or ConnectionLimits.for_this_process(settings.max_connections)
    config = server_config(create_app(services, limits, live=live), limits)
    server = Server(config, services.feed)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening_socket]})
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield Site(f"http://127.0.0.1:{port}", services)
    finally:
        server.should_exit = True
        thread.join(15)
        listening_socket.close()
        assert not thread.is_alive()


@dataclass
class Day:
    """Matches, goals and clips, written as the pipeline writes them."""

    database: Database[Document]
    objects: ClipStore
    folder: Path
    clock: ManualClock
    host: FilmHost = field(default_factory=FilmHost)

    def match(
        self,
        id: int = 5000,
        home: str = "Liverpool",
        away: str = "Manchester United",
        status: str = "2H",
        score: tuple[int | None, int | None] = (0, 0),
        *,
        league: tuple[int, str] = (39, "Premier League"),
        elapsed: int | None = 67,
        kickoff_in: float = 0.0,
        state: FixtureState = FixtureState.ACTIVE,
    ) -> Fixture:
        fixture = Fixture(
            id=id,
            kickoff=KICKOFF + timedelta(hours=kickoff_in),
            status=status,
            league=League(*league, 2024),
            home=Side(2 * id, home),
            away=Side(2 * id + 1, away),
            state=state,
            goals=score,
            elapsed=elapsed,
            elapsed_at=self.clock.now(),
        )
        self.database[FIXTURES].replace_one(
            {"_id": fixture.id}, fixture_document(fixture), upsert=True
        )
        return fixture

    def goal(
        self,
        fixture: Fixture,
        minute: int,
        name: str | None,
        *,
        side: str = "home",
        score: tuple[int, int] = (1, 0),
        polls: int = 3,
        planned: int = 10,
        counted: int = 0,
        extra: int | None = None,
        assist: str | None = None,
        detail: str = "Normal Goal",
    ) -> GoalEvent:
        team = fixture.home if side == "home" else fixture.away
        number = fixture.id * 200 + minute * 2 + (extra or 0)
        seen = self.clock.now()
        goal = GoalEvent(
            key=f"{number:032x}",
            event_id=f"{fixture.id}_{team.id}_{number if name else 'unknown'}_Goal_1",
            fixture_id=fixture.id,
            team_id=team.id,
            player=Player(number, name) if name else NOBODY,
            minute=MatchMinute(minute, extra),
            detail=detail,
            assist=Player(number + 1, assist) if assist else NOBODY,
            side="home" if side == "home" else "away",
            score_after=score,
            first_seen_at=seen,
            stable_at=seen + timedelta(minutes=1) if polls >= 3 else None,
            seen_in_polls=tuple(f"p{n}" for n in range(polls)),
            attempts_planned=planned,
            attempts_counted=counted,
        )
        self.write(goal)
        return goal

    def line_ups(self, fixture: Fixture, *names: str) -> None:
        """Eleven of each team start, the first of them with these names; three are on the bench."""
        store = RosterStore(self.database)
        sides = (fixture.home, "4-3-3", names), (fixture.away, "4-2-3-1", ())
        line_ups = [
            LineUp(
                team.id,
                tuple(
                    RosterPlayer(
                        Player(team.id * 100 + n, dict(enumerate(named)).get(n, f"Player {n + 1}")),
                        n + 1,
                        "GDDDDMMMFFFGDF"[n],
                        starts=n < 11,
                    )
                    for n in range(14)
                ),
                formation,
            )
            for team, formation, named in sides
        ]
        store.save_line_ups(fixture.id, line_ups, self.clock.now(), complete=True)

    def squads(self, fixture: Fixture, *names: str) -> None:
        """Of the home team these, and one of the other: what is known before the line-ups."""
        store = RosterStore(self.database)
        for team, named in ((fixture.home, names), (fixture.away, ("Bruno Fernandes",))):
            players = [
                RosterPlayer(Player(team.id * 100 + n, name), n + 1, "Midfielder")
                for n, name in enumerate(named)
            ]
            store.save_squad(team.id, players, self.clock.now())

    def write(self, goal: GoalEvent) -> None:
        document = goal_document(goal)
        self.database[EVENTS].update_one({"_id": goal.key}, {"$set": document}, upsert=True)

    def remove(self, goal: GoalEvent) -> None:
        self.write(replace(goal, removal=Removal(self.clock.now(), RemovalReason.VAR)))

    def clips(
        self, goal: GoalEvent, *films: str, source: str = "x", run_id: str = "run-1"
    ) -> ClipBatch:
        """Publishes these films as clips of a goal: every step of the product but the download."""
        for number, film in enumerate(films):
            video_id = f"{source}:{film}"
            self.database[VIDEOS].insert_one(
                {
                    "_id": video_key(goal.key, video_id),
                    "goal_key": goal.key,
                    "fixture_id": goal.fixture_id,
                    "video_id": video_id,
                    "source": source,
                    "url": f"https://{source}.test/{film}",
                    "video_url": f"film:{film}",
                    "posted_at": self.clock.now(),
                    "popularity": POPULAR // (number + 1),
                    "state": VideoState.CHOSEN,
                    "attempt": 1,
                    "tries": 0,
                }
            )
        return self.work().run(goal, run_id, no_log_lines)

    def work(self) -> ClipWork:
        return ClipWork(
            documents=ClipDocuments(self.database),
            videos=VideoStore(self.database),
            searches=SearchStore(self.database),
            leases=Leases(self.database),
            held=HeldFiles(self.database),
            ahead=AheadStore(self.database),
            objects=self.objects,
            downloader=self.host,
            examiner=FileExaminer(validate, shared_cell(), LENIENT),
            playable=shared_cell(),
            clock=self.clock,
            folder=self.folder,
        )

    def documents(self, goal: GoalEvent) -> list[Document]:
        return ClipDocuments(self.database).documents_of([goal.key])
