"""`footy up` says that the embedded MongoDB is too old for anything but this machine."""

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from footy_assets.errors import FootyError
from footy_assets.runtime.supervisor import OLD_MONGODB, accesses, servers_env
from footy_assets.settings import settings_of

TOKEN = {"api_token": "secret"}


@pytest.mark.parametrize(
    ("options", "reachable"),
    [
        ({}, False),
        ({"api_host": "localhost", "dagster_host": "::1"}, False),
        ({"api_host": "0.0.0.0"}, True),
        ({"dagster_host": "192.0.2.7"}, True),
        ({"api_public_url": "https://goals.example.org"}, True),
        ({"dagster_public_url": "https://dagster.example.org"}, True),
    ],
)
def test_a_public_host_or_address_is_reachable_from_outside(
    options: dict[str, Any], reachable: bool
) -> None:
    of_both = accesses(settings_of(**options, **TOKEN))
    assert any(access.reachable_from_outside for access in of_both) is reachable


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_the_warning_is_printed_where_other_machines_reach_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, warned: bool
) -> None:
    def no_server(home: Path) -> None:
        raise FootyError("not started in this test")

    monkeypatch.setattr("footy_assets.runtime.supervisor.embedded_mongo", no_server)
    said: list[str] = []
    settings = settings_of(home=tmp_path, api_host=host, **TOKEN)
    with ExitStack() as stack, suppress(FootyError):
        servers_env(settings, stack, {}, said.append)
    assert (OLD_MONGODB in said) is warned
