"""docs/rules.md defines every rule number that the project cites, and no other."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs" / "rules.md"
FAMILIES = ("A", "D", "E", "F", "H", "L", "P", "R", "SE", "T", "V", "Y")

CITED = re.compile(
    r"(?<![\w#&%+/.-])([A-Z]{1,2})(\d{1,2})(?:–([A-Z]{1,2})(\d{1,2}))?(?![\w-]|:\d|\.\d)"
)
CITED_BY_NAME = re.compile(r"\bdef test_([a-z]{1,2})(\d{1,2})_", re.IGNORECASE)
DEFINED = re.compile(r"^- \*\*([A-Z]{1,2}\d{1,2})\*\* (.+)$", re.MULTILINE)

# Numbers of others that look like ours: the storage, and properties of Wikidata.
NOT_RULES = {"S3", "P17", "P31"}


def cited_in(text: str) -> set[str]:
    """`E1–E9` cites all nine."""
    found = {family.upper() + number for family, number in CITED_BY_NAME.findall(text)}
    for family, first, last_family, last in CITED.findall(text):
        if family in FAMILIES or family == "S":
            end = int(last) if last_family == family else int(first)
            found |= {f"{family}{number}" for number in range(int(first), end + 1)}
    return {rule for rule in found if rule.rstrip("0123456789") in (*FAMILIES, "S")} - NOT_RULES


@cache
def defined() -> dict[str, str]:
    rules = DEFINED.findall(RULES.read_text())
    assert len(dict(rules)) == len(rules), "a number is defined twice"
    return dict(rules)


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


CODE = files("footy_assets", "resources", "sensors", "benchmarks")
TESTS = [path for path in files("footy_assets_tests") if path != Path(__file__)]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def cited_by(paths: list[Path]) -> set[str]:
    return set().union(*(cited_in(path.read_text()) for path in paths))


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('"""E3: an identity never moves."""', {"E3"}),
        ("the posts of a goal (SE1–SE3), on S3", {"SE1", "SE2", "SE3"}),
        ("def test_se6_five_are_chosen() -> None:", {"SE6"}),
        ("V1, V2's questions", {"V1", "V2"}),
        ('"2025-05-10T12:00:00Z", "T09:41", MP4, U21, H264, #E501', set()),
    ],
)
def test_citations_are_recognised(text: str, rules: set[str]) -> None:
    assert cited_in(text) == rules


def test_every_cited_rule_is_defined() -> None:
    undefined = {
        str(path.relative_to(ROOT)): rules
        for path in [*CODE, *TESTS, *PAGES]
        if (rules := cited_in(path.read_text()) - set(defined()))
    }
    assert undefined == {}


def test_every_defined_rule_is_cited_in_the_code() -> None:
    assert set(defined()) - cited_by(CODE) == set()


def test_every_defined_rule_is_cited_in_a_test() -> None:
    assert set(defined()) - cited_by(TESTS) == set()


def test_every_rule_is_one_sentence() -> None:
    for rule, sentence in defined().items():
        assert sentence.endswith("."), rule
        assert not re.search(r"\.\s+[A-Z]", sentence), rule
