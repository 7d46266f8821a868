"""A language model that picks aliases, only from the given words."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    PickerAnswerInvalid,
    PickerBudgetSpent,
    PickerRefused,
    PickerUnavailable,
)
from footy_assets.search.rules.team_facts import TeamProfile
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.resources.vision_server import VisionServer
from footy_assets_tests.store.spent import spent_on
from resources.language_model.alias_picker import LEASE, AliasPickerClient
from resources.language_model.alias_picker_connection import open_alias_picker

UNITED = TeamProfile(33, "Manchester United", country="England", city="Manchester")
WORDS = ["MUFC", "Utd", "Devils", "Manchester", "United"]
Make = Callable[..., AliasPickerClient]


@pytest.fixture
def server() -> Iterator[VisionServer]:
    with VisionServer(reply={"words": ["MUFC", "United"]}) as running:
        yield running


@pytest.fixture
def waited() -> list[float]:
    return []


@pytest.fixture
def picker(
    server: VisionServer, database: Database[Document], waited: list[float]
) -> Iterator[Make]:
    clients: list[AliasPickerClient] = []

    def make(**changes: Any) -> AliasPickerClient:
        options: dict[str, Any] = {
            "clock": ManualClock(datetime(2025, 5, 10, 15, tzinfo=UTC)),
            "leases": Leases(database),
            "spending": Spending(database, LEASE),
            "cap": Cap(100, 0),
            "sleep": waited.append,
        }
        url = changes.pop("url", server.url)
        clients.append(AliasPickerClient(url, "words-1", **options | changes))
        return clients[-1]

    yield make
    for one in clients:
        one.__exit__(None, None, None)


def test_se3_the_model_is_offered_the_words_and_nothing_else(
    server: VisionServer, picker: Make
) -> None:
    assert picker().pick(UNITED, WORDS) == ("MUFC", "United")
    (request,) = server.requests
    question = request.body["messages"][0]["content"]
    assert "Manchester United, Manchester, England" in question
    schema = request.body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["words"]["items"]["enum"] == WORDS


@pytest.mark.parametrize(
    "nonsense",
    ["prose", "fenced", "extra_field", "missing_field", "cut_off", "refusal", "no_choices", "html"],
)
def test_se3_an_invalid_reply_is_retried_then_an_error(
    server: VisionServer, picker: Make, waited: list[float], nonsense: Any
) -> None:
    server.corrupt_next(nonsense)
    assert picker().pick(UNITED, WORDS) == ("MUFC", "United")
    assert waited == [1.0]
    server.corrupt_next(nonsense, nonsense)
    with pytest.raises(PickerAnswerInvalid):
        picker().pick(UNITED, WORDS)


@pytest.mark.parametrize("reply", [{"words": []}, {"words": "MUFC"}, {"words": ["x"] * 99}])
def test_se3_a_reply_of_another_schema_is_invalid(
    server: VisionServer, picker: Make, reply: dict[str, Any]
) -> None:
    server.reply = reply
    with pytest.raises(PickerAnswerInvalid):
        picker().pick(UNITED, WORDS)


def test_failures_have_their_classes_and_name_the_setting(
    server: VisionServer, picker: Make
) -> None:
    server.corrupt_next(500, 503)
    with pytest.raises(PickerUnavailable) as failure:
        picker().pick(UNITED, WORDS)
    assert "FOOTY_ALIAS_LLM_URL" in failure.value.sentence()
    server.key = "right"
    with pytest.raises(PickerRefused):
        picker(key="wrong").pick(UNITED, WORDS)


def test_the_days_calls_are_capped_for_all_processes(
    server: VisionServer, picker: Make, database: Database[Document]
) -> None:
    picker(cap=Cap(1, 0)).pick(UNITED, WORDS)
    with pytest.raises(PickerBudgetSpent):
        picker(cap=Cap(1, 0)).pick(UNITED, WORDS)
    assert len(server.requests) == 1
    assert spent_on(database, LEASE, date(2025, 5, 10)).calls == 1
    assert spent_on(database, "vision", date(2025, 5, 10)).calls == 0, "a budget of its own"


def test_the_model_is_optional_in_the_settings(
    server: VisionServer, database: Database[Document]
) -> None:
    default = Settings(_env_file=None)  # type: ignore[call-arg]
    with open_alias_picker(default, database, default.make_clock()) as none:
        assert none is None
    chosen = Settings(_env_file=None, alias_llm_url=server.url)  # type: ignore[call-arg]
    with open_alias_picker(chosen, database, chosen.make_clock()) as picker:
        assert picker is not None
        assert picker.pick(UNITED, WORDS) == ("MUFC", "United")
