"""What another user of the machine gets of a running `footy up`: nothing."""

import os
import socket
import stat
from pathlib import Path

import pytest
import yaml

from footy_assets_tests.runtime.conftest import World
from footy_assets_tests.runtime.stack import Stack
from resources.embedded.mongo_access import MongoAccess
from resources.embedded.weed import WeedRecipe

pytestmark = pytest.mark.slow

NOBODY = 65_534


def code_server_socket(world: World) -> Path:
    (location,) = yaml.safe_load(world.home.workspace.read_text())["load_from"]
    return Path(location["grpc_server"]["socket"])


def test_everything_in_the_home_is_for_its_owner(up: Stack, world: World) -> None:
    for path in (world.home.path, *world.home.path.rglob("*")):
        # SeaweedFS sets the mode of its volumes' notes itself; their folder is private.
        if path.suffix != ".vif" and not path.is_symlink() and path.exists():
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_the_code_server_listens_on_no_port(up: Stack, world: World) -> None:
    place = code_server_socket(world)
    assert stat.S_ISSOCK(place.stat().st_mode)
    assert not stat.S_IMODE(place.parent.stat().st_mode) & 0o077
    for process in up.running("footy_assets.runtime.code_server"):
        assert not [c for c in process.net_connections("inet") if c.status == "LISTEN"]


def test_no_process_shows_a_password_on_its_command_line(up: Stack, world: World) -> None:
    folder = world.home.path / "s3"
    secrets = [
        MongoAccess.of(world.home.path / "mongo").password,
        WeedRecipe().describe(folder, {"s3": 0}, 0).secret_access_key,
    ]
    for process in up.family():
        shown = " ".join(process.cmdline())
        assert not [secret for secret in secrets if secret in shown], process.name()
    for log in world.home.logs.iterdir():
        text = log.read_text(errors="replace")
        assert not [secret for secret in secrets if secret in text], log.name
    assert not [secret for secret in secrets if secret in up.said]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_another_user_reaches_neither_files_nor_code_server_nor_environment(
    up: Stack, world: World
) -> None:
    place = str(code_server_socket(world))
    (server, *_) = up.running("footy_assets.runtime.code_server")
    attempts = {
        "list the home": lambda: os.listdir(world.home.path),  # noqa: PTH208
        "reach the code server": lambda: socket.socket(socket.AF_UNIX).connect(place),
        "read its environment": lambda: Path(f"/proc/{server.pid}/environ").read_bytes(),
    }
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        worked = 0
        for number, attempt in enumerate(attempts.values()):
            try:
                attempt()
                worked |= 1 << number
            except PermissionError:
                pass
            except BaseException:
                worked |= 1 << number
        os._exit(worked)
    _, status = os.waitpid(child, 0)
    worked = os.waitstatus_to_exitcode(status)
    assert [name for number, name in enumerate(attempts) if worked >> number & 1] == []
