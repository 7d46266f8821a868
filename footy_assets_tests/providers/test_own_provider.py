"""L3: the example of docs/own_provider.md leads a day, and errors of own classes are sentences."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    BadInput,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from footy_assets.matchday.ingest import Ingest
from footy_assets.matchday.monitor import CycleReport, run_cycle
from footy_assets.matchday.rules.goal import EventState, GoalEvent
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.tracking import TrackingPolicy
from footy_assets.providers.connection import (
    ProvidersFileLoader,
    load_class,
    make_adapter,
    open_provider,
    require_lead,
)
from footy_assets.providers.feed import MergedFeed
from footy_assets.providers.rules.adapter import Adapter
from footy_assets.providers.rules.descriptors import FILE_NAME, Descriptor, read_providers
from footy_assets.providers.store.our_ids import FIRST_OF_OURS
from footy_assets.settings import Settings, settings_of
from footy_assets.sim.loopback import LoopbackApp
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets_tests.policies import polling_policy

DOCS = Path(__file__).resolve().parents[2] / "docs"
KICKOFF = datetime(2026, 8, 15, 14, 0, tzinfo=UTC)
CLASS = "my_provider.MyProvider"
TOKEN = "a token of the made-up API"


class MadeUpApi(LoopbackApp):
    """Serves `matches` by day and by id."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1", 0)
        self.clear()

    def clear(self) -> None:
        self.matches: dict[str, Any] = {}
        self.status = 200
        self.body: bytes | None = None
        self.tokens: set[str | None] = set()

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/matches", self._serve)])

    async def _serve(self, request: Request) -> Response:
        self.tokens.add(request.headers.get("authorization"))
        if self.status != 200 or self.body is not None:
            return Response(self.body, self.status)
        query = request.query_params
        ids = query.get("ids", "").split(",")
        found = [
            match
            for id_, match in self.matches.items()
            if id_ in ids or match["kickoff"][:10] == query.get("day")
        ]
        return JSONResponse({"matches": found})


@pytest.fixture(scope="module")
def shared_api() -> Iterator[MadeUpApi]:
    with MadeUpApi() as running:
        yield running


@pytest.fixture
def api(shared_api: MadeUpApi, monkeypatch: pytest.MonkeyPatch) -> MadeUpApi:
    monkeypatch.syspath_prepend(DOCS / "examples")
    monkeypatch.setenv("MY_PROVIDER_TOKEN", TOKEN)
    shared_api.clear()
    shared_api.matches["m1"] = {
        "id": "m1",
        "kickoff": KICKOFF.isoformat(),
        "state": "scheduled",
        "competition": {"id": "island.1", "name": "Island League"},
        "home": {"id": "t1", "name": "Northbay"},
        "away": {"id": "t2", "name": "Southquay"},
    }
    return shared_api


@pytest.fixture
def settings(api: MadeUpApi, tmp_path: Path) -> Settings:
    """The file of the page, with the address of the API on loopback."""
    (example,) = re.findall(
        r"^```yaml\n(.*?)^```", (DOCS / "own_provider.md").read_text(), re.DOTALL | re.MULTILINE
    )
    (tmp_path / FILE_NAME).write_text(example.replace("https://scores.example", api.url))
    return settings_of(home=tmp_path)


@pytest.fixture
def own(settings: Settings, clock: ManualClock) -> Adapter:
    content = read_providers((settings.home / FILE_NAME).read_text())
    return make_adapter(content.providers[content.lead], settings, clock)


class OwnProviderLeads:
    """Ingest and live poll with the lead of the settings, opened anew each time."""

    def __init__(self, settings: Settings, database: Database[Document]) -> None:
        ensure_indexes(database)
        self._settings, self.store = settings, MatchdayStore(database)
        self.clock = ManualClock(KICKOFF - timedelta(hours=8))

    def ingest(self) -> list[int]:
        with open_provider(self._settings, self.store.database, self.clock) as lead:
            importer = Ingest(self.store, lead.feed, self.clock, TrackingPolicy())
            report = importer.day(KICKOFF.date())
        assert report.failures == []
        return report.kept_ids

    def poll(self) -> CycleReport:
        self.clock.advance(30)
        with open_provider(self._settings, self.store.database, self.clock) as lead:
            load_file = ProvidersFileLoader(self._settings)
            feed = MergedFeed(lead.feed, self.store, self.clock, load_file)
            return run_cycle(self.store, feed, self.clock, polling_policy())

    def goals(self, match_id: int) -> list[GoalEvent]:
        return self.store.goals_of([match_id])[match_id]


