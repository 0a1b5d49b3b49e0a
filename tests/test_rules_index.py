"""Every numbered rule of the sources has a test that lives, or is recorded as outside a simulator."""

from __future__ import annotations

import ast
import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAST = {"S0": 30, "S1": 32, "S2": 31, "S3": 29}
"""Rules of each source: they are numbered from 1 to this."""

MANNERS = ("S2-29", "S2-31")
"""What players owe each other at a table; no program can break these."""

LEFT_OUT = ("skip", "skipif", "xfail", "slow", "requires_jit")
"""Marks of tests that some run of the suite leaves out; they prove nothing there."""

SOURCE_FILES = ("test_source_rules.py", "test_source_scores.py", "test_source_games.py")
"""Tests that are there for the rules' sake."""

with (ROOT / "tests" / "rules_index.csv").open(newline="", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


@cache
def living_tests(path: str) -> frozenset[str]:
    """Return the tests of a file, as ``test`` or ``Class::test``, without those that are skipped or slow."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(_tests(tree.body, ""))


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or _left_out(node):
            continue
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not prefix:
            yield from _tests(node.body, f"{node.name}::")


def _left_out(node: ast.FunctionDef | ast.ClassDef) -> bool:
    marks = " ".join(ast.unparse(mark) for mark in node.decorator_list)
    return any(f"mark.{mark}" in marks for mark in LEFT_OUT)


def test_the_index_names_every_rule_once() -> None:
    expected = [f"{source}-{number}" for source, last in LAST.items() for number in range(1, last + 1)]
    assert len(expected) == 122
    assert [row["rule"] for row in ROWS] == expected
    assert max(Counter(row["rule"] for row in ROWS).values()) == 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["rule"])
def test_every_rule_has_a_living_test(row: dict[str, str]) -> None:
    if row["rule"] in MANNERS:
        assert not row["test"] and row["note"].startswith("manners: ")
        return
    path, _, test = row["test"].partition("::")
    assert (ROOT / path).is_file() and test in living_tests(path), row["test"]


def test_every_test_of_the_sources_proves_a_rule() -> None:
    proved = {row["test"] for row in ROWS}
    for name in SOURCE_FILES:
        path = f"tests/sim/{name}"
        assert {f"{path}::{test}" for test in living_tests(path)} <= proved


@pytest.mark.parametrize("mark", LEFT_OUT)
def test_the_collector_sees_what_pytest_runs(mark: str) -> None:
    """On this file, whose tests are known; and a class, a helper and a test left out are told apart."""
    assert "test_the_index_names_every_rule_once" in living_tests("tests/test_rules_index.py")
    source = f"""
class TestOne:
    def test_in(self): pass
    def helper(self): pass
class Other:
    def test_lost(self): pass
def test_out(): pass
@pytest.mark.{mark}
def test_left_out(): pass
"""
    assert list(_tests(ast.parse(source).body, "")) == ["TestOne::test_in", "test_out"]
