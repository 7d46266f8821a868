"""Reads the cookies of a login from an exported file. Their values are never logged."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from footy_assets.errors import BadInput
from footy_assets.parsing import parse_json, read_text
from footy_assets.settings import Settings

FIX = "Export the cookies of x.com as Netscape cookies.txt or JSON, and set FOOTY_X_COOKIES_FILE"
SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None", "no_restriction": "None"}
HTTP_ONLY = "#HttpOnly_"
# Where posts are read; their films need no login.
POST_HOSTS = ("x.com", "twitter.com", "mobile.twitter.com")


def read_cookies(path: Path, base_url: str) -> list[dict[str, Any]]:
    """The cookies of this site, in Playwright's format."""
    try:
        text = read_text(path)
    except BadInput as error:
        raise BadInput(str(error), FIX) from None
    try:
        found = _from_json(text) if text.lstrip()[:1] in ("[", "{") else _from_netscape(text)
    except (ValueError, KeyError, TypeError, AttributeError):
        # Not chained: the error may contain a secret.
        raise BadInput(f"{path} is not a cookies file", FIX) from None
    host = urlsplit(base_url).hostname or ""
    wanted = [cookie for cookie in found if _is_for(cookie["domain"], host)]
    if not wanted:
        raise BadInput(f"{path} has no cookies for {host}", FIX)
    return wanted


def cookies_for(url: str, settings: Settings) -> list[dict[str, Any]]:
    """D5: the cookies that a download may use: of X, for a post of X whose file is not named."""
    file, host = settings.x_cookies_file, urlsplit(url).hostname or ""
    own = urlsplit(settings.x_url).hostname or ""
    if file is None or host not in (own, *POST_HOSTS) or "/status/" not in url:
        return []
    try:
        return read_cookies(file, settings.x_url)
    except BadInput:
        # The search on X reports it; most videos need no login.
        return []


def _is_for(domain: str, host: str) -> bool:
    bare = domain.lstrip(".").lower()
    return host == bare or host.endswith(f".{bare}")


def _from_json(text: str) -> list[dict[str, Any]]:
    """A list as browser extensions write it, or Playwright's storage state."""
    content = parse_json(text)
    cookies = []
    for raw in content["cookies"] if isinstance(content, dict) else content:
        expires = raw.get("expirationDate", raw.get("expires", -1))
        cookie = {
            "name": str(raw["name"]),
            "value": str(raw["value"]),
            "domain": str(raw["domain"]),
            "path": str(raw.get("path") or "/"),
            "expires": float(expires) if expires else -1,
            "secure": bool(raw.get("secure", False)),
            "httpOnly": bool(raw.get("httpOnly", False)),
        }
        if same := SAME_SITE.get(str(raw.get("sameSite") or "").lower()):
            cookie["sameSite"] = same
        cookies.append(cookie)
    return cookies


def _from_netscape(text: str) -> list[dict[str, Any]]:
    """domain, with subdomains, path, secure, expires, name, value: by tabs."""
    cookies = []
    for line in text.splitlines():
        http_only = line.startswith(HTTP_ONLY)
        line = line.removeprefix(HTTP_ONLY)
        if not line.strip() or line.startswith("#"):
            continue
        domain, _, path, secure, expires, name, value = line.split("\t")
        cookies.append(
            {
                "name": name,
                "value": value,
                "domain": domain,
                "path": path,
                "expires": float(expires) if float(expires) > 0 else -1,
                "secure": secure.upper() == "TRUE",
                "httpOnly": http_only,
            }
        )
    return cookies
