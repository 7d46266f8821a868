from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from typing import Any

import cv2
import numpy as np
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import (
    VisionAnswerInvalid,
    VisionBudgetSpent,
    VisionRefused,
    VisionUnavailable,
)
from footy_assets.media.decode import Still
from footy_assets.media.opinion import FrameOpinion
from footy_assets.retries import RetryPolicy
from footy_assets.settings import Settings
from footy_assets.sim.vision import VisionServer
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending, Spent
from resources.vision.client import Prices, VisionClient
from resources.vision.connection import open_vision

DAY = date(2025, 5, 10)
STILL = Still(3.5, np.full((360, 1280, 3), (60, 160, 60), np.uint8))
PLENTY = Cap(calls=1_000, micro_usd=1_000_000)
Make = Callable[..., VisionClient]


@pytest.fixture
def server() -> Iterator[VisionServer]:
    with VisionServer() as running:
        yield running


@pytest.fixture
def waited() -> list[float]:
    return []


@pytest.fixture
def client(
    server: VisionServer, database: Database[Document], waited: list[float]
) -> Iterator[Make]:
    made: list[VisionClient] = []

    def make(**changes: Any) -> VisionClient:
        options: dict[str, Any] = {
            "clock": ManualClock(datetime(2025, 5, 10, 15, tzinfo=UTC)),
            "leases": Leases(database),
            "spending": Spending(database, "vision"),
            "cap": PLENTY,
            "sleep": waited.append,
        }
        url = changes.pop("url", server.url)
        made.append(VisionClient(url, "eyes-1", **options | changes))
        return made[-1]

    yield make
    for one in made:
        one.__exit__(None, None, None)


def test_v4_a_frame_is_shown_and_the_reply_read(server: VisionServer, client: Make) -> None:
    server.says = {"football": True, "filmed_off_screen": True, "clock": " 45:00 +2:13 "}
    assert client().ask(STILL) == FrameOpinion("eyes-1", True, True, "45:00 +2:13")
    (asked,) = server.asked
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    shown = cv2.imdecode(np.frombuffer(asked.picture, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert shown.shape == (216, 768, 3), "shrunk: pixels are tokens"


@pytest.mark.parametrize(
    "nonsense",
    [
        "prose",
        "fenced",
        "extra_field",
        "wrong_type",
        "missing_field",
        "cut_off",
        "refusal",
        "no_choices",
        "empty",
        "html",
    ],
)
def test_v4_nonsense_is_asked_again_then_given_up(
    server: VisionServer, client: Make, waited: list[float], nonsense: Any
) -> None:
    server.spoil(nonsense, nonsense)
    assert client().ask(STILL).football
    assert waited == [1.0, 2.0]
    server.spoil(*[nonsense] * 4)
    with pytest.raises(VisionAnswerInvalid):
        client().ask(STILL)


def test_a_server_that_fails_for_a_while_is_asked_again(server: VisionServer, client: Make) -> None:
    server.spoil(500, 429, 503)
    assert client().ask(STILL).football
    server.spoil(500, 500, 500, 500)
    with pytest.raises(VisionUnavailable, match="answered 500"):
        client().ask(STILL)


def test_no_server_is_a_sentence(client: Make) -> None:
    with pytest.raises(VisionUnavailable) as failure:
        client(url="http://127.0.0.1:9/v1").ask(STILL)
    assert "FOOTY_VISION_URL" in failure.value.sentence()


def test_a_wrong_key_is_not_tried_again(
    server: VisionServer, client: Make, waited: list[float]
) -> None:
    server.key = "right"
    with pytest.raises(VisionRefused, match="401") as failure:
        client(key="wrong").ask(STILL)
    assert not waited
    assert "wrong" not in failure.value.sentence()
    assert client(key="right").ask(STILL).football


def test_a_hanging_server_is_given_up(server: VisionServer, client: Make) -> None:
    server.seconds = 1.0
    with pytest.raises(VisionUnavailable):
        client(retry=RetryPolicy(1, 0.0, 1.0, timeout=0.1)).ask(STILL)


def test_v4_the_limit_of_requests_at_once_is_global(server: VisionServer, client: Make) -> None:
    server.seconds = 0.1
    clients = [client(at_once=2) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert all(o.football for o in pool.map(lambda c: c.ask(STILL), clients))
    assert server.busiest == 2
    assert len(server.asked) == 6


def test_the_budget_is_kept(
    server: VisionServer, client: Make, database: Database[Document]
) -> None:
    prices = Prices(question=1.0, reply=10.0)
    eyes = client(prices=prices, cap=Cap(calls=1_000, micro_usd=5_000))
    eyes.ask(STILL)
    eyes.ask(STILL)
    with pytest.raises(VisionBudgetSpent):
        eyes.ask(STILL)
    # 900 + 24 * 10 = 1,140 a call; 2,000 + 120 * 10 = 3,200 must be free before one is made.
    assert len(server.asked) == 2
    assert Spending(database, "vision").on(DAY) == Spent(2, 2_280)


def test_a_call_of_unknown_price_costs_the_most(
    server: VisionServer, client: Make, database: Database[Document]
) -> None:
    server.usage = None
    client(prices=Prices(question=1.0, reply=10.0)).ask(STILL)
    assert Spending(database, "vision").on(DAY) == Spent(1, 3_200)


def test_settings_open_it_or_leave_it_out(
    server: VisionServer, database: Database[Document]
) -> None:
    with open_vision(Settings(_env_file=None), database) as none:  # type: ignore[call-arg]
        assert none is None
    chosen = Settings(_env_file=None, vision_url=server.url, vision_model="m")  # type: ignore[call-arg]
    with open_vision(chosen, database) as eyes:
        assert eyes is not None
        assert eyes.ask(STILL).judge == "m"