def test_L3_the_example_of_the_docs_leads_a_day(
    api: MadeUpApi, settings: Settings, database: Database[Document]
) -> None:
    require_lead(settings)
    day = OwnProviderLeads(settings, database)
    (match_id,) = day.ingest()
    fixture = day.store.fixtures_by_id([match_id])[match_id]
    assert (fixture.home.name, fixture.away.name) == ("Northbay", "Southquay")
    assert min(match_id, fixture.home.id, fixture.league.id) >= FIRST_OF_OURS

    goal = {"team": "t1", "minute": 9, "kind": "goal", "player": {"id": "p9", "name": "Ada Long"}}
    day.clock.at = KICKOFF + timedelta(minutes=10)
    api.matches["m1"] |= {"state": "first_half", "minute": 10, "score": [1, 0], "goals": [goal]}
    polls = [day.poll() for _ in range(3)]
    assert all(poll.failures == poll.unreadable == [] for poll in polls)
    (found,) = day.goals(match_id)
    assert found.player.name == "Ada Long"
    assert found.event_id == f"{match_id}_{fixture.home.id}_{found.player.id}_Goal_1"
    assert found.state is EventState.STABLE

    own_goal = {"team": "t2", "minute": 90, "added": 3, "kind": "own_goal"}
    day.clock.at = KICKOFF + timedelta(hours=2)
    api.matches["m1"] |= {"state": "finished", "score": [1, 1], "goals": [goal, own_goal]}
    day.poll()
    named = own_goal | {"player": {"id": "p4", "name": "Bo Reed"}}
    api.matches["m1"] |= {"goals": [goal, named]}
    for _ in range(6):
        day.poll()
    assert [(one.team_id, one.player.name, one.state) for one in day.goals(match_id)] == [
        (fixture.home.id, "Ada Long", EventState.STABLE),
        (fixture.away.id, "Bo Reed", EventState.STABLE),
    ]
    assert day.store.fixtures_by_id([match_id])[match_id].state is FixtureState.COMPLETED
    assert api.tokens == {f"Bearer {TOKEN}"}


def test_L3_a_match_of_the_example_that_cannot_be_read_spoils_no_other(
    api: MadeUpApi, own: Adapter
) -> None:
    api.matches["m2"] = api.matches["m1"] | {"id": "m2", "home": None}
    found = own.discover(KICKOFF.date(), 5)
    assert [one.listed.id for one in found.matches] == ["m1"]
    assert [one.reason.split(":")[0] for one in found.unreadable] == ["home"]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, ProviderRefused),
        (429, ProviderRateLimited),
        (503, ProviderUnavailable),
        (404, ProviderAnswerInvalid),
    ],
)
def test_L3_the_example_raises_the_error_of_each_status(
    api: MadeUpApi, own: Adapter, status: int, error: type[ProviderError]
) -> None:
    api.status = status
    with pytest.raises(error):
        own.discover(KICKOFF.date(), 5)


def test_L3_answers_of_the_example_are_bounded(
    api: MadeUpApi, own: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("my_provider.MAX_BYTES", 1_000)
    api.body = b" " * 2_000
    with pytest.raises(ProviderUnavailable, match=r"more than 0\.001 MB"):
        own.discover(KICKOFF.date(), 5)


# -- classes that cannot work -------------------------------------------------------------


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "no_such_module.Thing",
            "the adapter no_such_module.Thing cannot be imported: No module named "
            "'no_such_module'. Install it beside footy_assets, or correct `adapter`.",
        ),
        (
            "my_provider.Thing",
            "the adapter my_provider.Thing cannot be imported: module 'my_provider' has no "
            "attribute 'Thing'. Install it beside footy_assets, or correct `adapter`.",
        ),
        (
            "broken_provider.Thing",
            "the adapter broken_provider.Thing cannot be imported: 1 is not ready. Install it "
            "beside footy_assets, or correct `adapter`.",
        ),
        (
            "my_provider.MySettings",
            "the adapter my_provider.MySettings has no discover, fetch, figures, recycle, reset, "
            "close. See docs/own_provider.md for what an adapter has.",
        ),
    ],
)
def test_L3_a_class_that_cannot_be_used_is_one_sentence(
    name: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_provider.py").write_text("raise RuntimeError('1 is not ready')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput) as found:
        load_class(name)
    assert found.value.sentence() == sentence


def test_L3_nothing_starts_with_a_class_that_cannot_be_used(settings: Settings) -> None:
    loader = ProvidersFileLoader(settings)
    loader.load_or_fail()
    loader.path.write_text(loader.path.read_text().replace(CLASS, "no_such_module.Thing"))
    with pytest.raises(BadInput, match=r"no_such_module\.Thing cannot be imported"):
        loader.load_or_fail()


@pytest.mark.usefixtures("api")
def test_L3_settings_that_a_class_refuses_are_one_sentence(clock: ManualClock) -> None:
    descriptor = Descriptor(adapter=CLASS, settings={"adress": "https://scores.example"})
    with pytest.raises(BadInput) as found:
        make_adapter(descriptor, settings_of(), clock)
    assert found.value.sentence() == (
        f"the adapter {CLASS} refuses its settings: url: Field required. "
        "Correct its `settings` in sources.yaml."
    )


@pytest.mark.usefixtures("api")
def test_L3_a_constructor_that_takes_other_arguments_is_one_sentence(
    clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("from my_provider import MyProvider", "class Short(MyProvider):")
    (tmp_path / "short_provider.py").write_text("\n".join(lines) + "\n def __init__(self): ...")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match=r"refuses its settings: .* positional argument"):
        make_adapter(Descriptor(adapter="short_provider.Short"), settings_of(), clock)
