"""Code conventions: where settings are read, where MongoDB is used, what each room contains."""

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("clips", "history", "matchday", "providers", "search", "triggers")
# Where a process begins: each reads the settings once and hands them down.
ROOTS = {
    Path("footy_assets/definitions.py"),
    Path("footy_assets/cli/invocation.py"),
    Path("footy_assets/gallery/__main__.py"),
    Path("footy_assets/runtime/webserver.py"),
}
COLLECTION_CALLS = {
    "aggregate", "bulk_write", "count_documents", "delete_many", "delete_one", "distinct", "find",
    "find_one", "find_one_and_delete", "find_one_and_replace", "find_one_and_update",
    "insert_many", "insert_one", "replace_one", "update_many", "update_one", "watch",
}  # fmt: skip
# Whose `find` and `watch` are no collection's or database's: a store, the processes of `footy up`.
OWN_CALLS = {("TriggerStore", "find"), ("stack", "watch"), ("up", "watch")}


def code(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), parsed(path)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def test_settings_are_read_at_the_roots_only() -> None:
    callers = {
        path
        for path, tree in code("footy_assets", "resources", "sensors")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == "load_settings"
    }
    assert callers == ROOTS


def test_one_module_makes_the_client_of_s3() -> None:
    for path, tree in code("footy_assets", "resources", "sensors"):
        imported = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
            for alias in node.names
        }  # fmt: skip
        assert "boto3" not in imported or path == Path("resources/s3/client.py"), path


def test_files_from_outside_are_decoded_in_a_cell_only() -> None:
    """The functions that decode in the calling process are for tests and benchmarks."""
    decoding = {"fingerprint", "open_video", "probe", "probe_file", "scan", "scan_file"}
    for path, tree in code("footy_assets", "resources", "sensors"):
        if path.parts[1] in ("media", "sim"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "footy_assets.media"
            ):
                assert not decoding & {alias.name for alias in node.names}, f"{path}:{node.lineno}"
            if isinstance(node, ast.Import):
                assert not {"av", "cv2"} & {alias.name for alias in node.names} or path == Path(
                    "footy_assets/runtime/doctor.py"
                ), f"{path}:{node.lineno}"


def test_mongodb_is_used_in_stores_only() -> None:
    for path, tree in code("footy_assets", "sensors"):
        if "store" in path.parts or path.name == "store.py" or "sim" in path.parts:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript):
                name = getattr(node.value, "attr", getattr(node.value, "id", ""))
                assert name.lstrip("_") != "database", f"{path}:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                call = (name_of(node.func.value), node.func.attr)
                assert call[1] not in COLLECTION_CALLS or call in OWN_CALLS, f"{path}:{node.lineno}"
            if isinstance(node, ast.Dict):
                for key in node.keys:
                    operator = isinstance(key, ast.Constant) and str(key.value).startswith("$")
                    assert not operator, f"{path}:{node.lineno} {ast.unparse(node)}"


def name_of(node: ast.expr) -> str:
    """Of a name, an attribute, or a class or function that is called."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return str(getattr(node, "attr", getattr(node, "id", "")))


def test_no_exception_from_the_import_rules_hides_more_than_it_names() -> None:
    """One that matches nothing fails `lint-imports`; one that matches everything would not."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    for contract in contracts["contracts"]:
        name = contract["name"]
        assert "unmatched_ignore_imports_alerting" not in contract, name
        for exception in contract.get("ignore_imports", ()):
            imported = exception.split(" -> ")[1]
            assert "**" not in imported, f"{name}: {exception}"
            assert imported.split(".")[:2] != ["footy_assets", "*"], f"{name}: {exception}"
    (within,) = (one for one in contracts["contracts"] if "containers" in one)
    assert {room.rpartition(".")[2] for room in within["containers"]} == set(ROOMS)


def test_every_room_has_rules_and_a_store() -> None:
    for room in ROOMS:
        folder = ROOT / "footy_assets" / room
        assert (folder / "rules").is_dir(), room
        assert (folder / "store").is_dir(), room


def test_tests_mirror_the_rooms() -> None:
    for room in (*ROOMS, "media", "gallery", "cli", "runtime", "sim", "store", "web_server"):
        assert (ROOT / "footy_assets_tests" / room).is_dir(), room


def test_providers_and_sites_are_not_named_source() -> None:
    """Settings and stored fields keep the word; history's sourcing of seasons is something else."""
    rooms = [f"footy_assets/{room}" for room in ("providers", "search", "clips", "gallery")]
    for path, tree in code(*rooms, "resources", "sensors"):
        if path.name == "models.py":
            continue  # fields of JSON, the product's and the providers'
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.append(node.name)
            if isinstance(node, ast.arg):
                names.append(node.arg)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.append(node.id)
            for name in names:
                words = name.lower().strip("_").split("_")
                assert not {"source", "sources"} & set(words) or "url" in words, (
                    f"{path}:{node.lineno} {name}"
                )


def test_a_fast_test_cannot_start_a_browser_or_an_s3_server() -> None:
    for program in ("/usr/bin/chromium", "/usr/local/bin/weed"):
        with pytest.raises(RuntimeError, match="mark it slow"):
            subprocess.run([program, "--version"], check=False)


# What a file of a room may import of its own room: those of its row, and of rows above.
ROWS = (
    {"rules"},
    {"store"},
    set(),  # the work: every name that stands nowhere else
    {"operator_actions"},
    {"resource", "connection", "batch_io", "attempt_io"},
    {"metadata", "partitions"},
    {"assets", "checks"},
    {"jobs"},
    {
        *("commands", "operator_commands", "file_commands", "login_commands", "progress_bars"),
        *("subscription_commands", "follow_commands"),
        *("http", "trigger_http", "follow_http", "metrics"),
    },
)
WORK = ROWS.index(set())


def row_of(name: str) -> int:
    return next((number for number, names in enumerate(ROWS) if name in names), WORK)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_inside_a_room_go_one_way(room: str) -> None:
    for path, tree in code(f"footy_assets/{room}"):
        own = path.relative_to(f"footy_assets/{room}").parts[0].removesuffix(".py")
        for node in ast.walk(tree):
            parts = (getattr(node, "module", None) or "").split(".")
            if isinstance(node, ast.ImportFrom) and parts[:2] == ["footy_assets", room]:
                for name in parts[2:3] or [alias.name for alias in node.names]:
                    assert row_of(name) <= row_of(own), f"{path}:{node.lineno} imports {name}"


def test_a_class_name_means_one_thing() -> None:
    """The simulated world and the models of outside answers have their own words."""
    defined: dict[str, Path] = {}
    for path, tree in code("footy_assets", "resources", "sensors"):
        if "sim" in path.parts or path.name == "models.py":
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                assert node.name not in defined, f"{path} and {defined[node.name]}: {node.name}"
                defined[node.name] = path
