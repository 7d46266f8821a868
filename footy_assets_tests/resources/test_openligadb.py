"""OpenLigaDB over real HTTP: what is asked how often, what is read, and what is not trusted."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.providers.rules.adapter import ProviderMatch
from footy_assets.providers.rules.adapter_settings import OpenLigaDbSettings
from footy_assets.providers.rules.confidence import MIN_CONFIDENCE
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import NO_SCORE, Score
from footy_assets.sim.loopback import LoopbackApp
from resources.openligadb.client import OpenLigaDb
from resources.openligadb.models import OldbMatch
from resources.openligadb.translate import parse_matches, to_match

SATURDAY = date(2025, 9, 13)
KICKOFF = datetime(2025, 9, 13, 13, 30, tzinfo=UTC)
IN_PLAY = KICKOFF + timedelta(minutes=80)
AFTERWARDS = KICKOFF + timedelta(hours=3)
Json = dict[str, Any]


def a_goal(
    home: int, away: int, minute: int | None = 10, name: str = "A. Huber", **more: Any
) -> Json:
    return {
        "goalID": 100 * home + away,
        "scoreTeam1": home,
        "scoreTeam2": away,
        "matchMinute": minute,
        "goalGetterID": 77 if name else 0,
        "goalGetterName": name,
        "isPenalty": False,
        "isOwnGoal": False,
        "isOvertime": False,
        **more,
    }


def a_result(type_: int, home: int, away: int) -> Json:
    return {"resultTypeID": type_, "pointsTeam1": home, "pointsTeam2": away}


def a_match(
    id_: int = 1,
    kickoff: datetime = KICKOFF,
    goals: list[Json] | None = None,
    results: list[Json] | None = None,
    finished: bool = False,
    group: int = 3,
    **more: Any,
) -> Json:
    return {
        "matchID": id_,
        "matchDateTimeUTC": f"{kickoff:%Y-%m-%dT%H:%M:%SZ}",
        "leagueName": "1. Fußball-Bundesliga 2025/2026",
        "leagueSeason": 2025,
        "leagueShortcut": "bl1",
        "group": {"groupName": f"{group}. Spieltag", "groupOrderID": group, "groupID": 9},
        "team1": {"teamId": 11, "teamName": "TSV Nordhafen", "shortName": "Nordhafen"},
        "team2": {"teamId": 12, "teamName": "SC Südtal 07", "shortName": ""},
        "matchIsFinished": finished,
        "matchResults": results or [],
        "goals": goals or [],
        "location": None,
        **more,
    }


def read(now: datetime, **fields: Any) -> ProviderMatch:
    return to_match(OldbMatch.model_validate(a_match(**fields)), now)


def sides(match: ProviderMatch) -> list[str] | None:
    return None if match.goals is None else [goal.side for goal in match.goals]


# -- what is read ---------------------------------------------------------------------------


def test_a_match_has_both_names_of_a_team_the_league_and_its_kickoff() -> None:
    match = read(IN_PLAY)
    assert match.listed == ListedMatch(
        "1", KICKOFF, "TSV Nordhafen", "SC Südtal 07", "Bundesliga", "bl1", ("Nordhafen",), ()
    )
    assert match.home is not None
    assert match.home.id == "11"
    assert match.league is not None
    assert (match.league.id, match.league.season, match.league.round) == (
        "bl1",
        2025,
        "3. Spieltag",
    )


def test_goals_in_any_order_count_for_the_side_whose_score_rises() -> None:
    goals = [
        a_goal(2, 1, 80, "T. Vogel", isOwnGoal=True),
        a_goal(1, 0, 12),
        a_goal(1, 1, 44, " K. Sommer ", isPenalty=True),
    ]
    match = read(IN_PLAY, goals=goals)
    assert sides(match) == ["home", "away", "home"]
    assert [goal.detail for goal in match.goals or ()] == ["Normal Goal", "Penalty", "Own Goal"]
    assert [goal.scorer for goal in match.goals or ()] == ["A. Huber", "K. Sommer", "T. Vogel"]
    assert (match.score, match.goals and match.goals[0].scorer_id) == (Score(2, 1), "77")


def test_an_entry_without_minute_and_scorer_is_no_goal() -> None:
    goals = [a_goal(1, 0, 12), a_goal(2, 0, None, "")]
    match = read(IN_PLAY, goals=goals)
    assert (match.score, sides(match)) == (Score(1, 0), ["home"])


def test_an_entry_that_leaves_the_score_at_nil_is_no_goal() -> None:
    match = read(IN_PLAY, goals=[a_goal(0, 0, None, "B. Frei"), a_goal(0, 1, 50)])
    assert (match.score, sides(match)) == (Score(0, 1), ["away"])


def test_a_goal_with_a_scorer_but_no_minute_counts_and_leaves_no_list() -> None:
    match = read(IN_PLAY, goals=[a_goal(1, 0, 12), a_goal(2, 0, None)])
    assert (match.score, match.goals) == (Score(2, 0), None)


@pytest.mark.parametrize(
    "goals",
    [
        [a_goal(1, 0, 12), a_goal(2, 1, 70)],
        [a_goal(1, 0, 12), a_goal(1, 0, 13, "B. Frei"), a_goal(2, 0, 60)],
    ],
)
def test_a_list_with_a_gap_or_a_double_is_not_used_but_its_score_is(goals: list[Json]) -> None:
    match = read(IN_PLAY, goals=goals)
    assert match.goals is None
    assert match.score == Score(goals[-1]["scoreTeam1"], goals[-1]["scoreTeam2"])


def test_while_nobody_types_a_match_in_play_has_neither_score_nor_goals() -> None:
    match = read(IN_PLAY)
    assert (match.period, match.minute, match.score, match.goals) == ("LIVE", None, NO_SCORE, None)


def test_during_play_no_goals_are_no_list_even_if_somebody_typed_nil_nil() -> None:
    match = read(IN_PLAY, results=[a_result(1, 0, 0)])
    assert (match.score, match.goals) == (Score(0, 0), None)


def test_after_the_match_a_list_that_differs_from_the_result_is_not_used() -> None:
    match = read(AFTERWARDS, goals=[a_goal(1, 0)], results=[a_result(2, 1, 1)], finished=True)
    assert (match.score, match.goals) == (Score(1, 1), None)


def test_a_goalless_match_has_an_empty_list_after_its_end() -> None:
    match = read(AFTERWARDS, results=[a_result(2, 0, 0), a_result(1, 0, 0)], finished=True)
    assert (match.period, match.score, match.goals) == ("FT", Score(0, 0), ())


def test_the_kicks_of_a_shoot_out_are_no_goals() -> None:
    goals = [a_goal(1, 0, 12), a_goal(1, 1, 118), a_goal(2, 1, None), a_goal(2, 2, None)]
    results = [a_result(2, 1, 0), a_result(4, 1, 1), a_result(5, 4, 5)]
    for now in (KICKOFF + timedelta(hours=3), KICKOFF + timedelta(hours=5)):
        match = read(now, goals=goals, results=results, finished=now.hour > 17)
        assert (match.score, sides(match)) == (Score(1, 1), ["home", "away"])
    assert match.period == "PEN"


def test_stoppage_time_is_told_from_extra_time() -> None:
    [goal] = read(AFTERWARDS, goals=[a_goal(1, 0, 93)]).goals or ()
    assert goal.minute == MatchMinute(90, 3)
    [goal] = read(AFTERWARDS, goals=[a_goal(1, 0, 93, isOvertime=True)]).goals or ()
    assert goal.minute == MatchMinute(93)


@pytest.mark.parametrize(
    ("minutes", "finished", "results", "period"),
    [
        (-60, False, [], "NS"),
        (-60, True, [], "NS"),
        (0, False, [], "LIVE"),
        # A flag that comes before a match can be over is wrong.
        (80, True, [], "LIVE"),
        (110, True, [], "FT"),
        (170, True, [a_result(2, 1, 1), a_result(4, 2, 1)], "AET"),
        (200, False, [a_result(2, 1, 1)], "LIVE"),
        # A flag that nobody sets.
        (250, False, [a_result(2, 1, 1)], "FT"),
        (250, False, [], "NS"),
    ],
)
def test_the_status_follows_from_kickoff_entries_and_flag(
    minutes: int, finished: bool, results: list[Json], period: str
) -> None:
    now = KICKOFF + timedelta(minutes=minutes)
    assert read(now, finished=finished, results=results).period == period


def test_one_unreadable_match_is_reported_and_affects_no_other() -> None:
    items = [a_match(1), a_match(2) | {"matchDateTimeUTC": None}, "what?", a_match(4)]
    matches, unreadable = parse_matches(items)
    assert [match.id for match in matches] == [1, 4]
    assert [piece.subject for piece in unreadable] == ["OpenLigaDB match 2", "OpenLigaDB match ?"]


@pytest.mark.parametrize("name", [None, "", "  "])
def test_a_match_whose_teams_are_not_drawn_yet_is_left_out(name: str | None) -> None:
    assert parse_matches([a_match() | {"team2": {"teamId": 0, "teamName": name}}]) == ([], [])


def test_it_counts_but_less_than_others() -> None:
    assert MIN_CONFIDENCE <= OpenLigaDbSettings.default_confidence < 1
    assert OpenLigaDbSettings().leagues == ("bl1", "bl2", "bl3", "dfb")


# -- what is asked --------------------------------------------------------------------------


class OpenLigaServer(LoopbackApp):
    """Matchdays by league and number; `current` is the number of the current one."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1", 0)
        self.clear()

    def clear(self) -> None:
        self.matchdays: dict[tuple[str, int], list[Any]] = {}
        self.current: dict[str, int] = {}
        self.changed = "2025-09-13T15:00:00.1"
        self.status: dict[str, int] = {}
        self.headers: dict[str, str] = {}
        self.paths: list[str] = []
        self.agents: set[str] = set()

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._serve)])

    async def _serve(self, request: Request) -> Response:
        path = request.url.path.strip("/")
        self.paths.append(path)
        self.agents.add(request.headers["user-agent"])
        what, league, *rest = path.split("/")
        if status := self.status.get(league, self.status.get("*")):
            return Response(status_code=status, headers=self.headers)
        if what == "getlastchangedate":
            return JSONResponse(self.changed)
        number = int(rest[1]) if rest else self.current.get(league, 0)
        return JSONResponse(self.matchdays.get((league, number), []))


