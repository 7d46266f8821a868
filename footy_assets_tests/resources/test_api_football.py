"""The API-Football client over real HTTP: requests, parsing, retries and failures."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from pydantic import ValidationError

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.rules.feed import Answer
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.pace import Quota
from footy_assets.matchday.rules.sighting import NOBODY, Player
from footy_assets.search.rules.team_facts import TeamProfile
from footy_assets.sim import Quota as Plan
from footy_assets.sim import SimServer, World, clubs_of, fixture_json, goal, var_cancel
from resources.api_football.client import ApiFootball
from resources.api_football.models import ApiEvent, ApiFixture, ApiTeamProfile, Envelope
from resources.api_football.plan import PlanMemory
from resources.api_football.responses import parse_response
from resources.api_football.translate import parse_fixture, parse_fixtures, team_profile
from resources.json_parts import to_bytes

DAY = date(2025, 5, 10)
# Seconds: longer than any test waits.
HANGS = 60.0
NOON = datetime(2025, 5, 10, 12, tzinfo=UTC)


class Waits(list[float]):
    """Records the pauses of retries instead of sleeping."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[SimServer]:
    with SimServer(World(DAY, ()), ManualClock(NOON)) as server:
        yield server


@pytest.fixture
def sim(shared_server: SimServer) -> SimServer:
    shared_server.reset()
    shared_server.quota = Plan()
    shared_server.key = None
    for id_ in range(1, 51):
        shared_server.put(fixture_json(id_, kickoff=NOON))
    return shared_server


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def feed(sim: SimServer, waits: Waits) -> Iterator[ApiFootball]:
    with ApiFootball(sim.url, None, sleep=waits.sleep, timeout=5) as client:
        yield client


def test_F7_ids_are_requested_in_batches_of_20_and_answered_as_one(
    feed: ApiFootball, sim: SimServer
) -> None:
    answer = feed.by_ids(list(range(1, 51)))
    assert sorted(len(r.params["ids"].split("-")) for r in sim.requests) == [10, 20, 20]
    assert sorted(answer.sightings) == list(range(1, 51))
    assert (answer.calls, answer.failures, answer.unreadable) == (3, [], [])


@pytest.mark.parametrize("key", [" secret-7\n", "secret-7\nX-Other: 1"])
def test_no_error_shows_the_key(sim: SimServer, waits: Waits, key: str) -> None:
    with ApiFootball(sim.url, key, sleep=waits.sleep, timeout=5) as client:
        answer = client.by_ids([1])
    assert "secret" not in str(answer.failures)
    assert list(answer.sightings) == ([1] if key.strip() == "secret-7" else [])


def test_no_ids_send_no_request(feed: ApiFootball, sim: SimServer) -> None:
    assert feed.by_ids([]).calls == 0
    assert sim.requests == []


@pytest.mark.parametrize("fault", ["500", "429", "html", "truncate"])
def test_P4_transient_failures_get_three_tries_after_1_and_2_seconds(
    feed: ApiFootball, sim: SimServer, waits: Waits, fault: str
) -> None:
    for _ in range(2):
        if fault in ("500", "429"):
            sim.faults.fail(int(fault))
        else:
            getattr(sim.faults, fault)()
    answer = feed.by_ids([1])
    assert list(answer.sightings) == [1]
    assert waits == [1.0, 2.0]
    assert answer.calls == 3


@pytest.mark.parametrize(
    ("throw", "kind"),
    [
        ({"status": 500}, ProviderUnavailable),
        ({"status": 503}, ProviderUnavailable),
        ({"status": 429}, ProviderRateLimited),
        ({"status": 401}, ProviderRefused),
        ({"status": 403}, ProviderRefused),
        ({"status": 404}, ProviderAnswerInvalid),
    ],
)
def test_each_http_status_has_its_failure(
    feed: ApiFootball, sim: SimServer, throw: dict[str, int], kind: type[ProviderError]
) -> None:
    sim.faults.fail(throw["status"], times=None)
    with pytest.raises(kind):
        feed.by_date(DAY)
    assert len(sim.requests) == (3 if kind.retryable else 1)


