"""Who may send requests: host names of this machine on loopback, the token beyond it."""

import base64
import binascii
import hmac
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.responses import Response

from footy_assets.errors import BadInput
from footy_assets.web_server.problems import problem_response

CHALLENGE = {"WWW-Authenticate": 'Basic realm="footy", charset="UTF-8"'}


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one server. `setting` is the prefix of its settings, such as `FOOTY_API`."""

    setting: str
    host: str
    public_url: str | None = None
    token: SecretStr | None = field(default=None, repr=False)
    # Whether the token is needed under the public URL, too.
    token_for_public_url: bool = False

    @property
    def open(self) -> bool:
        """Whether requests need no token."""
        published = self.token_for_public_url and self.public_url is not None
        return is_loopback(self.host) and not published

    @property
    def reachable_from_outside(self) -> bool:
        """Whether other machines can reach the server, by itself or under its public URL."""
        return self.public_url is not None or not is_loopback(self.host)

    def require_token(self) -> None:
        """Raises `BadInput` if others could reach the server without a token."""
        if self.open or self.token is not None:
            return
        if is_loopback(self.host):
            raise BadInput(
                f"{self.setting}_PUBLIC_URL is set, but FOOTY_API_TOKEN is not",
                f"Set FOOTY_API_TOKEN, or unset {self.setting}_PUBLIC_URL",
            )
        raise BadInput(
            f"{self.setting}_HOST is {self.host}, which other machines can reach, "
            "but FOOTY_API_TOKEN is not set",
            f"Set FOOTY_API_TOKEN, or leave {self.setting}_HOST at 127.0.0.1",
        )

    def refused_host(self, headers: Headers) -> Response | None:
        """On loopback, a 421 unless the host name is one of this machine: stops DNS rebinding.

        Starlette's TrustedHostMiddleware accepts a fixed list of names and answers 400 as plain
        text; this accepts every loopback address, and names the setting.
        """
        host = host_name(headers.get("host", ""))
        names = {self.host, urlsplit(self.public_url or "").hostname}
        if not is_loopback(self.host) or is_loopback(host) or host in names:
            return None
        return problem_response(
            421,
            f"{host} is not a host name of this machine",
            f"Set {self.setting}_PUBLIC_URL to allow the name",
        )

    def refused_token(self, headers: Headers) -> Response | None:
        """A 401 where the token is needed and missing; browsers ask for it as a password."""
        if self.open or self._has_token(headers.get("authorization", "")):
            return None
        return problem_response(
            401,
            "beyond loopback every request needs the token",
            "Use FOOTY_API_TOKEN as the password, with any user name",
            CHALLENGE,
        )

    def _has_token(self, authorization: str) -> bool:
        kind, _, given = authorization.partition(" ")
        if kind.lower() == "basic":
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, ValueError):
                return False
        elif kind.lower() != "bearer":
            return False
        return self.token is not None and tokens_equal(given, self.token.get_secret_value())


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The name in a `Host` header, without the port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return header


def tokens_equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
