"""docs/architecture.md: the picture matches what Dagster loads, the path matches the code."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import dagster as dg
import pytest

from footy_assets.store import collections

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text()
PACKAGE = ROOT / "footy_assets"


# -- the picture --------------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    rooms: dict[str, str]
    sensors: set[str]
    assets: set[str]
    dependencies: set[tuple[str, str]]
    starts: set[tuple[str, str]]


@cache
def picture() -> Picture:
    (drawn,) = re.findall(r"^```mermaid\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    rooms: dict[str, str] = {}
    for room, inside in re.findall(r"subgraph (\w+)\n(.*?)\n  end", drawn, re.DOTALL):
        rooms |= dict.fromkeys(re.findall(r"^\s+(\w+)[\[({]", inside, re.MULTILINE), room)
    return Picture(
        rooms,
        sensors={name for name, label in re.findall(r"(\w+)\(\[(\w+)\]\)", drawn) if name == label},
        assets={name for name, label in re.findall(r"(\w+)\[(\w+)\]", drawn) if name == label},
        dependencies=set(_arrows(drawn, "-->")),
        starts=set(_arrows(drawn, "-.->")),
    )


def _arrows(drawn: str, arrow: str) -> Iterator[tuple[str, str]]:
    for start, ends in re.findall(rf"^\s+(\w+) {re.escape(arrow)} (.+)$", drawn, re.MULTILINE):
        for end in ends.split(" & "):
            yield start, end


@pytest.fixture(scope="module")
def repository() -> dg.RepositoryDefinition:
    from footy_assets.definitions import defs

    return (defs() if callable(defs) else defs).get_repository_def()


def test_assets_and_their_dependencies_are_those_of_dagster(
    repository: dg.RepositoryDefinition,
) -> None:
    graph = repository.asset_graph
    keys = graph.get_all_asset_keys()
    assert picture().assets == {key.to_user_string() for key in keys}
    assert picture().dependencies == {
        (parent.to_user_string(), key.to_user_string())
        for key in keys
        for parent in graph.get(key).parent_keys
    }


def test_sensors_and_their_targets_are_those_of_dagster(
    repository: dg.RepositoryDefinition,
) -> None:
    sensors, schedules = repository.sensor_defs, repository.schedule_defs
    assert picture().sensors == {one.name for one in (*sensors, *schedules)}
    jobs = {sensor.name: [target.job_name for target in sensor.targets] for sensor in sensors}
    jobs |= {schedule.name: [schedule.job_name] for schedule in schedules}
    for name, names in jobs.items():
        assets = {
            key.to_user_string()
            for job in names
            for key in repository.get_job(job).asset_layer.executable_asset_keys
        }
        drawn = {asset for sensor, asset in picture().starts if sensor == name}
        # A sensor whose job has no assets, or that has none, reports or launches them itself.
        assert drawn == assets if assets else drawn <= picture().assets, name


@pytest.mark.parametrize("name", sorted(picture().rooms))
def test_everything_drawn_in_a_room_is_defined_there(name: str) -> None:
    room = picture().rooms[name]
    if name in picture().sensors:
        assert f'name="{name}"' in (ROOT / "sensors" / f"{room}.py").read_text()
    elif name in picture().assets:
        assert re.search(rf"\b{name}\b", (PACKAGE / room / "assets.py").read_text())
    else:
        assert (PACKAGE / room).is_dir()


def test_every_room_is_listed() -> None:
    (rows,) = re.findall(r"^\| room \| subject \|\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    listed = set(re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE))
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert listed == rooms


def test_every_file_in_the_document_exists() -> None:
    for name in re.findall(r"`((?:\w+/)+[\w.]*)[`:]", TEXT):
        if name in {"rules/", "store/"}:
            continue
        assert (ROOT / name).exists() or (PACKAGE / name).exists(), name


# -- the path of one goal -----------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    number: int
    file: str
    name: str
    collection: str | None

    @property
    def function(self) -> str:
        return self.name.rpartition(".")[2]

    def __str__(self) -> str:
        return f"{self.number}. {self.file}: {self.name}"


STEP = re.compile(
    r"^(\d+)\. (?:\*through `(\w+)`\*: )?`([\w/]+\.py): ([\w.]+)`",
    re.MULTILINE,
)


def steps() -> list[Step]:
    section = TEXT.split("## The path of one goal")[1].split("\n## ")[0]
    return [
        Step(int(number), file, name, collection or None)
        for number, collection, file, name in STEP.findall(section)
    ]


STEPS = steps()


@cache
def definitions(file: str) -> dict[str, ast.AST]:
    """Every function, method and value of a module by its name; methods also by `Class.method`."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse((ROOT / file).read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    found[f"{node.name}.{inner.name}"] = inner
                    found.setdefault(inner.name, inner)
    return found