@pytest.mark.parametrize(
    ("errors", "kind", "tries"),
    [
        ({"requests": "limit for the day"}, ProviderQuotaExhausted, 1),
        ({"rateLimit": "Too many requests"}, ProviderRateLimited, 3),
        ({"token": "Missing application key"}, ProviderRefused, 1),
        ({"access": "suspended"}, ProviderRefused, 1),
        ({"plan": "Free plans do not have access"}, ProviderRefused, 1),
        ({"bug": "This is on our side"}, ProviderUnavailable, 3),
        ({"ids": "The Ids field must be..."}, ProviderAnswerInvalid, 1),
    ],
)
def test_F7_http_200_with_errors_is_a_failure(
    feed: ApiFootball,
    sim: SimServer,
    errors: dict[str, str],
    kind: type[ProviderError],
    tries: int,
) -> None:
    sim.faults.errors(errors, times=None)
    with pytest.raises(kind, match=next(iter(errors.values()))[:10]):
        feed.by_date(DAY)
    assert len(sim.requests) == tries
    answer = feed.by_ids([1, 2])
    assert answer.sightings == {}
    assert [failure.fixture_ids for failure in answer.failures] == [(1, 2)]


@pytest.mark.parametrize("errors", [[], {}])
def test_empty_errors_are_none_as_list_and_as_object(errors: object) -> None:
    assert Envelope.model_validate({"errors": errors}).complaints == {}


@pytest.mark.parametrize("errors", [["sorry"], {"0": "sorry"}])
def test_errors_are_a_failure_as_list_and_as_object(errors: object) -> None:
    assert Envelope.model_validate({"errors": errors}).complaints == {"0": "sorry"}


def test_F7_one_batch_fails_alone(feed: ApiFootball, sim: SimServer) -> None:
    sim.faults.fail(500, times=None, fixture_id=1)
    answer = feed.by_ids(list(range(1, 51)))
    assert sorted(answer.sightings) == list(range(21, 51))
    assert [failure.fixture_ids for failure in answer.failures] == [tuple(range(1, 21))]


def test_a_fixture_missing_from_an_answer_is_reported(feed: ApiFootball, sim: SimServer) -> None:
    sim.drop(2)
    answer = feed.by_ids([1, 2, 3])
    assert list(answer.sightings) == [1, 3]
    [failure] = answer.failures
    assert (failure.subject, failure.fixture_ids) == ("fixture 2", ())


def test_a_malformed_fixture_is_reported_once_and_the_others_are_parsed(
    feed: ApiFootball, sim: SimServer
) -> None:
    sim.faults.malform(2)
    answer = feed.by_ids([1, 2, 3])
    assert list(answer.sightings) == [1, 3]
    assert [piece.subject for piece in answer.unreadable] == ["fixture 2"]
    assert answer.failures == []


def test_F7_a_batch_that_is_too_slow_fails_alone_and_in_time(
    feed: ApiFootball, sim: SimServer
) -> None:
    sim.faults.slow(HANGS, times=None, fixture_id=1)
    answer = feed.by_ids(list(range(1, 26)), within=3)
    assert sorted(answer.sightings) == [21, 22, 23, 24, 25]
    assert answer.failures[0].reason == "no answer within 3 s"


def test_the_limit_holds_however_many_batches_wait(feed: ApiFootball, sim: SimServer) -> None:
    """Ten requests are sent at once; the time that the eleventh waits counts."""
    sim.faults.slow(HANGS, times=None)
    answer = feed.by_ids(list(range(1, 500)), within=0.5)
    assert sum(len(failure.fixture_ids) for failure in answer.failures) == 499


def test_F7_the_limit_is_for_all_requests_of_a_poll(sim: SimServer) -> None:
    """After a refusal of `ids` the first batch is requested alone, the others after it."""
    sim.faults.slow(HANGS, times=None)
    plan = PlanMemory()
    plan.refuse_ids(NOON - timedelta(days=2))
    with ApiFootball(sim.url, None, clock=ManualClock(NOON), plan=plan) as feed:
        answer = feed.by_ids(list(range(1, 30)), within=0.3)
    reasons = [failure.reason for failure in answer.failures]
    assert reasons == ["no answer within 0.3 s", "no answer within 0 s"]