@pytest.fixture(scope="module")
def shared_server() -> Iterator[OpenLigaServer]:
    with OpenLigaServer() as server:
        yield server


@pytest.fixture
def server(shared_server: OpenLigaServer) -> OpenLigaServer:
    """Matchday 3 of bl1 on Saturday and Sunday, matchday 4 a week later, nothing in the cup."""
    shared_server.clear()
    sunday = KICKOFF + timedelta(days=1)
    shared_server.matchdays["bl1", 3] = [a_match(1, goals=[a_goal(1, 0)]), a_match(2, sunday)]
    shared_server.matchdays["bl1", 4] = [a_match(3, KICKOFF + timedelta(days=7), group=4)]
    shared_server.matchdays["bl1", 2] = [a_match(4, KICKOFF - timedelta(days=7), group=2)]
    shared_server.current["bl1"] = 3
    return shared_server


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_PLAY)


@pytest.fixture
def adapter(server: OpenLigaServer, clock: ManualClock) -> OpenLigaDb:
    return OpenLigaDb(f"{server.url}/", ["bl1", "dfb"], clock)


def wanted(start: datetime = KICKOFF, competition_id: str | None = "bl1") -> list[ListedMatch]:
    return [ListedMatch("", start, "Nordhafen", "Südtal", "Bundesliga", competition_id)]


