"""ESPN over HTTP, with the faults it has."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from footy_assets.clock import ManualClock
from footy_assets.sim import ExpectedGoal, World, fixture_json, goal, make_world
from footy_assets.sim.feed import Json
from footy_assets.sim.other_providers import OtherProviders
from footy_assets.sim.script import MatchScript

HONEST = {"User-Agent": "footy_assets/1.0 (+https://example.org)"}
DAY = "20250510"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def espn(others: OtherProviders) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=others.espn_url, headers=HONEST, timeout=30) as client:
        yield client


@pytest.fixture
def hat_trick(world: World) -> MatchScript:
    return next(script for script in world.scripts if script.title == "hat-trick")


@pytest.fixture
def first_goal(world: World, hat_trick: MatchScript) -> ExpectedGoal:
    return next(goal for goal in world.truth() if goal.fixture_id == hat_trick.fixture_id)


def events(espn: httpx.Client, slug: str = "eng.1", **params: str) -> list[Json]:
    answer = espn.get(f"/{slug}/scoreboard", params={"dates": DAY, **params})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["events"])


def find(espn: httpx.Client, fixture_id: int) -> Json | None:
    wanted = str(fixture_id + 600_000)
    return next((event for event in events(espn) if event["id"] == wanted), None)


def goals(espn: httpx.Client, fixture_id: int) -> list[Json]:
    event = find(espn, fixture_id)
    assert event is not None
    return [detail for detail in event["competitions"][0]["details"] if detail["scoringPlay"]]


def test_each_competition_has_its_own_scoreboard(world: World, espn: httpx.Client):
    slugs = ("eng.1", "esp.1", "ger.1", "ita.1", "fra.1", "uefa.champions", "eng.fa")
    found = {slug: len(events(espn, slug)) for slug in slugs}
    assert found == dict(zip(slugs, (3, 3, 3, 3, 3, 2, 1), strict=True))
    assert len(events(espn, "all")) == len(world.fixture_ids)
    board = espn.get("/ger.1/scoreboard", params={"dates": DAY}).json()
    assert set(board) == {"leagues", "season", "day", "events"}
    assert (board["leagues"][0]["id"], board["leagues"][0]["slug"]) == ("720", "ger.1")


def test_a_competition_that_is_not_played_is_empty_and_nonsense_refused(espn: httpx.Client):
    assert events(espn, "usa.1") == []
    assert espn.get("/premier-league/scoreboard").status_code == 400


@pytest.mark.parametrize(
    ("dates", "count"),
    [(DAY, 3), ("202505", 3), ("2025", 3), ("20250509", 0), ("202506", 0), ("2024", 0)],
)
def test_a_day_a_month_or_a_year_can_be_asked(espn: httpx.Client, dates: str, count: int):
    assert len(events(espn, dates=dates)) == count


def test_without_dates_it_shows_today(espn: httpx.Client, clock: ManualClock):
    assert len(espn.get("/eng.1/scoreboard").json()["events"]) == 3
    clock.advance(2 * 24 * 3600)
    assert espn.get("/eng.1/scoreboard").json()["events"] == []


@pytest.mark.parametrize("dates", ["20250509-20250511", "2025-05-10", "today", ""])
def test_ranges_and_other_dates_are_a_bad_request(espn: httpx.Client, dates: str):
    answer = espn.get("/eng.1/scoreboard", params={"dates": dates})
    assert (answer.status_code, answer.json()["code"]) == (400, 400)


def test_a_match_at_night_belongs_to_the_day_before(
    others: OtherProviders, espn: httpx.Client, hat_trick: MatchScript
):
    others.put(fixture_json(77, kickoff=hat_trick.kickoff.replace(day=11, hour=2)))
    assert "600077" in {event["id"] for event in events(espn)}
    assert events(espn, dates="20250511") == []


def test_a_limit_of_600_silently_cuts_to_25(clock: ManualClock):
    world = make_world(matches=150)
    with (
        OtherProviders(world, clock) as others,
        httpx.Client(base_url=others.espn_url, headers=HONEST) as espn,
    ):
        found = [len(events(espn, limit=limit)) for limit in ("10", "500", "599", "600", "1000")]
        assert found == [10, 30, 30, 25, 25]
        assert len(events(espn, "all", limit="500")) == 100


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
        "",
        "python-httpx/0.28.1",
        "python-requests/2.32",
        "Wget/1.21",
        "Deno/2.0",
        "node",
    ],
)
def test_who_does_not_say_who_they_are_is_refused(
    others: OtherProviders, espn: httpx.Client, agent: str
):
    answer = espn.get("/eng.1/scoreboard", headers={"User-Agent": agent})
    assert answer.status_code == 403
    assert others.espn.request_count == 1


def test_the_default_of_httpx_is_refused(others: OtherProviders):
    assert httpx.get(f"{others.espn_url}/eng.1/scoreboard").status_code == 403


def test_every_request_is_remembered(others: OtherProviders, espn: httpx.Client):
    events(espn)
    assert others.espn.requests == [
        f"/apis/site/v2/sports/soccer/eng.1/scoreboard?dates={DAY}",
    ]
    assert others.openligadb.requests == []


def test_a_summary_by_id(espn: httpx.Client, hat_trick: MatchScript):
    answer = espn.get("/eng.1/summary", params={"event": hat_trick.fixture_id + 600_000})
    assert answer.json()["header"]["id"] == str(hat_trick.fixture_id + 600_000)
    for unknown in ("5", "x"):
        assert espn.get("/eng.1/summary", params={"event": unknown}).status_code == 404
    assert espn.get("/eng.1/summary").status_code == 404


def test_a_roster_lists_the_whole_squad(espn: httpx.Client, hat_trick: MatchScript):
    roster = espn.get(f"/eng.1/teams/{hat_trick.home.id + 600_000}/roster").json()
    assert roster["team"]["id"] == str(hat_trick.home.id + 600_000)
    assert len(roster["athletes"]) == 20
    assert set(roster["athletes"][0]) >= {"id", "displayName", "jersey", "position"}
    assert espn.get("/eng.1/teams/1/roster").status_code == 404


@pytest.mark.parametrize(
    ("broken", "status"), [("down", 503), ("limited", 429), ("refused", 403), ("garbage", 200)]
)
def test_it_fails_and_heals(
    others: OtherProviders, espn: httpx.Client, broken: str, status: int, hat_trick: MatchScript
):
    others.espn.broken = broken  # type: ignore[assignment]
    paths = ("/eng.1/scoreboard", f"/eng.1/summary?event={hat_trick.fixture_id + 600_000}")
    for path in paths:
        answer = espn.get(path)
        assert answer.status_code == status
        assert not answer.text.startswith('{"leagues"')
    others.espn.broken = None
    assert [espn.get(path).status_code for path in paths] == [200, 200]


def test_a_slow_answer_makes_its_client_wait(others: OtherProviders, espn: httpx.Client):
    others.espn.slow_seconds = 60.0
    with pytest.raises(httpx.ReadTimeout):
        espn.get("/eng.1/scoreboard", timeout=0.1)


def test_a_match_is_missing_for_one_poll(
    others: OtherProviders, espn: httpx.Client, hat_trick: MatchScript
):
    others.espn.missing_matches[hat_trick.fixture_id] = 1
    assert events(espn, dates="20250509") == []
    shown = [find(espn, hat_trick.fixture_id) is not None for _ in range(3)]
    assert shown == [False, True, True]
    assert len(events(espn)) == 3


def test_the_newest_goal_is_missing_for_one_poll_while_the_score_stands(
    others: OtherProviders, espn: httpx.Client, hat_trick: MatchScript, clock: ManualClock
):
    clock.at = hat_trick.kickoff + 45 * MINUTE
    both = goals(espn, hat_trick.fixture_id)
    others.espn.missing_goals[hat_trick.fixture_id] = 1
    event = find(espn, hat_trick.fixture_id)
    assert event is not None
    competition = event["competitions"][0]
    home = next(side for side in competition["competitors"] if side["homeAway"] == "home")
    assert [detail for detail in competition["details"] if detail["scoringPlay"]] == both[:1]
    assert home["score"] == "2"
    assert goals(espn, hat_trick.fixture_id) == both


def test_a_missing_goal_waits_until_there_is_one(
    others: OtherProviders, espn: httpx.Client, first_goal: ExpectedGoal, clock: ManualClock
):
    others.espn.missing_goals[first_goal.fixture_id] = 1
    assert goals(espn, first_goal.fixture_id) == []
    clock.at = first_goal.shown_at
    assert [len(goals(espn, first_goal.fixture_id)) for _ in range(2)] == [0, 1]


def test_a_scorer_is_named_some_seconds_after_the_goal(
    others: OtherProviders, espn: httpx.Client, first_goal: ExpectedGoal, clock: ManualClock
):
    others.espn.unnamed_seconds = 90.0
    clock.at = first_goal.shown_at + timedelta(seconds=89)
    assert "athletesInvolved" not in goals(espn, first_goal.fixture_id)[0]
    event = {"event": first_goal.fixture_id + 600_000}
    shown = espn.get("/eng.1/summary", params=event).json()["keyEvents"]
    assert all("participants" not in entry for entry in shown)
    clock.advance(1)
    athlete = goals(espn, first_goal.fixture_id)[0]["athletesInvolved"][0]
    assert athlete["id"] == str((first_goal.player_id or 0) + 600_000)


def test_a_capped_clock_shows_no_minute_of_stoppage_time(
    others: OtherProviders, espn: httpx.Client, world: World, clock: ManualClock
):
    script = next(script for script in world.scripts if script.title == "minute edits")
    clock.at = script.timetable.starts("FT") - timedelta(seconds=1)

    def shown() -> list[str]:
        event = find(espn, script.fixture_id)
        assert event is not None
        clocks = [detail["clock"]["displayValue"] for detail in goals(espn, script.fixture_id)]
        return [event["status"]["displayClock"], *clocks]

    assert shown() == ["90'+14'", "45'+2'", "68'", "90'+5'"]
    others.espn.capped_clock = True
    assert shown() == ["90'", "45'", "68'", "90'"]


def test_a_frozen_answer_does_not_change(
    others: OtherProviders, espn: httpx.Client, first_goal: ExpectedGoal, clock: ManualClock
):
    clock.at = first_goal.shown_at - timedelta(seconds=1)
    others.espn.lens.frozen_at = clock.at
    before = events(espn)
    clock.advance(3600)
    assert events(espn) == before
    others.espn.lens.frozen_at = None
    assert len(goals(espn, first_goal.fixture_id)) > 0


def test_an_invented_goal_is_listed_and_counted(
    others: OtherProviders, espn: httpx.Client, hat_trick: MatchScript, clock: ManualClock
):
    clock.at = hat_trick.kickoff + 10 * MINUTE
    others.espn.lens.invented[hat_trick.fixture_id] = 5
    assert [detail["clock"]["displayValue"] for detail in goals(espn, hat_trick.fixture_id)] == [
        "5'"
    ]


def test_a_hand_made_fixture_is_shown_and_a_dropped_one_is_not(
    others: OtherProviders, espn: httpx.Client, hat_trick: MatchScript
):
    scored = goal(30, team=40, player=234, name="M. Salah")
    others.put(fixture_json(hat_trick.fixture_id, status="1H", elapsed=31, goals=[scored]))
    assert len(goals(espn, hat_trick.fixture_id)) == 1
    shown = espn.get("/eng.1/summary", params={"event": hat_trick.fixture_id + 600_000}).json()
    assert [entry["scoringPlay"] for entry in shown["keyEvents"]] == [True]
    others.drop(hat_trick.fixture_id)
    assert find(espn, hat_trick.fixture_id) is None
    others.reset()
    assert goals(espn, hat_trick.fixture_id) == []