def test_a_request_that_takes_too_long_is_unavailable(sim: SimServer, waits: Waits) -> None:
    sim.faults.slow(2, times=None)
    with (
        ApiFootball(sim.url, None, sleep=waits.sleep, timeout=0.2) as feed,
        pytest.raises(ProviderUnavailable),
    ):
        feed.by_date(DAY)
    assert waits == [1.0, 2.0]


def test_a_refused_connection_is_unavailable(waits: Waits) -> None:
    with (
        ApiFootball("http://127.0.0.1:9", None, sleep=waits.sleep) as feed,
        pytest.raises(ProviderUnavailable),
    ):
        feed.seasons(39)


def test_F7_quota_headers_are_read(feed: ApiFootball, sim: SimServer) -> None:
    sim.quota = Plan(per_day=100, per_minute=30)
    assert feed.quota is None
    answer = feed.by_ids([1])
    assert answer.quota == Quota(100, 99, 30, 29)
    assert feed.by_date(DAY).quota == Quota(100, 98, 30, 28)


def test_a_used_up_day_quota_is_not_retried(feed: ApiFootball, sim: SimServer) -> None:
    sim.quota = Plan(per_day=1)
    feed.by_date(DAY)
    with pytest.raises(ProviderQuotaExhausted):
        feed.by_date(DAY)
    assert len(sim.requests) == 2


@pytest.mark.parametrize("key", [None, "wrong"])
def test_a_wrong_or_missing_key_is_refused(sim: SimServer, key: str | None) -> None:
    sim.key = "right"
    with ApiFootball(sim.url, key) as feed, pytest.raises(ProviderRefused):
        feed.by_date(DAY)
    with ApiFootball(sim.url, "right") as feed:
        assert len(feed.by_date(DAY).sightings) == 50


def test_the_account_has_the_remaining_quota(feed: ApiFootball, sim: SimServer) -> None:
    assert feed.account().requests["limit_day"] == 150_000


def test_teams_and_seasons_are_read(feed: ApiFootball) -> None:
    assert feed.team_ids(39, 2024) == [club.id for club in clubs_of(39)]
    spans = feed.seasons(39)
    assert spans[-1].year == 2024
    assert spans[-1].start == date(2024, 8, 8)


def test_se3_a_team_is_read_with_its_country_and_ground(feed: ApiFootball) -> None:
    answer = feed.teams([33, 1, 33])
    assert answer.calls == 2
    assert answer.profiles[33] == TeamProfile(
        33, "Manchester United", "MUN", False, "England", "Manchester", "Old Trafford"
    )
    assert answer.profiles[1].national
    assert answer.failures == {}


def test_se3_one_team_fails_alone(feed: ApiFootball, sim: SimServer) -> None:
    sim.faults.fail(401, fixture_id=33, path="/teams")
    answer = feed.teams([33, 40, 424242])
    assert list(answer.profiles) == [40]
    assert set(answer.failures) == {33, 424242}
    assert "refused" in answer.failures[33]
    assert "no such team" in answer.failures[424242]


def test_se3_slow_teams_time_out(feed: ApiFootball, sim: SimServer) -> None:
    sim.faults.slow(HANGS, times=None)
    answer = feed.teams([33, 40], within=0.3)
    assert answer.failures == {33: "no answer within 0.3 s", 40: "no answer within 0.3 s"}


@pytest.mark.parametrize("venue", [None, {"id": None, "name": None, "city": None}])
def test_se3_a_team_without_a_ground(venue: object) -> None:
    profile = {"team": {"id": 1, "name": " Holt "}, "venue": venue}
    assert team_profile(ApiTeamProfile.model_validate(profile)) == TeamProfile(1, "Holt")