def ids(matches: tuple[ProviderMatch, ...]) -> list[str]:
    return [match.listed.id for match in matches]


@pytest.mark.parametrize(("days", "found"), [(-7, "4"), (0, "1"), (1, "2"), (7, "3")])
def test_a_day_is_found_in_the_current_matchday_or_next_to_it(
    adapter: OpenLigaDb, days: int, found: str
) -> None:
    assert ids(adapter.discover(SATURDAY + timedelta(days=days), 5).matches) == [found]


def test_a_day_without_a_match_is_empty(adapter: OpenLigaDb) -> None:
    assert adapter.discover(SATURDAY + timedelta(days=3), 5).matches == ()


def test_an_unchanged_matchday_is_not_fetched_again(
    adapter: OpenLigaDb, server: OpenLigaServer, clock: ManualClock
) -> None:
    assert [match.score for match in adapter.fetch(wanted(), 5).matches] == [Score(1, 0), NO_SCORE]
    assert server.paths == ["getmatchdata/bl1"]
    for _ in range(3):
        clock.advance(30)
        assert adapter.fetch(wanted(), 5).matches[0].score == Score(1, 0)
    change = "getlastchangedate/bl1/2025/3"
    assert server.paths[1:] == [change, "getmatchdata/bl1/2025/3", change, change]


def test_a_changed_matchday_is_fetched_at_once(
    adapter: OpenLigaDb, server: OpenLigaServer, clock: ManualClock
) -> None:
    for _ in range(2):
        adapter.fetch(wanted(), 5)
        clock.advance(30)
    server.matchdays["bl1", 3] = [a_match(1, goals=[a_goal(1, 0), a_goal(2, 0, 81)])]
    assert adapter.fetch(wanted(), 5).matches[0].score == Score(1, 0), "no change is reported"
    server.changed = "2025-09-13T15:01:30"
    assert adapter.fetch(wanted(), 5).matches[0].score == Score(2, 0)


