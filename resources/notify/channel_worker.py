"""The process that sends messages to channels: `python -m resources.notify.channel_worker`.

It loads Apprise once and forks for each message. The copy reads no files but those of Python,
starts no programs, connects to public addresses only, and ends at its time limit.
"""

import logging
import mimetypes
import re
import socket
import ssl
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import apprise
from apprise.manager_plugins import NotificationManager

from footy_assets.clean_process import PACKAGES
from footy_assets.errors import AddressNotPublic
from resources.public_addresses import is_public
from resources.worker_process import end_after, end_with, send, serve

# Apprise's plugins that act on this machine, by the names of their modules.
LOCAL = frozenset({"blink1", "dbus", "glib", "gnome", "macosx", "syslog", "windows"})
CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
STARTING = frozenset({"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork"})
STATUS = re.compile(r"error=(\d{3})\b")


class MessageGuard:
    """An audit hook of Python: it cannot be removed, and sees the address of each connection."""

    def __init__(self, private_addresses: bool) -> None:
        self._private_addresses = private_addresses
        self._readable = tuple(sorted(_readable_folders()))
        self.address_refused = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in CONNECTING:
            self._connect(arguments[1])
        elif event == "open":
            self._open(*arguments)
        elif event in STARTING:
            raise PermissionError("a message starts no program")

    def _connect(self, address: Any) -> None:
        """The name is resolved before: this is an IP address, or the path of a local socket."""
        if self._private_addresses and isinstance(address, tuple):
            return
        if not (isinstance(address, tuple) and is_public(str(address[0]))):
            self.address_refused = True
            raise AddressNotPublic("not an address of the public internet")

    def _open(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        name = str(Path(path.decode() if isinstance(path, bytes) else path).absolute())
        if writes or not name.startswith(self._readable):
            raise PermissionError("a message reads no files")


def _readable_folders() -> set[str]:
    found = {*sysconfig.get_paths().values(), *map(str, mimetypes.knownfiles), str(PACKAGES)}
    found |= {sys.prefix, sys.base_prefix, "/usr/share/zoneinfo", "/dev/null", "/etc/localtime"}
    places = ssl.get_default_verify_paths()
    found |= {one for one in (places.cafile, places.capath, places.openssl_capath) if one}
    return found - {"/"}


class Reasons(logging.Handler):
    """Keeps the HTTP status of Apprise's last complaint; its texts may have secrets."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.status: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if found := STATUS.search(record.getMessage()):
            self.status = found[1]


def work(job: Mapping[str, Any], client: socket.socket) -> None:
    end_after(job["seconds"])
    Thread(target=end_with, args=(client,), daemon=True).start()
    guard, reasons = MessageGuard(job["private_addresses"]), Reasons()
    logging.getLogger("apprise").addHandler(reasons)
    sys.addaudithook(guard)
    try:
        answer = answer_for(job)
    except Exception as error:
        # Its text may have the URL.
        answer = {"failed": f"not sent ({type(error).__name__})"}
    if "failed" in answer and guard.address_refused:
        answer["failed"] = (
            "not an address of the public internet; FOOTY_NOTIFY_PRIVATE_ADDRESSES allows it"
        )
    elif "failed" in answer and reasons.status:
        answer["failed"] = f"HTTP {reasons.status}"
    send(client, answer)


def answer_for(job: Mapping[str, Any]) -> dict[str, Any]:
    service = open_service(job["url"], job.get("key", ""))
    if service is None:
        return {"invalid": True}
    if "body" not in job:
        return {"service": str(service.service_name), "url": service.url()}
    if service.notify(job["body"], title=job["title"], notify_type=apprise.NotifyType.INFO):
        return {"sent": True}
    return {"failed": "not accepted, or cannot be reached"}


def open_service(url: str, key: str) -> Any:
    """The service that a URL names; None for one that is not valid, or acts on this machine."""
    # No pictures, and nothing kept on disk.
    asset = apprise.AppriseAsset(
        app_id="footy", app_desc="footy", app_url="", image_url_mask="", image_url_logo=""
    )
    service: Any = apprise.Apprise.instantiate(url, asset=asset)
    if service is None or type(service).__module__.rpartition(".")[2] in LOCAL:
        return None
    # T12: a receiver that takes headers recognises a message that comes twice.
    if key and isinstance(getattr(service, "headers", None), dict):
        service.headers["Idempotency-Key"] = key
    return service


def load_plugins() -> None:
    """Before any fork: loading them takes longer than a message."""
    manager: Any = NotificationManager
    list(manager().plugins())


if __name__ == "__main__":
    load_plugins()
    serve(socket.socket(fileno=sys.stdin.fileno()), work)