class Paged(BaseHTTPRequestHandler):
    """Three pages of one team each."""

    def do_GET(self) -> None:
        page = int(parse_qs(urlsplit(self.path).query).get("page", ["1"])[0])
        body = (
            f'{{"errors": [], "paging": {{"current": {page}, "total": 3}},'
            f' "response": [{{"team": {{"id": {page}}}}}]}}'
        ).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def test_every_page_is_read() -> None:
    with HTTPServer(("127.0.0.1", 0), Paged) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        with ApiFootball(f"http://127.0.0.1:{server.server_port}", None) as feed:
            assert feed.team_ids(39, 2024) == [1, 2, 3]
            assert feed.calls == 3
        server.shutdown()
        thread.join(5)


def parse(*items: object) -> Answer:
    return parse_fixtures(map(to_bytes, items))


def test_F10_a_match_that_is_byte_identical_is_not_parsed_again() -> None:
    content = to_bytes(fixture_json(1, status="1H", elapsed=30, goals=[goal(30)]))
    first, later = parse_fixture(content), fixture_json(1, status="1H", elapsed=31)
    assert parse_fixture(bytes(bytearray(content))) is first
    changed = parse_fixture(to_bytes(later)).sighting
    assert changed is not None
    assert (changed.elapsed, changed.goals) == (31, ())


def test_F10_the_goals_of_a_match_are_not_parsed_again_when_its_minute_changes() -> None:
    minutes = [fixture_json(1, status="1H", elapsed=n, goals=[goal(30)]) for n in (30, 31)]
    before, after = (parse(one).sightings[1] for one in minutes)
    assert (before.elapsed, after.elapsed) == (30, 31)
    assert before.goals is after.goals


def entries(*items: object) -> list[bytes]:
    """As the client reads an answer with these matches."""
    body = {"errors": [], "results": len(items), "paging": {}, "response": items}
    return parse_response(httpx.Response(200, json=body), "/fixtures", ApiFixture).items


def test_F10_what_we_do_not_use_of_a_match_is_left_out_and_does_not_make_it_new() -> None:
    match = fixture_json(1, status="1H", elapsed=30, goals=[goal(30)])
    [before] = entries(match | {"players": [{"rating": "6.9"}], "score": {"halftime": None}})
    [after] = entries(match | {"players": [{"rating": "7.1"}]})
    assert b"rating" not in before
    assert before == after
    assert parse_fixture(before) == parse_fixture(to_bytes(match))


@pytest.mark.parametrize("wrong", ["x", None, 7, []])
def test_a_match_that_is_no_object_is_unreadable_alone(wrong: object) -> None:
    answer = parse_fixtures(entries(wrong, fixture_json(1), fixture_json(2)))
    assert list(answer.sightings) == [1, 2]
    assert [piece.subject for piece in answer.unreadable] == ["fixture ?"]


@pytest.mark.parametrize("response", [{}, [], {"a": 1}])
def test_an_answer_without_a_list_of_matches_has_none(response: object) -> None:
    body = {"errors": [], "response": response}
    assert parse_response(httpx.Response(200, json=body), "/fixtures", ApiFixture).items == []


@pytest.mark.parametrize("events", ["many", {"0": {}}, 7])
def test_a_match_whose_events_are_no_list_is_reported(events: object) -> None:
    answer = parse(fixture_json(1, status="1H") | {"events": events})
    assert answer.sightings == {}
    assert [(piece.subject, piece.reason) for piece in answer.unreadable] == [
        ("fixture 1", "events: Input should be a valid list")
    ]


@pytest.mark.parametrize("response", ["x", 7, None])
def test_a_response_that_is_neither_list_nor_object_is_refused(response: object) -> None:
    with pytest.raises(ValidationError):
        Envelope.model_validate({"response": response})


def test_models_keep_fields_they_do_not_know() -> None:
    raw_fixture = fixture_json(1)
    raw_fixture["fixture"]["attendance"] = 53_000
    raw_fixture["weather"] = {"rain": True}
    fixture = ApiFixture.model_validate(raw_fixture)
    assert fixture.model_extra is not None
    assert fixture.model_extra["weather"] == {"rain": True}
    assert fixture.fixture.model_extra is not None
    assert fixture.fixture.model_extra["attendance"] == 53_000
    event = ApiEvent.model_validate({**goal(30), "xg": 0.3})
    assert event.model_extra == {"xg": 0.3}


