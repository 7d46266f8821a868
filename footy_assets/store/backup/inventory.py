"""The objects in S3: a line of JSON for each, and their bytes if they are wanted."""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from footy_assets.errors import BackupUnusable, NotFound
from footy_assets.store.backup.files import FileSum, summed_file
from footy_assets.store.backup.manifest import INVENTORY, OBJECTS, require_unchanged
from resources.s3.clip_store import ClipStore, ListedObject

AT_ONCE = 8
# Dagster's logs of runs, and probes: not of the pipeline's results.
LEFT_OUT = ("compute-logs/", ".footy-health/")


@dataclass(frozen=True, slots=True)
class InventoryLine:
    key: str
    size: int
    etag: str
    content_type: str
    metadata: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    # Of the bytes, where they are in the backup: `objects/AB/ABCD…`.
    sha256: str | None = None

    @property
    def path(self) -> str:
        assert self.sha256 is not None
        return f"{OBJECTS}/{self.sha256[:2]}/{self.sha256}"


@dataclass(frozen=True, slots=True)
class InventorySum:
    file: FileSum
    objects: int
    bytes: int


def wanted_objects(store: ClipStore) -> list[ListedObject]:
    return [one for one in store.list_objects() if not one.key.startswith(LEFT_OUT)]


def write_inventory(store: ClipStore, root: Path, copy: bool) -> InventorySum:
    """An object that is deleted meanwhile is left out."""

    def describe(listed: ListedObject) -> InventoryLine | None:
        try:
            return _describe(store, listed, root, copy)
        except NotFound:
            return None

    objects = total = 0
    with ThreadPoolExecutor(AT_ONCE) as pool, summed_file(root, root / INVENTORY) as file:
        for line in pool.map(describe, wanted_objects(store)):
            if line is not None:
                file.write((json.dumps(asdict(line), ensure_ascii=False) + "\n").encode())
                objects, total = objects + 1, total + line.size
    return InventorySum(file.sum(), objects, total)


def _describe(store: ClipStore, listed: ListedObject, root: Path, copy: bool) -> InventoryLine:
    found = store.head(listed.key)
    if found is None:
        raise NotFound(listed.key)
    return InventoryLine(
        found.key,
        found.size,
        found.etag,
        found.content_type,
        dict(found.metadata),
        store.tags(found.key),
        _copy(store, found.key, root) if copy else None,
    )


def _copy(store: ClipStore, key: str, root: Path) -> str:
    """By the checksum of its bytes: equal objects are stored once, and no key is a path."""
    chunks = store.open(key)
    folder = root / OBJECTS
    with summed_file(root, folder / f"unfinished-{sha256(key.encode()).hexdigest()}") as file:
        for chunk in chunks:
            file.write(chunk)
    digest = file.sum().sha256
    (folder / digest[:2]).mkdir(exist_ok=True)
    file.path.replace(folder / digest[:2] / digest)
    return digest


def read_inventory(root: Path) -> Iterator[InventoryLine]:
    with (root / INVENTORY).open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                yield InventoryLine(**json.loads(text))
            except (ValueError, TypeError) as error:
                raise BackupUnusable(f"{INVENTORY}, line {number}: {error}") from error


def verify_copies(root: Path, lines: Iterable[InventoryLine]) -> None:
    for line in lines:
        if line.sha256 is not None:
            require_unchanged(root, FileSum(line.path, line.size, line.sha256))


@dataclass(slots=True)
class ObjectsReport:
    """What a restore found in the bucket, and what it uploaded."""

    expected: int = 0
    present: int = 0
    restored: int = 0
    missing: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)


def restore_objects(
    store: ClipStore, root: Path, on_each: Callable[[], object] = lambda: None
) -> ObjectsReport:
    """Uploads those that the bucket lacks and the backup has; one that is there already is not
    uploaded again, so that a killed restore goes on."""
    there = {one.key: one for one in wanted_objects(store)}

    def settle(line: InventoryLine) -> str:
        found = there.get(line.key)
        if found is not None and _is_same(line, found):
            return "present"
        if line.sha256 is None:
            return "missing" if found is None else "different"
        store.put(
            line.key,
            root / line.path,
            content_type=line.content_type,
            metadata=line.metadata,
            tags=line.tags,
        )
        return "restored"

    report, lines = ObjectsReport(), list(read_inventory(root))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line, outcome in zip(lines, pool.map(settle, lines), strict=True):
            report.expected += 1
            on_each()
            match outcome:
                case "missing":
                    report.missing.append(line.key)
                case "different":
                    report.different.append(line.key)
                case "present":
                    report.present += 1
                case _:
                    report.restored += 1
    return report


def _is_same(line: InventoryLine, found: ListedObject) -> bool:
    """The etag of an object that was uploaded in parts depends on the parts."""
    in_parts = "-" in line.etag or "-" in found.etag
    return line.size == found.size and (in_parts or line.etag == found.etag)
