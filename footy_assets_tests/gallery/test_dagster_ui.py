"""What the web app reads of Dagster's GraphQL answers."""

from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from footy_assets.gallery.dagster_ui import DagsterUi
from footy_assets.matchday.poll_pace import PollPace
from footy_assets.matchday.rules.pace import Quota
from footy_assets_tests.matchday.goals import KICKOFF

WRITTEN = PollPace(KICKOFF, Quota(day_limit=100, day_remaining=7), 3).to_cursor()


def dagster_with(cursor: str | None, monkeypatch: pytest.MonkeyPatch) -> DagsterUi:
    sensor = {"sensorState": {"typeSpecificData": {"lastCursor": cursor}}}

    def post(*_: Any, **__: Any) -> httpx.Response:
        return httpx.Response(200, json={"data": {"sensorOrError": sensor}})

    monkeypatch.setattr(httpx, "post", post)
    return DagsterUi("http://127.0.0.1:3000")


def test_the_last_poll_is_what_the_sensor_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    poll = dagster_with(WRITTEN, monkeypatch).last_poll()
    assert poll is not None
    assert (poll.last, poll.calls, poll.quota) == (KICKOFF, 3, Quota(100, 7))


@pytest.mark.parametrize("cursor", [None, "", "no json", "[]", '{"quota": {"of_week": 1}}'])
def test_without_a_readable_cursor_there_is_no_last_poll(
    cursor: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dagster_with(cursor, monkeypatch).last_poll() is None


def test_requests_carry_the_token_and_links_lead_to_the_public_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[Any] = []

    def get(url: str, **options: Any) -> httpx.Response:
        sent.append((url, options["headers"]))
        return httpx.Response(200)

    monkeypatch.setattr(httpx, "get", get)
    dagster = DagsterUi("http://0.0.0.0:3000", "https://dagster.example", SecretStr("s3cret-t0ken"))
    assert dagster.is_up()
    bearer = {"Authorization": "Bearer s3cret-t0ken"}
    assert sent == [("http://0.0.0.0:3000/server_info", bearer)]
    assert dagster.matchday("2025-05-10").startswith("https://dagster.example/assets/")  # type: ignore[union-attr]
    assert "s3cret" not in repr(dagster)
