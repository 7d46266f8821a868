"""Invocations that no user means: wrong ids, dates, names, files and settings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# What the shell hands over for bytes that are not UTF-8.
NOT_UTF8 = "caf\udce9"
BEYOND_64_BIT = str(2**63)
LONG = "x" * 5_000
DEEP = 100_000
EVENT_IDS = ("", "nonsense", "-", "[/b]", "\n", NOT_UTF8, LONG, "$where", "5000_40_234_Goal_1 ")
IDS = ("", "0", "x", "1.5", "1e9", "²", "١٢", "[/b]", NOT_UTF8, BEYOND_64_BIT, "9" * 5_000)
DAYS = ("", "yesterday", "2025-13-01", "2025-02-30", "0000-00-00", "[/b]", NOT_UTF8, LONG)
NUMBERS = ("", "x", "-1", "0", "nan", "1e400", BEYOND_64_BIT, "9" * 5_000, NOT_UTF8)
FILES = ("", "/", "/nowhere/at/all", "~nosuchuser/file", "[/b]", NOT_UTF8, LONG, "/dev/null")
TEXTS = ("", "[/b]", "\n", NOT_UTF8, LONG, "$where")


@dataclass(frozen=True)
class Invocation:
    arguments: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""

    def __str__(self) -> str:
        shown = [*(f"{name}={value}" for name, value in self.env.items()), *self.arguments]
        return " ".join(part if len(part) < 40 else f"{part[:37]}..." for part in shown)


def malformed(folder: Path) -> Iterator[Invocation]:
    """All of them. `folder` holds the files that some of them name."""
    yield from _arguments()
    yield from _files(write_files(folder))
    yield from _settings()


def _arguments() -> Iterator[Invocation]:
    for line in (
        "nonsense", "--nonsense", "events --nonsense", "clip", "clip nonsense", "history",
        "triggers nonsense", "close", "close 5000", "search", "explain", "clip remove",
        "ingest --date 2025-05-10 --ids 1", "triggers replay", "fixtures --state nonsense",
        "events --state [/b]", "login", "login nonsense", "login x --minutes nonsense",
        "triggers replay --date 2025-05-10 --game 1", "history start --league 39", "demo extra",
    ):  # fmt: skip
        yield Invocation(tuple(line.split()))
    for name in (NOT_UTF8, LONG, "[/b]", ""):
        yield Invocation((name,))
    for day in DAYS:
        for command in ("ingest", "fixtures", "events", "clips", "triggers replay"):
            yield Invocation((*command.split(), "--date", day))
    for number in IDS:
        yield Invocation(("ingest", "--ids", number))
        yield Invocation(("events", "--fixture", number))
        yield Invocation(("line-ups", number))
        yield Invocation(("close", number, "--why", "test"))
        yield Invocation(("sources", "match", number))
    for number in ("", "x", "-1", "nan", "1e400", "9" * 400, NOT_UTF8):
        yield Invocation(("sources", "watch", "--seconds", number))
    for number in NUMBERS:
        yield Invocation(("aliases", "--team", number))
        yield Invocation(("audit", "--limit", number))
        yield Invocation(("demo", "--speed", number, "--match", "none"))
        yield Invocation(("demo", "--seed", number, "--match", "none"))
        for command in ("start", "status", "forget", "export"):
            yield Invocation(("history", command, "--league", number, "--season", "2023"))
            yield Invocation(("history", command, "--league", "39", "--season", number))
    for event in EVENT_IDS:
        yield Invocation(("clips", "--event", event))
        yield Invocation(("search", "--event", event))
        yield Invocation(("explain", event))
    for event in ("nonsense", NOT_UTF8, "[/b]"):
        yield Invocation(("revalidate", event))
        yield Invocation(("rerank", event))
    for text in TEXTS:
        yield Invocation(("close", "5000", "--why", text, "--who", text))
        yield Invocation(("sources", "enable", text))
        yield Invocation(("sources", "disable", text))
        yield Invocation(("triggers", "explain", text))
        yield Invocation(("triggers", "explain", "nonsense", "--snapshot", text))
        yield Invocation(("triggers", "replay", "--game", text))
        yield Invocation(("triggers", "list", "--entity", text, "--entity-id", text))
        yield Invocation(("demo", "--match", text))
    for text in (NOT_UTF8, "[/b]"):
        yield Invocation(("clip", "remove", text, "--why", text, "--who", text))
    for name in FILES:
        for command in ("hash", "dedup", "validate"):
            yield Invocation(("clip", command, name))
        yield Invocation(("clip", "compare", name, name))
        yield Invocation(("clip", "compare", "a.mp4", "b.mp4", "--plot", name))
        yield Invocation(("triggers", "create", "--trigger", name))
        yield Invocation(("triggers", "eval", "--trigger", name, "--snapshots", name))
    for minute in ("", "x", "-1", "45+", "+2", "999", "45+999", "9" * 5_000, NOT_UTF8, "٤٥"):
        yield Invocation(("clip", "validate", "a.mp4", "--minute", minute))


def write_files(folder: Path) -> list[Path]:
    """Files of every wrong kind that a command may be given."""
    contents: dict[str, bytes] = {
        "empty": b"",
        "not-utf8": b"\xff\xfe\x00caf\xe9",
        "not-json": b"{nonsense",
        "number": b"1",
        "list": b"[]",
        "nested": b"[" * DEEP,
        "nested-objects": b'{"a":' * DEEP,
        "long-number": b"9" * 10_000,
        "surrogate": b'{"trigger": "\\ud800", "conditions": []}',
        "infinite": b'{"trigger": Infinity, "conditions": NaN}',
        "large": b'"' + b"x" * 2_000_000 + b'"',
        "beyond-64-bit": _trigger(limit=2**70),
        "half-a-letter": _trigger(entity="\ud800"),
        "aliases": _aliases(),
        "wrong-types": json.dumps({"trigger": {"entity": 1}, "conditions": {}}).encode(),
        "nul": b"\x00" * 100,
    }
    paths = []
    for name, content in contents.items():
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths


def _trigger(**head: object) -> bytes:
    option = {"event": "football.goal.minute", "compare": "$gte", "targets": [1]}
    named = {"entity": "person", "entity_id": "1", "scope": "game", "scope_id": "5000", **head}
    return json.dumps({"trigger": named, "conditions": [option]}).encode()


def _aliases() -> bytes:
    """A few lines that are 10^9 values when they are expanded."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for number in range(1, 10):
        lines.append(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]")
    return "\n".join(lines).encode()


