"""The embedded S3 server: SeaweedFS's `weed mini`, on loopback."""

import json
import os
import secrets
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr

from footy_assets.errors import S3Unavailable
from footy_assets.private_files import write_private
from resources.embedded import ports
from resources.embedded.binary import find_binary
from resources.embedded.ports import GRPC_OFFSET, LOOPBACK
from resources.embedded.process import OwnedProcess, ProcessIdentity
from resources.embedded.shared import Ports, SharedServer
from resources.embedded.weed_access import is_secured, secure
from resources.s3.client import S3Address, connect

PARTS = ("master", "volume", "filer", "s3", "admin")
READY_SECONDS = 60.0
PROBE_BUCKET, PROBE_KEY = "footy-probe", "ready"
REGION = "us-east-1"
VOLUME_SIZE_LIMIT_MB = 64

OPTIONS = (
    f"-ip={LOOPBACK}",
    f"-ip.bind={LOOPBACK}",
    "-admin.ui=false",
    # The master and the filer would answer anybody: its parts need gRPC only.
    "-disableHttp=true",
    "-webdav=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-master.telemetry=false",
    # A master that resumes its state has no leader at first, and then waits 5 s in one start of
    # five. It learns volumes and their highest keys from the volume server either way.
    "-master.resumeState=false",
    "-master.volumePreallocate=false",
    f"-master.volumeSizeLimitMB={VOLUME_SIZE_LIMIT_MB}",
)


@dataclass(frozen=True)
class S3Server:
    endpoint_url: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    pid: int


def embedded_s3(home: Path, *, die_with_parent: bool = False) -> SharedServer[S3Server]:
    """The embedded S3 server of this home; started if it is not running."""
    return SharedServer(WeedRecipe(), home / "s3", die_with_parent=die_with_parent)


def find_weed() -> Path:
    scripts = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")))
    return find_binary(
        "weed",
        [place / "weed" for place in scripts],
        "Set FOOTY_S3_ENDPOINT_URL to an S3 server, or install SeaweedFS",
    )


class WeedRecipe:
    name = "weed"

    def choose_ports(self, last: Ports) -> Ports:
        """Each part's gRPC port is its port + 10000, where SeaweedFS's worker expects it."""
        known = [last[part] for part in PARTS if part in last]
        if len(known) == len(PARTS) and all(
            ports.is_free(port) and ports.is_free(port + GRPC_OFFSET) for port in known
        ):
            return last
        return dict(zip(PARTS, ports.free_ports(len(PARTS), with_grpc=True), strict=True))

    def launch(self, folder: Path, ports: Ports, *, die_with_parent: bool) -> OwnedProcess:
        place = folder / "data"
        place.mkdir(exist_ok=True, mode=0o700)
        secure(folder)
        command: list[str | Path] = [
            find_weed(),
            "-logtostderr=true",
            "mini",
            f"-dir={place}",
            *OPTIONS,
        ]
        for part in PARTS:
            command.append(f"-{part}.port={ports[part]}")
            command.append(f"-{part}.port.grpc={ports[part] + GRPC_OFFSET}")
        command.append(f"-s3.config={_identities(folder)}")
        return OwnedProcess.start(
            self.name,
            command,
            log=folder / "server.log",
            env={name: value for name, value in os.environ.items() if not _configures_weed(name)},
            die_with_parent=die_with_parent,
        )

    def make_ready(self, process: OwnedProcess, folder: Path, ports_: Ports) -> None:
        process.wait_until_ready(lambda: ports.is_open(ports_["s3"]), READY_SECONDS, S3Unavailable)
        process.wait_until_ready(lambda: self.answers(folder, ports_), READY_SECONDS, S3Unavailable)

    def answers(self, folder: Path, ports: Ports) -> bool:
        """A signed write and read: the port opens before the volumes are ready. A server from
        before there was access control does not count, so it is replaced."""
        if not is_secured(folder):
            return False
        client = _client(self.describe(folder, ports, pid=0))
        body = secrets.token_bytes(16)
        try:
            if PROBE_BUCKET not in [found["Name"] for found in client.list_buckets()["Buckets"]]:
                client.create_bucket(Bucket=PROBE_BUCKET)
            client.put_object(Bucket=PROBE_BUCKET, Key=PROBE_KEY, Body=body)
            answer = client.get_object(Bucket=PROBE_BUCKET, Key=PROBE_KEY)
            return bool(answer["Body"].read() == body)
        except (BotoCoreError, ClientError):
            return False
        finally:
            client.close()

    def describe(self, folder: Path, ports: Ports, pid: int) -> S3Server:
        identity = json.loads(_identities(folder).read_text())["identities"][0]
        keys = identity["credentials"][0]
        return S3Server(
            endpoint_url=f"http://{LOOPBACK}:{ports['s3']}",
            access_key_id=keys["accessKey"],
            secret_access_key=keys["secretKey"],
            pid=pid,
        )

    def stop(self, process: ProcessIdentity, ports: Ports) -> None:
        """Kill it: acknowledged data is already written, and SIGTERM takes 25 s."""
        process.end(grace_seconds=0)
        for socket in _sockets(ports):
            with suppress(OSError):
                socket.unlink()


def _identities(folder: Path) -> Path:
    """The key pair of this home, created on first use and readable only by its owner."""
    path = folder / "identities.json"
    if path.exists():
        return path
    keys = {"accessKey": "footy", "secretKey": secrets.token_urlsafe(24)}
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": "footy", "credentials": [keys], "actions": actions}
    write_private(path, json.dumps({"identities": [identity]}))
    return path


def _configures_weed(name: str) -> bool:
    return name.startswith(("AWS_", "S3_", "WEED_"))


def _sockets(ports: Ports) -> Iterator[Path]:
    """Its Unix sockets, at fixed paths, which a kill leaves behind."""
    place = Path("/tmp")
    for part, port in ports.items():
        yield place / f"seaweedfs-{part}-{port}.sock"
        yield place / f"seaweedfs-{part}-grpc-{port + GRPC_OFFSET}.sock"


def _client(server: S3Server) -> Any:
    keys = SecretStr(server.access_key_id), SecretStr(server.secret_access_key)
    address = S3Address(server.endpoint_url, REGION, *keys)
    return connect(address, attempts=1, connect_seconds=2, read_seconds=5)
