"""The certificates that connections are checked with."""

import ssl
from functools import cache
from urllib.parse import urlsplit

import httpx


def verify_for(url: str) -> ssl.SSLContext | bool:
    """The `verify` argument for httpx; False for a connection without TLS."""
    return _certificates() if urlsplit(url).scheme == "https" else False


@cache
def _certificates() -> ssl.SSLContext:
    """Loaded once per process, because loading takes 25 ms, ten times a request on loopback."""
    return httpx.create_ssl_context()
