"""`footy up` brings back whatever is killed, at the same address and with its data."""

from contextlib import suppress

import httpx
import pytest

from footy_assets_tests.runtime.conftest import TOKEN, World
from footy_assets_tests.runtime.stack import Stack

pytestmark = pytest.mark.slow

CODE_SERVER = "footy_assets.runtime.code_server"
DAEMON = "dagster._daemon"


def kill(up: Stack, module: str) -> None:
    """Returns when another process runs the module."""
    (process,) = up.running(module)
    process.kill()
    process.wait()
    up.wait_until(lambda: bool(up.running(module)), 60)


def test_a_killed_database_comes_back_with_its_data(up: Stack, world: World) -> None:
    (mongod,) = [p for p in up.family() if p.name() == "mongod"]
    mongod.kill()
    mongod.wait()
    up.wait_until(lambda: any(p.name() == "mongod" for p in up.family()), 60)
    assert world.footy("fixtures")


def test_a_killed_code_server_comes_back_and_takes_requests(up: Stack) -> None:
    kill(up, CODE_SERVER)
    path = f"{up.gallery()}/api/v1/events/5000_40_234_Goal_1/revalidate"
    headers = {"Authorization": f"Bearer {TOKEN}"}

    def accepted() -> bool:
        """Until Dagster has noticed, the web app says that it is not there."""
        answer = httpx.post(path, json={"why": "a test"}, headers=headers, timeout=60)
        assert answer.status_code in (202, 503), answer.text
        return answer.status_code == 202

    up.wait_until(accepted, 120)


def test_a_killed_web_app_comes_back_at_its_address(up: Stack) -> None:
    kill(up, "footy_assets.gallery")

    def is_ok() -> bool:
        with suppress(httpx.TransportError):
            return bool(httpx.get(f"{up.gallery()}/status").json()["state"] == "ok")
        return False

    up.wait_until(is_ok, 120)


def test_a_killed_daemon_comes_back(up: Stack) -> None:
    kill(up, DAEMON)