@pytest.mark.parametrize(
    ("player", "read"),
    [
        ({"id": 234, "name": "M. Salah"}, Player(234, "M. Salah")),
        ({"id": 0, "name": "M. Salah"}, Player(None, "M. Salah")),
        ({"id": None, "name": None}, NOBODY),
        ({"id": 234, "name": ""}, Player(234, None)),
        ({"id": 234}, Player(234, None)),
        (None, NOBODY),
    ],
)
def test_E4_scorers_are_read_as_they_come(player: object, read: Player) -> None:
    raw_fixture = fixture_json(1, status="1H", goals=[{**goal(30), "player": player}])
    [seen] = parse(raw_fixture).sightings[1].goals or ()
    assert seen.scorer == read


def test_events_are_read_each_on_its_own() -> None:
    raw_fixture = fixture_json(
        1,
        status="1H",
        goals=[goal(30, player=234, name="M. Salah"), goal(45, extra=0, player=7, name="L. Diaz")],
        events=[var_cancel(33, player=234, name="M. Salah")],
    )
    raw_fixture["events"] += [
        None,
        {"type": "Card", "time": {"elapsed": None}, "team": {"id": 40}},
        {**goal(50), "team": {"id": None}},
    ]
    answer = parse(raw_fixture)
    seen = answer.sightings[1]
    assert [one.minute for one in seen.goals or ()] == [MatchMinute(30), MatchMinute(45)]
    assert [one.player_id for one in seen.cancellations] == [234]
    assert [piece.subject for piece in answer.unreadable] == [
        f"fixture 1 event {index}" for index in (3, 4, 5)
    ]
    assert not seen.goals_complete


def test_an_unreadable_card_leaves_the_goals_complete() -> None:
    raw_fixture = fixture_json(1, status="1H", goals=[goal(30)])
    raw_fixture["events"].append({"type": "Card", "time": {"elapsed": None}, "team": {"id": 40}})
    assert parse(raw_fixture).sightings[1].goals_complete


def test_an_answer_without_events_has_no_list_of_goals(feed: ApiFootball) -> None:
    assert feed.by_date(DAY).sightings[1].goals is None
    assert feed.by_ids([1]).sightings[1].goals == ()


@pytest.mark.parametrize("item", [None, 7, "x", {}, {"fixture": {"id": 1}}, []])
def test_invalid_data_is_reported_and_not_raised(item: object) -> None:
    answer = parse(item, fixture_json(2))
    assert list(answer.sightings) == [2]
    assert len(answer.unreadable) == 1


def test_a_kickoff_without_a_time_zone_is_invalid() -> None:
    raw_fixture = fixture_json(1)
    raw_fixture["fixture"]["date"] = "2025-05-10T14:00:00"
    [piece] = parse(raw_fixture).unreadable
    assert "zone" in piece.reason


@pytest.mark.parametrize("statistics", ["many", [{"team": {"id": 40}}], [{"statistics": [1]}]])
def test_invalid_statistics_are_reported_and_spoil_no_match(statistics: object) -> None:
    answer = parse(fixture_json(1, status="1H", elapsed=9) | {"statistics": statistics})
    assert [piece.subject for piece in answer.unreadable] == ["fixture 1 statistics"]
    assert answer.sightings[1].corners is None


def test_corners_that_are_not_counted_yet_are_none_and_not_nought() -> None:
    empty = {"team": {"id": 40}, "statistics": [{"type": "Corner Kicks", "value": None}]}
    shots = {"team": {"id": 40}, "statistics": [{"type": "Ball Possession", "value": "55%"}]}
    answer = parse(fixture_json(1, status="1H") | {"statistics": [empty, shots]})
    assert (answer.unreadable, answer.sightings[1].corners) == ([], None)
    counted = parse(fixture_json(1, status="1H", corners=(5, 0)))
    assert counted.sightings[1].corners == (5, 0)
