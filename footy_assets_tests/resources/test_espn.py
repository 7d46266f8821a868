"""ESPN's client over real HTTP: what it requests, how often, and what it does when refused."""

import socket
from collections.abc import Iterator
from datetime import UTC, date, datetime

import httpx
import pytest
from pydantic import ValidationError

from footy_assets import __version__
from footy_assets.clock import ManualClock
from footy_assets.errors import (
    ProviderAnswerInvalid,
    ProviderError,
    ProviderKnowsNone,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.providers.rules.adapter import Adapter, DetailsAdapter, SquadAdapter
from footy_assets.providers.rules.adapter_settings import EspnSettings
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets_tests.resources.espn_answers import AWAY, HOME, FakeEspn, goal, match, scoreboard
from resources.espn.client import REQUESTS_AT_ONCE, Espn, us_days

DAY = date(2026, 3, 21)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeEspn]:
    with FakeEspn() as running:
        yield running


@pytest.fixture
def fake(server: FakeEspn) -> FakeEspn:
    server.reset()
    return server


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 21, 16, tzinfo=UTC))


@pytest.fixture
def espn(fake: FakeEspn, clock: ManualClock) -> Espn:
    return Espn(fake.url, ("eng.1", "esp.1"), clock=clock, contact="https://footy.example")


def listed(
    start: str = "2026-03-21T15:00+00:00", slug: str | None = "eng.1", id_: str = "7001"
) -> ListedMatch:
    at = datetime.fromisoformat(start)
    return ListedMatch(id_, at, "Harbour Town", "Alcázar", competition_id=slug)


def test_it_is_a_provider_with_details_and_squads(espn: Espn) -> None:
    adapters: tuple[Adapter, DetailsAdapter, SquadAdapter] = (espn, espn, espn)
    assert adapters[0].figures() is None


# -- what is requested --------------------------------------------------------------------


def test_a_utc_day_is_requested_as_two_us_days_of_each_competition(
    espn: Espn, fake: FakeEspn
) -> None:
    fake.answers["eng.1/scoreboard?20260320"] = scoreboard(
        match(id_="1", date="2026-03-20T20:00Z"), match(id_="2", date="2026-03-21T02:30Z")
    )
    fake.answers["eng.1/scoreboard?20260321"] = scoreboard(
        match(id_="3", date="2026-03-21T23:45Z"), match(id_="4", date="2026-03-22T01:00Z")
    )
    found = espn.discover(DAY, within=10)
    days = ("20260320", "20260321")
    assert fake.asked == [f"{slug} {day}" for slug in ("eng.1", "esp.1") for day in days]
    assert [one.listed.id for one in found.matches] == ["2", "3"]
    assert found.failures == ()


def test_requests_name_single_days_and_a_limit_below_500(espn: Espn, fake: FakeEspn) -> None:
    espn.discover(DAY, within=10)
    for path, query, _ in fake.requests:
        assert path.endswith("/scoreboard")
        assert query["dates"].isdigit(), "a range is answered with 400"
        assert len(query["dates"]) == 8
        assert int(query["limit"]) < 500, "600 and more are cut to 25"


def test_the_user_agent_says_who_we_are(fake: FakeEspn, clock: ManualClock) -> None:
    for contact, agent in (
        ("https://footy.example", f"footy_assets/{__version__} (+https://footy.example)"),
        (None, f"footy_assets/{__version__} (no contact set)"),
    ):
        Espn(fake.url, ("eng.1",), clock=clock, contact=contact).fetch([listed()], within=10)
        assert fake.requests[-1][2] == agent


def test_only_the_boards_of_the_wanted_matches_are_requested_each_once(
    espn: Espn, fake: FakeEspn
) -> None:
    wanted = [listed(id_="1"), listed(id_="2"), listed("2026-03-22T12:00+00:00", "ger.1", "3")]
    espn.fetch(wanted, within=10)
    assert fake.asked == ["eng.1 20260321", "ger.1 20260322"]


def test_a_match_whose_competition_is_no_slug_is_looked_for_in_all(
    espn: Espn, fake: FakeEspn
) -> None:
    for unknown in (None, "39", "Premier League", "../admin"):
        fake.reset()
        espn.fetch([listed(slug=unknown, id_="")], within=10)
        assert fake.asked == ["eng.1 20260321", "esp.1 20260321"]


@pytest.mark.parametrize(
    ("start", "days"),
    [
        ("2026-03-21T15:00+00:00", [21]),
        ("2026-03-21T02:30+00:00", [20]),
        ("2026-03-21T04:30+00:00", [20, 21]),
        ("2026-03-21T07:30+00:00", [20, 21]),
        ("2026-03-21T09:00+00:00", [21]),
        ("2026-03-22T00:30+05:00", [21]),
    ],
)
def test_a_match_is_listed_under_its_day_in_the_usa(start: str, days: list[int]) -> None:
    assert [day.day for day in us_days(datetime.fromisoformat(start))] == days


