from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from typing import Any, get_args

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
from footy_assets.media.vision_model import FrameAnswer
from footy_assets.retries import RetryPolicy
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.leases import Leases
from footy_assets.store.spending import Cap, Spending
from footy_assets_tests.resources.vision_server import BadReply, VisionServer
from footy_assets_tests.store.spent import Spent, spent_on
from resources.language_model.vision import Prices, VisionClient
from resources.language_model.vision_connection import open_vision

DAY = date(2025, 5, 10)
CLOCK = ManualClock(datetime(2025, 5, 10, 15, tzinfo=UTC))
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
    clients: list[VisionClient] = []

    def make(**changes: Any) -> VisionClient:
        options: dict[str, Any] = {
            "clock": CLOCK,
            "leases": Leases(database),
            "spending": Spending(database, "vision"),
            "cap": PLENTY,
            "sleep": waited.append,
        }
        url = changes.pop("url", server.url)
        clients.append(VisionClient(url, "eyes-1", **options | changes))
        return clients[-1]

    yield make
    for one in clients:
        one.__exit__(None, None, None)


def test_v4_a_frame_is_sent_and_the_reply_parsed(server: VisionServer, client: Make) -> None:
    server.reply = {"football": True, "filmed_off_screen": True, "clock": " 45:00 +2:13 "}
    assert client().ask(STILL) == FrameAnswer("eyes-1", True, True, "45:00 +2:13")
    (request,) = server.requests
    assert request.body["response_format"]["json_schema"]["strict"] is True
    sent_picture = cv2.imdecode(np.frombuffer(request.picture, np.uint8), cv2.IMREAD_COLOR)
    assert sent_picture is not None
    assert sent_picture.shape == (216, 768, 3), "shrunk: pixels are tokens"


@pytest.mark.parametrize("nonsense", get_args(BadReply))
def test_v4_an_invalid_reply_is_retried_then_an_error(
    server: VisionServer, client: Make, waited: list[float], nonsense: Any
) -> None:
    server.corrupt_next(nonsense, nonsense)
    assert client().ask(STILL).football
    assert waited == [1.0, 2.0]
    server.corrupt_next(*[nonsense] * 4)
    with pytest.raises(VisionAnswerInvalid):
        client().ask(STILL)


def test_a_transient_server_error_is_retried(server: VisionServer, client: Make) -> None:
    server.corrupt_next(500, 429, 503)
    assert client().ask(STILL).football
    server.corrupt_next(500, 500, 500, 500)
    with pytest.raises(VisionUnavailable, match="answered 500"):
        client().ask(STILL)


def test_no_server_is_a_one_line_error(client: Make) -> None:
    with pytest.raises(VisionUnavailable) as failure:
        client(url="http://127.0.0.1:9/v1").ask(STILL)
    assert "FOOTY_VISION_URL" in failure.value.sentence()


def test_a_wrong_key_is_not_retried(
    server: VisionServer, client: Make, waited: list[float]
) -> None:
    server.key = "right"
    with pytest.raises(VisionRefused, match="401") as failure:
        client(key="wrong").ask(STILL)
    assert not waited
    assert "wrong" not in failure.value.sentence()
    assert client(key="right").ask(STILL).football


def test_a_hanging_server_times_out(server: VisionServer, client: Make) -> None:
    server.delay_seconds = 1.0
    with pytest.raises(VisionUnavailable):
        client(retry=RetryPolicy(1, 0.0, 1.0, timeout=0.1)).ask(STILL)


def test_v4_the_limit_of_requests_at_once_is_global(server: VisionServer, client: Make) -> None:
    server.delay_seconds = 0.1
    clients = [client(at_once=2) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert all(o.football for o in pool.map(lambda c: c.ask(STILL), clients))
    assert server.max_parallel == 2
    assert len(server.requests) == 6


def test_the_budget_is_kept(
    server: VisionServer, client: Make, database: Database[Document]
) -> None:
    prices = Prices(question=1.0, reply=10.0)
    vision = client(prices=prices, cap=Cap(calls=1_000, micro_usd=5_000))
    vision.ask(STILL)
    vision.ask(STILL)
    with pytest.raises(VisionBudgetSpent):
        vision.ask(STILL)
    # 900 + 24 * 10 = 1,140 a call; 2,000 + 120 * 10 = 3,200 must be free before a call.
    assert len(server.requests) == 2
    assert spent_on(database, "vision", DAY) == Spent(2, 2_280)


def test_a_call_of_unknown_price_costs_the_most(
    server: VisionServer, client: Make, database: Database[Document]
) -> None:
    server.usage = None
    client(prices=Prices(question=1.0, reply=10.0)).ask(STILL)
    assert spent_on(database, "vision", DAY) == Spent(1, 3_200)


def test_the_model_is_optional_in_the_settings(
    server: VisionServer, database: Database[Document]
) -> None:
    with open_vision(Settings(_env_file=None), database, CLOCK) as none:  # type: ignore[call-arg]
        assert none is None
    chosen = Settings(_env_file=None, vision_url=server.url, vision_model="m")  # type: ignore[call-arg]
    with open_vision(chosen, database, CLOCK) as vision:
        assert vision is not None
        assert vision.ask(STILL).judge == "m"