def _files(paths: list[Path]) -> Iterator[Invocation]:
    for path in paths:
        yield Invocation(("triggers", "create", "--trigger", str(path)))
        yield Invocation(("triggers", "create", "--trigger", "-"), stdin=path.read_bytes())
        yield Invocation(("triggers", "eval", "--trigger", str(path), "--snapshots", str(path)))
        yield Invocation(("clip", "hash", str(path)))
        yield Invocation(("sources", "status"), {"FOOTY_SOURCES_FILE": str(path)})
        yield Invocation(("sources", "watch", "--seconds", "0"), {"FOOTY_SOURCES_FILE": str(path)})


def _settings() -> Iterator[Invocation]:
    wrong = {
        "FOOTY_HOME": ("~nosuchuser", LONG, NOT_UTF8, "/dev/null/home"),
        "FOOTY_SOURCES_FILE": ("~nosuchuser", LONG, NOT_UTF8, "/", "/nowhere"),
        "FOOTY_TABLES_FOLDER": ("~nosuchuser", LONG, NOT_UTF8),
        "FOOTY_X_COOKIES_FILE": ("~nosuchuser", LONG, NOT_UTF8),
        "FOOTY_BROWSER_PATH": ("~nosuchuser", LONG, NOT_UTF8),
        "FOOTY_API_FOOTBALL_KEY": ("ключ", "key\r\nHost: other", NOT_UTF8),
        "FOOTY_API_FOOTBALL_URL": ("nonsense", "http://[", "ftp://x", "http://\udce9", LONG),
        "FOOTY_MONGO_URI": ("mongodb://[", NOT_UTF8, "mongodb://", "http://x"),
        "FOOTY_MONGO_DATABASE": ("a/b", "a" * 500, NOT_UTF8, "$x", "[/b]"),
        "FOOTY_S3_ENDPOINT_URL": ("nonsense", "http://[", NOT_UTF8),
        "FOOTY_S3_BUCKET": ("[/b]", LONG, NOT_UTF8),
        "FOOTY_TRACKED_LEAGUES": ("x", BEYOND_64_BIT, "²", "9" * 5_000),
        "FOOTY_TRACKED_TEAMS": ("x", BEYOND_64_BIT, "²"),
        "FOOTY_POLL_SECONDS": ("nan", "inf", "-1", "x"),
        "FOOTY_CLOCK": ("x", "@@", "2025-01-01T00:00:00Z@nan@1", "2025-01-01@1@1e400", NOT_UTF8),
        "FOOTY_LOG_LEVEL": ("loud", NOT_UTF8),
        "FOOTY_JETSTREAM_URLS": ("https://example.com", "wss://", ","),
        "FOOTY_SITES": ("myspace", NOT_UTF8, "[/b]"),
        "FOOTY_TELEGRAM_CHANNELS": ("t.me/+secret", "[/b]x", "a" * 500, NOT_UTF8),
        "FOOTY_API_PORT": ("x", "-1", "65536", "9" * 5_000),
        "FOOTY_RETENTION_DAYS": ("x", "0", BEYOND_64_BIT, "1e400"),
        "FOOTY_WIKIDATA_CONTACT": ("имя", "a\r\nb", NOT_UTF8),
    }  # fmt: skip
    for name, values in wrong.items():
        for value in values:
            yield Invocation(("settings",), {name: value})
            yield Invocation(("sources", "status"), {name: value})
    for name in ("FOOTY_API_FOOTBALL_KEY", "FOOTY_API_FOOTBALL_URL", "FOOTY_RETENTION_DAYS"):
        for value in wrong[name]:
            yield Invocation(("ingest", "--date", "2025-05-10"), {name: value})
    for name in ("FOOTY_HOME", "FOOTY_TABLES_FOLDER"):
        for value in wrong[name]:
            export = ("history", "export", "--league", "39", "--season", "2023")
            yield Invocation(export, {name: value})
