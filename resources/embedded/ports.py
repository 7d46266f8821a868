"""Free loopback ports, below the range of ephemeral ports."""

import random
import socket

LOOPBACK = "127.0.0.1"
LOWEST, HIGHEST = 12_000, 21_999
GRPC_OFFSET = 10_000


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0


def free_ports(count: int, *, with_grpc: bool = False) -> list[int]:
    """`count` different free ports; `with_grpc`: each port + 10000 is free, too."""
    found: list[int] = []
    for port in random.sample(range(LOWEST, HIGHEST + 1), HIGHEST + 1 - LOWEST):
        if len(found) == count:
            break
        if is_free(port) and (not with_grpc or is_free(port + GRPC_OFFSET)):
            found.append(port)
    return found