def test_requests_run_together_but_few_at_once(fake: FakeEspn, clock: ManualClock) -> None:
    fake.hold_until = REQUESTS_AT_ONCE
    many = Espn(fake.url, [f"eng.{number}" for number in range(6)], clock=clock)
    many.discover(DAY, within=30)
    assert fake.most_in_flight == REQUESTS_AT_ONCE
    assert len(fake.requests) == 12


def test_without_a_competition_it_says_what_to_set(fake: FakeEspn, clock: ManualClock) -> None:
    none = Espn(fake.url, (), clock=clock)
    for send in (
        lambda: none.discover(DAY, within=10),
        lambda: none.fetch([listed(slug=None)], within=10),
        lambda: none.squad(HOME, within=10),
    ):
        with pytest.raises(ProviderKnowsNone, match="no competition") as raised:
            send()
        assert "competitions" in raised.value.fix
    assert none.fetch([], within=10).matches == ()
    assert fake.requests == []


# -- failures -----------------------------------------------------------------------------


def test_one_competition_that_fails_costs_no_other(espn: Espn, fake: FakeEspn) -> None:
    fake.answers["eng.1/scoreboard"] = (500, {}, b"")
    fake.answers["esp.1/scoreboard?20260321"] = scoreboard(match(id_="5"), slug="esp.1")
    found = espn.discover(DAY, within=10)
    assert [one.listed.id for one in found.matches] == ["5"]
    assert [one.subject for one in found.failures] == ["eng.1 of 20260320", "eng.1 of 20260321"]
    assert "500" in found.failures[0].reason


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((400, {}, b"{}"), ProviderAnswerInvalid, "does not accept"),
        ((404, {}, b"{}"), ProviderKnowsNone, "eng.1"),
        ((418, {}, b"{}"), ProviderAnswerInvalid, "418"),
        ((503, {}, b""), ProviderUnavailable, "503"),
        ((200, {}, b"<html>"), ProviderUnavailable, "not valid JSON"),
        ((200, {}, b'{"events": ['), ProviderUnavailable, "not valid JSON"),
        ({"code": 3}, ProviderAnswerInvalid, "unknown format: events"),
    ],
)
def test_each_failure_has_its_class_and_says_what_to_do(
    espn: Espn,
    fake: FakeEspn,
    answer: tuple[int, dict[str, str], bytes],
    kind: type[ProviderError],
    words: str,
) -> None:
    fake.answers["eng.1/scoreboard"] = answer
    for _ in range(2):
        with pytest.raises(kind, match=words) as raised:
            espn.fetch([listed()], within=10)
        assert raised.value.fix
        assert "API_FOOTBALL" not in raised.value.fix
    assert len(fake.requests) == 2, "a failure is not repeated, and the next poll asks again"


def test_a_server_that_does_not_answer_is_given_up(clock: ManualClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        espn = Espn(f"http://127.0.0.1:{port}", ("eng.1",), clock=clock)
        with pytest.raises(ProviderUnavailable, match=r"within 0\.2 s"):
            espn.fetch([listed()], within=0.2)
    with pytest.raises(ProviderUnavailable):
        espn.fetch([listed()], within=5)
    with pytest.raises(ProviderUnavailable):
        Espn("ftp://127.0.0.1", ("eng.1",), clock=clock).fetch([listed()], within=5)


# -- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind", "pause"),
    [
        ((403, {}, b""), ProviderRefused, 30 * 60),
        ((401, {}, b""), ProviderRefused, 30 * 60),
        ((429, {}, b""), ProviderRateLimited, 5 * 60),
        ((429, {"retry-after": "120"}, b""), ProviderRateLimited, 120),
        ((429, {"retry-after": "0"}, b""), ProviderRateLimited, 60),
        ((429, {"retry-after": "999999"}, b""), ProviderRateLimited, 3600),
        ((429, {"retry-after": "soon"}, b""), ProviderRateLimited, 5 * 60),
    ],
)
def test_after_a_refusal_no_request_is_sent_for_a_while(
    espn: Espn,
    fake: FakeEspn,
    clock: ManualClock,
    answer: tuple[int, dict[str, str], bytes],
    kind: type[ProviderError],
    pause: int,
) -> None:
    fake.answers["eng.1/scoreboard"] = answer
    with pytest.raises(kind, match=str(answer[0])) as first:
        espn.fetch([listed()], within=10)
    fake.answers.clear()
    espn.recycle()
    clock.advance(pause - 1)
    for send in (
        lambda: espn.fetch([listed()], within=10),
        lambda: espn.discover(DAY, within=10),
        lambda: espn.details(listed(), within=10),
        lambda: espn.squad(HOME, within=10),
    ):
        with pytest.raises(kind) as again:
            send()
        assert again.value.sentence() == first.value.sentence()
    assert len(fake.requests) == 1
    clock.advance(1)
    assert espn.fetch([listed()], within=10).matches == ()
    assert len(fake.requests) == 2


