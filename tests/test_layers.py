"""Imports point one way, numba is touched in one file, and the packages are the ones of this tree."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import analysis
import sim
import strategies

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "sim": {"sim"},
    "strategies": {"strategies", "sim"},
    "analysis": {"analysis", "strategies", "sim"},
}
FILES = sorted(path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Return the full names of all modules that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(str(node.module))
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    own = {name.split(".")[0] for name in imported(path)} & set(MAY_IMPORT)
    assert own <= MAY_IMPORT[package]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_one_file_touches_numba(path: Path) -> None:
    roots = {name.split(".")[0] for name in imported(path)}
    if path.relative_to(ROOT).as_posix() != "sim/_jit.py":
        assert not roots & {"numba", "llvmlite"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_packages_come_from_this_tree() -> None:
    for package in (sim, strategies, analysis):
        assert package.__file__ is not None
        assert Path(package.__file__).resolve().parent.parent == ROOT


@pytest.mark.parametrize("module", ["analysis.cli", "strategies", "sim.rules", "sim.cards"])
def test_listings_do_not_wait_for_the_compiler(module: str) -> None:
    code = f"import sys, {module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
