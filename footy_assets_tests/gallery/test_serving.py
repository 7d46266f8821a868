"""The web app as a process: it starts, it serves, and it stops on SIGTERM."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pymongo.database import Database

from footy_assets.errors import BadInput
from footy_assets.gallery.serving import listen
from footy_assets.settings import load_settings
from footy_assets.store.collections import Document
from footy_assets_tests.gallery.streams import open_stream
from footy_assets_tests.waiting import wait_until
from resources.embedded.ports import free_ports
from resources.embedded.weed import S3Server

pytestmark = pytest.mark.slow


@contextmanager
def web_process(env: dict[str, str], folder: Path) -> Iterator["subprocess.Popen[str]"]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOOTY_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "footy_assets.gallery"],
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


def wait_until_up(url: str, process: "subprocess.Popen[str]") -> None:
    def is_ok() -> bool:
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        with suppress(httpx.TransportError):
            return bool(httpx.get(f"{url}/status").json()["state"] == "ok")
        return False

    wait_until(is_ok)


def test_a_port_in_use_is_an_error_that_names_the_setting() -> None:
    with listen(load_settings(api_port=0)) as taken:
        taken.listen()
        settings = load_settings(api_port=taken.getsockname()[1])
        with pytest.raises(BadInput, match="cannot be used") as error:
            listen(settings)
    assert "FOOTY_API_PORT" in error.value.fix
