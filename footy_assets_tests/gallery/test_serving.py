"""The web app as a process: it starts, it serves, and it stops on SIGTERM."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.errors import BadInput
from footy_assets.gallery.access import access_of
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets.web_server.listening import listen
from footy_assets.web_server.open_files import raise_open_files
from footy_assets_tests.gallery.site import running_site
from footy_assets_tests.gallery.streams import open_stream
from footy_assets_tests.matchday.goals import KICKOFF
from footy_assets_tests.waiting import wait_until
from resources.embedded.ports import free_ports
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@contextmanager
def web_process(
    env: dict[str, str], folder: Path, within: Sequence[str] = ()
) -> Iterator["subprocess.Popen[str]"]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOOTY_")}
    process = subprocess.Popen(
        [*within, sys.executable, "-m", "footy_assets.gallery"],
        env=clean | {"FOOTY_HOME": str(folder / "home")} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def servers(mongo_uri: str, s3: S3Server, database: Database[Document]) -> dict[str, str]:
    return {
        "FOOTY_MONGO_URI": mongo_uri,
        "FOOTY_MONGO_DATABASE": database.name,
        "FOOTY_S3_ENDPOINT_URL": s3.endpoint_url,
        "FOOTY_S3_ACCESS_KEY_ID": s3.access_key_id,
        "FOOTY_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "FOOTY_S3_BUCKET": f"web-{uuid4().hex}",
    }


def test_it_serves_until_sigterm_also_with_open_streams(
    servers: dict[str, str], tmp_path: Path
) -> None:
    port = free_ports(1)[0]
    url = f"http://127.0.0.1:{port}"
    with web_process(servers | {"FOOTY_API_PORT": str(port)}, tmp_path) as process:
        wait_until_up(url, process)
        assert "No matches on this day" in httpx.get(url).text
        with open_stream(f"{url}/live"), open_stream(f"{url}/live"):
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        output = process.stdout.read() if process.stdout else ""
        assert "Traceback" not in output, output


IDLE = 1_100


def test_more_idle_connections_than_a_usual_limit_of_open_files_shut_nobody_out(
    servers: dict[str, str], tmp_path: Path
) -> None:
    raise_open_files()
    port = free_ports(1)[0]
    url = f"http://127.0.0.1:{port}"
    usual = ("sh", "-c", 'ulimit -Sn 1024; exec "$@"', "sh")
    with (
        web_process(servers | {"FOOTY_API_PORT": str(port)}, tmp_path, usual) as process,
        ExitStack() as opened,
    ):
        wait_until_up(url, process)
        for _ in range(IDLE):
            opened.enter_context(socket.create_connection(("127.0.0.1", port), 20))
        assert httpx.get(url).status_code == 200
        limits = Path(f"/proc/{process.pid}/limits")
        if limits.exists():
            assert "Max open files            1024 " not in limits.read_text()


def test_streams_beyond_the_limit_get_a_503_and_pages_are_still_served(
    database: Database[Document], clip_store: ClipStore
) -> None:
    settings = load_settings(api_port=0, dagster_port=0, max_connections=16)
    with (
        running_site(database, clip_store, ManualClock(KICKOFF), settings) as site,
        ExitStack() as opened,
    ):
        for _ in range(4):
            opened.enter_context(open_stream(f"{site.url}/live"))
        refused = httpx.get(f"{site.url}/live")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert refused.json()["detail"] == "too many live streams are open"
        assert httpx.get(site.url).status_code == 200
        opened.close()
        wait_until(lambda: _is_streamed(f"{site.url}/live"))


def _is_streamed(url: str) -> bool:
    with httpx.stream("GET", url) as answer:
        return answer.status_code == 200


def wait_until_up(url: str, process: "subprocess.Popen[str]") -> None:
    def is_ok() -> bool:
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        with suppress(httpx.TransportError):
            return bool(httpx.get(f"{url}/status").json()["state"] == "ok")
        return False

    wait_until(is_ok)


def test_a_port_in_use_is_an_error_that_names_the_setting() -> None:
    access = access_of(load_settings())
    with listen(access, 0, "the web app") as taken:
        taken.listen()
        with pytest.raises(BadInput, match="cannot be used") as error:
            listen(access, taken.getsockname()[1], "the web app")
    assert "FOOTY_API_PORT" in error.value.fix