def test_a_refusal_stops_the_requests_that_wait(fake: FakeEspn, clock: ManualClock) -> None:
    slugs = [f"eng.{number}" for number in range(20)]
    fake.answers |= {f"{slug}/scoreboard": (403, {}, b"") for slug in slugs}
    with pytest.raises(ProviderRefused, match="until 16:30:00 UTC") as raised:
        Espn(fake.url, slugs, clock=clock).discover(DAY, within=10)
    assert len(fake.requests) <= REQUESTS_AT_ONCE
    assert "footy sources disable" in raised.value.fix


def test_a_refusal_is_named_before_other_failures(espn: Espn, fake: FakeEspn) -> None:
    fake.answers |= {"eng.1/scoreboard": (503, {}, b""), "esp.1/scoreboard": (403, {}, b"")}
    with pytest.raises(ProviderRefused):
        espn.fetch([listed(slug=None)], within=10)


def test_what_was_read_before_a_refusal_is_kept(espn: Espn, fake: FakeEspn) -> None:
    fake.answers["eng.1/scoreboard"] = scoreboard(match())
    fake.answers["esp.1/scoreboard"] = (403, {}, b"")
    found = espn.fetch([listed(slug=None)], within=10)
    assert [one.listed.id for one in found.matches] == ["7001"]
    assert "refused" in found.failures[0].reason
    assert isinstance(found.refusal, ProviderRefused)
    with pytest.raises(ProviderRefused):
        espn.fetch([listed()], within=10)


def test_a_clock_that_is_set_back_does_not_prolong_a_refusal(
    espn: Espn, fake: FakeEspn, clock: ManualClock
) -> None:
    fake.answers["eng.1/scoreboard"] = (403, {}, b"")
    with pytest.raises(ProviderRefused):
        espn.fetch([listed()], within=10)
    fake.answers.clear()
    clock.advance(-86_400)
    assert espn.fetch([listed()], within=10).matches == ()


# -- one match, one team ------------------------------------------------------------------


def test_the_summary_of_a_match_is_requested_by_its_competition(espn: Espn, fake: FakeEspn) -> None:
    board = match("1", "0", [goal("9'", HOME)])
    fake.answers["ger.1/summary"] = {"header": {"competitions": board["competitions"]}}
    found = espn.details(listed(slug="ger.1"), within=10)
    assert fake.requests[-1][:2] == ("ger.1/summary", {"event": "7001"})
    assert found.goals is not None
    assert [one.side for one in found.goals] == ["home"]
    fake.answers["eng.1/summary"] = {"header": {"competitions": [{"competitors": []}]}}
    with pytest.raises(ProviderAnswerInvalid, match="not one home and one away"):
        espn.details(listed(slug=None), within=10)
    with pytest.raises(ProviderKnowsNone, match="not known"):
        espn.details(listed(id_=""), within=10)


def test_a_squad_is_requested_by_the_competition_that_its_team_was_seen_in(
    espn: Espn, fake: FakeEspn
) -> None:
    person = {"id": "9", "displayName": "A. Nine", "jersey": "9", "position": {"abbreviation": "F"}}
    fake.answers["esp.1/scoreboard"] = scoreboard(match(), slug="esp.1", number="740")
    fake.answers[f"esp.1/teams/{AWAY}/roster"] = {"athletes": [person]}
    fake.answers["eng.1/teams/33/roster"] = {
        "athletes": [{"position": "Forwards", "items": [person, {"id": "10"}]}, {}]
    }
    espn.fetch([listed(slug="esp.1")], within=10)
    (nine,) = espn.squad(AWAY, within=10)
    assert (nine.person.id, nine.person.name, nine.number, nine.position) == (
        "9",
        "A. Nine",
        9,
        "F",
    )
    assert [one.person.id for one in espn.squad("33", within=10)] == ["9", "10"]
    fake.answers["eng.1/teams/33/roster"] = {"athletes": ["?"]}
    with pytest.raises(ProviderAnswerInvalid, match="roster"):
        espn.squad("33", within=10)


# -- settings -----------------------------------------------------------------------------


def test_the_settings_are_checked_before_they_reach_a_request() -> None:
    assert EspnSettings().url == "https://site.api.espn.com"
    assert EspnSettings().competitions == ()
    own = EspnSettings(competitions=("eng.1", "nonfifa", "ger.dfb_pokal"), contact="me@a.example")
    assert len(own.competitions) == 3
    for bad in ({"competitions": ["eng.1/../x"]}, {"contact": "a\nb"}, {"contact": "ü"}):
        with pytest.raises(ValidationError):
            EspnSettings.model_validate(bad)


def test_every_setting_that_is_accepted_can_be_sent() -> None:
    header = f"({EspnSettings(contact='a (b) ~').contact})"
    assert httpx.Headers({"user-agent": header})["user-agent"] == header
