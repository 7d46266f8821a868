"""A2: each provider's answer as R5, read over HTTP and in a real browser."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Any

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.errors import ProviderRateLimited, ProviderRefused, ProviderUnavailable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import IncidentKind
from footy_assets.providers.rules.adapter import (
    Adapter,
    IncidentClaim,
    LeagueClaim,
    ProviderMatch,
    TeamClaim,
)
from footy_assets.providers.rules.adapter_settings import PageSettings
from footy_assets.providers.rules.identify import Aliases, ListedMatch, Mapped, identify
from footy_assets.providers.rules.match import (
    GoalClaim,
    MatchPhase,
    PersonClaim,
    Score,
    phase_of,
)
from footy_assets.providers.rules.normalise import to_report
from footy_assets.sim import World
from footy_assets.sim.lens_server import LensServer
from footy_assets.sim.other_providers import OtherProviders
from resources.api_football.client import ApiFootball
from resources.football_data.client import FootballData, spans
from resources.football_data.translate import parse_matches
from resources.score_page.client import ScorePage, parse_rows


@pytest.fixture
def in_play(world: World, clock: ManualClock) -> list[ListedMatch]:
    """All matches, an hour and a half after the first kickoff."""
    clock.advance(timedelta(minutes=130).total_seconds())
    return [
        ListedMatch(
            str(s.fixture_id),
            s.timetable.kickoff_at(clock.now()),
            s.home.name,
            s.away.name,
            s.league.name,
        )
        for s in world.scripts
    ]


@pytest.fixture
def page(other_providers: OtherProviders, clock: ManualClock) -> Iterator[ScorePage]:
    adapter = ScorePage(PageSettings(url=f"{other_providers.url}/scores"), clock)
    yield adapter
    adapter.close()


def by_match_id(
    matches: tuple[ProviderMatch, ...], ours: list[ListedMatch]
) -> dict[int, ProviderMatch]:
    found = {}
    for match in matches:
        identified = identify(match.listed, ours, Aliases())
        assert isinstance(identified, Mapped), identified
        found[int(identified.match_id)] = match
    return found


def assert_agrees_with_main(
    adapter: Adapter, main: LensServer, clock: ManualClock, ours: list[ListedMatch]
) -> dict[int, ProviderMatch]:
    matches = by_match_id(adapter.fetch(ours, within=15).matches, ours)
    with ApiFootball(main.url, None) as feed:
        sightings = feed.by_ids([int(one.id) for one in ours]).sightings
    assert set(matches) == set(sightings)
    for id_, sighting in sightings.items():
        own = to_report(sighting, "main", clock.now()).match
        other = matches[id_].to_report(id_, "other", clock.now(), 1.0).match
        assert (other.score, other.phase, other.start) == (own.score, own.phase, own.start)
        if own.period in ("1H", "2H"):
            assert (other.period, other.minute) == (own.period, own.minute)
    return matches


def test_A2_football_data_agrees_with_the_main_provider(
    other_providers: OtherProviders,
    main: LensServer,
    clock: ManualClock,
    in_play: list[ListedMatch],
) -> None:
    adapter = FootballData(other_providers.url)
    matches = assert_agrees_with_main(adapter, main, clock, in_play)
    with_goals = [match for match in matches.values() if match.goals]
    assert with_goals
    for match in with_goals:
        assert match.goals is not None
        home = sum(claim.side == "home" for claim in match.goals)
        assert Score(home, len(match.goals) - home) == match.score
    adapter.close()


@pytest.mark.slow
def test_A2_a_page_is_read_in_the_browser(
    page: ScorePage,
    main: LensServer,
    other_providers: OtherProviders,
    clock: ManualClock,
    in_play: list[ListedMatch],
) -> None:
    assert_agrees_with_main(page, main, clock, in_play)
    figures = page.figures()
    assert figures is not None
    assert figures.processes > 1
    assert figures.megabytes > 50
    page.recycle()
    assert page.figures().processes == 0  # type: ignore[union-attr]
    assert page.fetch(in_play, within=15).matches
    other_providers.page.broken = "down"
    with pytest.raises(ProviderUnavailable):
        page.fetch(in_play, within=2)


@pytest.mark.parametrize("broken", ["down", "garbage"])
def test_A2_each_failure_of_a_provider_has_its_error_class(
    other_providers: OtherProviders, in_play: list[ListedMatch], broken: str
) -> None:
    other_providers.football_data.broken = broken  # type: ignore[assignment]
    with pytest.raises(ProviderUnavailable):
        FootballData(other_providers.url).fetch(in_play, within=5)


def test_A3_a_rate_limit_error_has_the_time_to_wait(
    other_providers: OtherProviders, in_play: list[ListedMatch]
) -> None:
    other_providers.football_data.broken = "limited"
    with pytest.raises(ProviderRateLimited, match="20 s"):
        FootballData(other_providers.url).fetch(in_play, within=5)


@pytest.mark.parametrize("token", [" secret-7\n", "\tsecret-7 "])
def test_A2_a_token_is_stripped(
    other_providers: OtherProviders, in_play: list[ListedMatch], token: str
) -> None:
    assert FootballData(other_providers.url, token).fetch(in_play, within=5).matches


@pytest.mark.parametrize("token", ["secret-7\nX-Other: 1", "secret-7\x00", "secret-7\u2019"])
def test_A2_a_token_that_is_not_valid_in_a_header_is_refused_and_not_printed(
    other_providers: OtherProviders, in_play: list[ListedMatch], token: str
) -> None:
    with pytest.raises(ProviderRefused) as refused:
        FootballData(other_providers.url, token).fetch(in_play, within=5)
    assert "secret" not in str(refused.value)


def test_A2_an_invalid_header_is_not_printed(
    other_providers: OtherProviders, in_play: list[ListedMatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuses(*_: object, **__: object) -> None:
        raise httpx.LocalProtocolError("Illegal header value b'secret-7'")

    monkeypatch.setattr(httpx.AsyncClient, "send", refuses)
    with pytest.raises(ProviderUnavailable) as failed:
        FootballData(other_providers.url, "secret-7").fetch(in_play, within=5)
    assert "secret" not in str(failed.value)
    assert failed.value.__suppress_context__


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"])
def test_retry_an_answer_that_trickles_has_15_s_in_all(
    in_play: list[ListedMatch], begin: bytes
) -> None:
    ended = Event()

    def trickle(server: socket.socket) -> None:
        caller, _ = server.accept()
        with caller, suppress(OSError):
            caller.sendall(begin)
            while not ended.wait(0.1):
                caller.sendall(b"H" if not begin else b" ")

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(trickle, server)
        adapter = FootballData(f"http://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(ProviderUnavailable, match=r"within 0\.5 s"):
            adapter.fetch(in_play, within=0.5)
        assert not ended.is_set(), "it does not wait for the end of the response"
        ended.set()


def test_A2_one_bad_match_spoils_no_other() -> None:
    good = {
        "id": 1,
        "utcDate": "2025-05-10T14:00:00Z",
        "status": "IN_PLAY",
        "minute": 45,
        "injuryTime": 2,
        "homeTeam": {"id": 1, "name": "A"},
        "awayTeam": {"id": 2, "name": "B"},
        "score": {"fullTime": {"home": 1, "away": 0}},
    }
    found = parse_matches([{**good, "utcDate": "soon"}, good, "nonsense"])
    (match,) = found.matches
    assert (match.period, match.minute) == ("1H", MatchMinute(45, 2))
    assert match.goals is None
    assert [piece.subject for piece in found.unreadable] == [
        "football-data match 1",
        "football-data match ?",
    ]


def test_A2_a_list_of_goals_that_lags_behind_the_score_is_not_used() -> None:
    match = {
        "id": 1,
        "utcDate": "2025-05-10T14:00:00Z",
        "status": "IN_PLAY",
        "minute": 50,
        "homeTeam": {"id": 1, "name": "A"},
        "awayTeam": {"id": 2, "name": "B"},
        "score": {"fullTime": {"home": 1, "away": 0}},
        "goals": [],
    }
    assert parse_matches([match]).matches[0].goals is None


def test_A2_a_match_whose_teams_are_not_decided_is_readable() -> None:
    team = {"id": None, "name": None, "shortName": None, "tla": None, "crest": None}
    undecided = {
        "id": 1,
        "utcDate": "2026-07-04T14:00:00Z",
        "status": "SCHEDULED",
        "homeTeam": team,
        "awayTeam": {"id": 7, "name": "Brazil"},
        "score": {"winner": None, "fullTime": {"home": None, "away": None}},
    }
    found = parse_matches([undecided])
    (match,) = found.matches
    assert found.unreadable == ()
    assert (match.listed.home, match.listed.away, match.period) == ("", "Brazil", "NS")
    assert identify(match.listed, [match.listed], Aliases()) is None


def test_A2_a_kickoff_in_place_of_the_status_is_a_match_to_come() -> None:
    match = parse_match({"status": "2025-05-10 14:00:00Z"})
    assert phase_of(match.period) is MatchPhase.UPCOMING


def test_A4_names_codes_and_country_are_carried_for_the_mapping() -> None:
    match = parse_match(
        {
            "status": "TIMED",
            "area": {"id": 2072, "name": "England"},
            "competition": {"id": 2021, "name": "Premier League", "code": "PL"},
            "homeTeam": {"id": 1, "name": "Burnley FC", "shortName": "Burnley", "tla": "BUR"},
        }
    )
    assert match.listed.home_also == ("Burnley", "BUR")
    assert (match.listed.competition_id, match.listed.country) == ("PL", "England")
    assert match.listed.away_also == ()


MATCH = {
    "id": 1,
    "utcDate": "2025-05-10T14:00:00Z",
    "homeTeam": {"id": 531, "name": "A"},
    "awayTeam": {"id": 516, "name": "B"},
}


def parse_match(sightings: dict[str, Any]) -> ProviderMatch:
    (match,) = parse_matches([{**MATCH, **sightings}]).matches
    return match


def test_L1_football_data_names_teams_league_players_and_cards_by_its_ids() -> None:
    haaland, foden = {"id": 38101, "name": "Erling Haaland"}, {"id": 7, "name": "Phil Foden"}
    side = {"id": 531, "name": "A"}
    match = parse_match(
        {
            "status": "FINISHED",
            "area": {"name": "Germany"},
            "competition": {"id": 2002, "name": "Bundesliga", "code": "BL1"},
            "season": {"id": 1, "startDate": "2025-08-15", "endDate": "2026-05-16"},
            "matchday": 34,
            "homeTeam": {**side, "crest": "https://crests.example/531.png"},
            "score": {"winner": "HOME_TEAM", "fullTime": {"home": 2, "away": 0}},
            "goals": [
                {"minute": 9, "team": side, "scorer": haaland, "assist": foden},
                {"minute": 80, "team": side, "scorer": None, "assist": None},
            ],
            "bookings": [
                {"minute": 40, "team": {"id": 516}, "player": foden, "card": "YELLOW_RED"},
                {"minute": None, "team": {"id": 516}, "player": foden, "card": "RED"},
            ],
        }
    )
    assert match.league == LeagueClaim("BL1", "Bundesliga", 2025, "Matchday 34", "Germany")
    assert match.home == TeamClaim("531", "https://crests.example/531.png", True)
    assert match.away == TeamClaim("516", None, False)
    normal = "Normal Goal"
    assert match.goals == (
        GoalClaim(
            *("home", MatchMinute(9), normal, "Erling Haaland", "38101"),
            PersonClaim("7", "Phil Foden"),
        ),
        GoalClaim("home", MatchMinute(80), normal),
    )
    card = PersonClaim("7", "Phil Foden")
    assert match.incidents == (
        IncidentClaim(IncidentKind.CARD, "away", MatchMinute(40), "Second Yellow card", card),
    )
    assert match.cards == Score(0, 1)


def test_A2_an_unreadable_goal_or_card_spoils_no_match() -> None:
    match = {**MATCH, "status": "IN_PLAY", "score": {"fullTime": {"home": 1, "away": 0}}}
    found = parse_matches([{**match, "goals": [{"minute": None}], "bookings": ["?"]}])
    (one,) = found.matches
    assert (one.score, one.goals, one.incidents) == (Score(1, 0), None, ())
    assert [piece.subject for piece in found.unreadable] == [
        "football-data match 1, booking",
        "football-data match 1, goal",
    ]


@pytest.mark.parametrize(
    ("status", "duration", "minute", "period"),
    [
        ("TIMED", "REGULAR", None, "NS"),
        ("IN_PLAY", "REGULAR", 30, "1H"),
        ("IN_PLAY", "REGULAR", 46, "2H"),
        ("IN_PLAY", "EXTRA_TIME", 95, "ET"),
        ("IN_PLAY", "PENALTY_SHOOTOUT", 120, "P"),
        ("PAUSED", "REGULAR", 45, "HT"),
        ("PAUSED", "EXTRA_TIME", 90, "BT"),
        ("EXTRA_TIME", "EXTRA_TIME", 95, "ET"),
        ("FINISHED", "REGULAR", 90, "FT"),
        ("FINISHED", "EXTRA_TIME", 120, "AET"),
        ("FINISHED", "PENALTY_SHOOTOUT", 120, "PEN"),
        ("SUSPENDED", "REGULAR", 60, "SUSP"),
        ("POSTPONED", "REGULAR", None, "PST"),
        ("CANCELLED", "REGULAR", None, "CANC"),
        ("AWARDED", "REGULAR", None, "AWD"),
    ],
)
def test_A2_the_periods_of_football_data(
    status: str, duration: str, minute: int | None, period: str
) -> None:
    """`score.duration` also shows how far a running match is."""
    assert parse_match(
        {"status": status, "minute": minute, "score": {"duration": duration}}
    ).period == (period)


@pytest.mark.parametrize(
    ("parts", "score"),
    [
        ({"fullTime": {"home": 2, "away": 1}}, Score(2, 1)),
        (
            {
                "duration": "PENALTY_SHOOTOUT",
                "fullTime": {"home": 6, "away": 4},
                "regularTime": {"home": 1, "away": 0},
                "extraTime": {"home": 0, "away": 1},
                "penalties": {"home": 5, "away": 3},
            },
            Score(1, 1),
        ),
        (
            {
                "duration": "PENALTY_SHOOTOUT",
                "fullTime": {"home": 5, "away": 4},
                "penalties": {"home": 4, "away": 3},
            },
            Score(1, 1),
        ),
        ({"duration": "PENALTY_SHOOTOUT", "fullTime": {"home": 1, "away": 1}}, Score(1, 1)),
    ],
)
def test_A2_the_kicks_of_a_shoot_out_are_no_goals(parts: dict[str, Any], score: Score) -> None:
    assert parse_match({"status": "FINISHED", "score": parts}).score == score


@pytest.mark.parametrize("named", [516, 531])
def test_A2_an_own_goal_counts_for_the_side_whose_score_rose(named: int) -> None:
    """The score decides the side, whichever team the goal names."""
    goals = [
        {"minute": 28, "type": "PENALTY", "team": {"id": 516}, "score": {"home": 0, "away": 1}},
        {"minute": 90, "injuryTime": 3, "type": "OWN", "team": {"id": named, "name": None}}
        | {"score": {"home": 1, "away": 1}},
    ]
    match = parse_match(
        {"status": "FINISHED", "score": {"fullTime": {"home": 1, "away": 1}}, "goals": goals}
    )
    assert match.goals is not None
    assert [(claim.side, claim.minute, claim.detail) for claim in match.goals] == [
        ("away", MatchMinute(28), "Penalty"),
        ("home", MatchMinute(90, 3), "Own Goal"),
    ]


def test_A2_no_more_than_ten_days_are_requested_at_once(
    other_providers: OtherProviders, in_play: list[ListedMatch]
) -> None:
    """The provider refuses longer spans; the end date is exclusive."""
    day = in_play[0].start.date()
    assert spans([day]) == [(day - timedelta(days=1), day + timedelta(days=2))]
    week = [day + timedelta(days=n) for n in range(8)]
    assert spans(week) == [(day - timedelta(days=1), day + timedelta(days=9))]
    assert len(spans([*week, day + timedelta(days=8)])) == 2
    long_ago = replace(in_play[0], start=in_play[0].start - timedelta(days=30))
    found = FootballData(other_providers.url).fetch([*in_play, long_ago], within=5)
    assert len(found.matches) == len(in_play)
    assert other_providers.football_data.request_count == 2


@pytest.mark.parametrize(
    ("clock_text", "period", "minute"),
    [
        ("67'", "2H", MatchMinute(67)),
        ("45+2'", "1H", MatchMinute(45, 2)),
        ("90+5", "2H", MatchMinute(90, 5)),
        ("ht", "HT", None),
    ],
)
def test_A2_the_clock_of_a_page(clock_text: str, period: str, minute: MatchMinute | None) -> None:
    row = {"id": "1", "start": "2025-05-10T14:00:00Z", "home": "A", "away": "B", "score": "2:1"}
    (match,) = parse_rows([{**row, "clock": clock_text}]).matches
    assert (match.period, match.minute, match.score) == (period, minute, Score(2, 1))
    assert parse_rows([{**row, "clock": "??"}]).unreadable