def test_a_change_that_is_not_reported_is_noticed_after_ten_minutes(
    adapter: OpenLigaDb, server: OpenLigaServer, clock: ManualClock
) -> None:
    for _ in range(2):
        adapter.fetch(wanted(), 5)
        clock.advance(30)
    server.matchdays["bl1", 3] = [a_match(1, goals=[a_goal(1, 0), a_goal(2, 0, 81)])]
    clock.advance(600)
    assert adapter.fetch(wanted(), 5).matches[0].score == Score(2, 0)


def test_only_leagues_and_matchdays_of_wanted_matches_are_asked(
    adapter: OpenLigaDb, server: OpenLigaServer, clock: ManualClock
) -> None:
    adapter.fetch(wanted(competition_id=None), 5)
    assert server.paths == ["getmatchdata/bl1", "getmatchdata/dfb"]
    clock.advance(30)
    assert adapter.fetch(wanted(KICKOFF + timedelta(hours=5)), 5).matches == ()
    assert adapter.fetch(wanted(competition_id="eng.1"), 5).matches == ()
    assert len(server.paths) == 2


def test_it_says_who_asks(adapter: OpenLigaDb, server: OpenLigaServer) -> None:
    adapter.discover(SATURDAY, 5)
    [agent] = server.agents
    assert agent.startswith("footy-assets/")


@pytest.mark.parametrize(
    ("status", "headers", "kind", "silent"),
    [
        (403, {}, ProviderRefused, 3600),
        (429, {}, ProviderRateLimited, 300),
        (429, {"retry-after": "900"}, ProviderRateLimited, 900),
    ],
)
def test_l4_refused_it_stops_and_says_until_when(
    adapter: OpenLigaDb,
    server: OpenLigaServer,
    clock: ManualClock,
    status: int,
    headers: dict[str, str],
    kind: type[ProviderError],
    silent: int,
) -> None:
    server.status, server.headers = {"*": status}, headers
    until = clock.now() + timedelta(seconds=silent)
    with pytest.raises(kind, match=f"until {until:%H:%M:%S} UTC") as raised:
        adapter.discover(SATURDAY, 5)
    assert "sources" in raised.value.fix
    clock.advance(silent - 1)
    adapter.recycle()
    with pytest.raises(kind):
        adapter.fetch(wanted(), 5)
    assert len(server.paths) == 1
    server.status = {}
    clock.advance(1)
    assert ids(adapter.discover(SATURDAY, 5).matches) == ["1"]


def test_a_league_that_fails_is_reported_and_affects_no_other(
    adapter: OpenLigaDb, server: OpenLigaServer
) -> None:
    server.status = {"dfb": 404}
    answer = adapter.discover(SATURDAY, 5)
    assert ids(answer.matches) == ["1"]
    assert [piece.subject for piece in answer.unreadable] == ["OpenLigaDB league dfb"]


@pytest.mark.parametrize(
    ("status", "kind"), [(500, ProviderUnavailable), (404, ProviderAnswerInvalid)]
)
def test_if_every_league_fails_the_request_fails(
    adapter: OpenLigaDb, server: OpenLigaServer, status: int, kind: type[ProviderError]
) -> None:
    server.status = {"*": status}
    with pytest.raises(kind, match="OpenLigaDB"):
        adapter.discover(SATURDAY, 5)


def test_an_answer_of_another_format_is_an_error_and_no_empty_day(
    adapter: OpenLigaDb, server: OpenLigaServer
) -> None:
    server.matchdays["bl1", 3] = [{"id": 7}]
    answer = adapter.discover(SATURDAY, 5)
    assert [piece.subject for piece in answer.unreadable] == ["OpenLigaDB league bl1"]


def test_a_server_that_does_not_answer_is_unavailable(clock: ManualClock) -> None:
    with pytest.raises(ProviderUnavailable, match=r"127\.0\.0\.1"):
        OpenLigaDb("http://127.0.0.1:9", ["bl1"], clock).discover(SATURDAY, 5)


def test_recycling_forgets_what_was_fetched(
    adapter: OpenLigaDb, server: OpenLigaServer, clock: ManualClock
) -> None:
    adapter.discover(SATURDAY, 5)
    adapter.recycle()
    adapter.discover(SATURDAY, 5)
    assert server.paths.count("getmatchdata/bl1") == 2
    assert adapter.figures() is None
    adapter.reset()
    adapter.close()
