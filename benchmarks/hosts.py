"""Hosts of their own on one machine: network namespaces, each with an address and a link to cut,
and the `footy` commands that run there.

Servers stay where they are, on loopback. A host reaches them at the same loopback addresses through
its link: a port of the host is forwarded to its gateway, and from there to the server. Needs root,
and `ip` and `socat` from Debian's iproute2 and socat.
"""

import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from resources.embedded.ports import LOOPBACK

NETWORK = "10.77.{number}"


@dataclass(frozen=True)
class Host:
    number: int

    @property
    def name(self) -> str:
        return f"footy-host-{self.number}"

    @property
    def link(self) -> str:
        return f"footy{self.number}"

    @property
    def address(self) -> str:
        return f"{NETWORK.format(number=self.number)}.2"

    @property
    def gateway(self) -> str:
        return f"{NETWORK.format(number=self.number)}.1"

    def command(self, *command: str) -> list[str]:
        """The command as it runs on this host."""
        return ["ip", "netns", "exec", self.name, *command]

    def cut(self) -> None:
        _ip("link", "set", self.link, "down")

    def mend(self) -> None:
        _ip("link", "set", self.link, "up")


@dataclass
class Program:
    """A `footy` command on a host, which may be killed with all its processes and started again."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )

    def family(self) -> list[psutil.Process]:
        assert self.process is not None
        first = psutil.Process(self.process.pid)
        return [first, *first.children(recursive=True)]

    def kill(self) -> None:
        for process in (family := self.family()):
            process.kill()
        psutil.wait_procs(family, timeout=10)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def stop(self) -> None:
        """A worker ends after its runs."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def network_host(number: int, ports: Iterable[int]) -> Iterator[Host]:
    """A host that reaches these ports of the machine's loopback, and nothing else."""
    host = Host(number)
    with ExitStack() as stack:
        _ip("netns", "add", host.name)
        stack.callback(_ip, "netns", "delete", host.name)
        inside = f"{host.link}in"
        _ip("link", "add", host.link, "type", "veth", "peer", "name", inside, "netns", host.name)
        _ip("address", "add", f"{host.gateway}/24", "dev", host.link)
        _ip("link", "set", host.link, "up")
        for words in (
            ("addr", "add", f"{host.address}/24", "dev", inside),
            ("link", "set", inside, "up"),
        ):
            _ip("-netns", host.name, *words)
        _ip("-netns", host.name, "link", "set", "lo", "up")
        for port in sorted(set(ports)):
            stack.enter_context(_forwarder(host.gateway, port, LOOPBACK))
            stack.enter_context(_forwarder(LOOPBACK, port, host.gateway, host.command()))
        yield host


@contextmanager
def _forwarder(address: str, port: int, to: str, on: Iterable[str] = ()) -> Iterator[None]:
    listen = f"TCP-LISTEN:{port},bind={address},fork,reuseaddr,backlog=128"
    process = subprocess.Popen(
        [*on, "socat", listen, f"TCP:{to}:{port}"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