Moment = tuple[int, int, int]


def references(node: ast.AST) -> Iterator[tuple[Moment, str, bool]]:
    """Names that a function uses: position, name, and whether as an attribute. An inner call comes
    before the outer one; names in a decorator (a sensor's job) come last."""
    late = {
        id(part)
        for function in ast.walk(node)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in function.decorator_list
        for part in ast.walk(decorator)
    }
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    for part in ast.walk(node):
        used = part.func if isinstance(part, ast.Call) else part
        if id(part) in called or not isinstance(used, ast.Attribute | ast.Name):
            continue
        attribute = isinstance(used, ast.Attribute)
        name = used.attr if isinstance(used, ast.Attribute) else used.id
        line, column = getattr(part, "end_lineno", 0), getattr(part, "end_col_offset", 0)
        yield (int(id(part) in late), line, column), name, attribute


def calls(caller: Step, callee: Step) -> tuple[Moment, ...] | None:
    """Where the caller uses the callee: its own line, or that of a function of the same module that
    it calls, followed by the line there, and so on."""
    module_definitions = definitions(caller.file)

    def within(name: str, seen: frozenset[str]) -> tuple[Moment, ...] | None:
        found = []
        for when, used, attribute in references(module_definitions[name]):
            if used == callee.function and (attribute or "." not in callee.name):
                found.append((when,))
            elif used in module_definitions and used not in seen:
                deeper = within(used, seen | {used})
                if deeper is not None:
                    found.append((when, *deeper))
        return min(found, default=None)

    return within(caller.name, frozenset({caller.name, caller.function}))


def test_the_path_is_numbered_without_gaps() -> None:
    assert [step.number for step in STEPS] == list(range(1, len(STEPS) + 1))
    assert len(STEPS) > 30
    assert STEPS[0].file.startswith("sensors/")


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_every_step_is_a_function_of_its_file(step: Step) -> None:
    assert step.name in definitions(step.file)


def test_the_path_goes_forward_only() -> None:
    """Each step is called by the previous one or by a caller that is still running: the callers
    form a stack, and the steps of one caller are in the order of its calls."""
    stack: list[tuple[Step, tuple[Moment, ...]]] = []
    for step in STEPS:
        if step.number == 1 or step.collection:
            stack = [(step, ())]
            continue
        while stack:
            caller, since = stack[-1]
            when = calls(caller, step)
            if when is not None and when >= since:
                stack[-1] = caller, when
                break
            stack.pop()
        assert stack, f"nothing above calls {step}"
        stack.append((step, ()))


def test_steps_through_a_collection_write_it_and_read_it() -> None:
    names = {value: name for name, value in vars(collections).items() if isinstance(value, str)}
    handovers = [(before, step) for before, step in pairwise(STEPS) if step.collection]
    assert [step.collection for _, step in handovers] == ["events", "videos", "videos"]
    for writer, reader in handovers:
        constant = names[reader.collection or ""]
        assert re.search(rf"\b{constant}\b", (ROOT / writer.file).read_text()), (
            f"{writer} {constant}"
        )
        assert any(
            re.search(rf"\b{constant}\b", path.read_text()) for path in _imported(reader.file)
        ), f"{reader} {constant}"


def _imported(file: str) -> Iterator[Path]:
    """A module and the project's modules that it imports, two levels deep."""
    todo, seen = [(ROOT / file, 0)], set()
    while todo:
        path, depth = todo.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        yield path
        if depth < 2:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module:
                    todo.append((ROOT / f"{node.module.replace('.', '/')}.py", depth + 1))
