from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.experiment.experiment import Experiment
from analysis.report import write
from tests.analysis.command_line import run

TEXT = """
title = "Two thresholds"
seed = 3
pairs = 40
[strategies]
a = "threshold({k})"
b = "simple"
[axes]
k = [0, 10]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    Experiment.from_text(TEXT).run(path)
    return path


@pytest.fixture
def _one_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    every = write.plan
    monkeypatch.setattr(write, "plan", lambda results, facts: every(results, facts)[:1])


@pytest.mark.usefixtures("_one_chart")
def test_report_writes_into_the_run_and_tells_where(folder: Path) -> None:
    result = run("report", str(folder))
    assert result.exit_code == 0, result.stderr
    for name in ("report.html", "report.md", "cells.csv"):
        assert (folder / name).stat().st_size > 500
        assert str(folder / name) in result.stdout
    page = (folder / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Two thresholds\n")
    assert str(folder) not in page
    again = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run("report", str(folder)).exit_code == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == again


@pytest.mark.usefixtures("_one_chart")
def test_report_tells_paths_and_numbers_as_json(folder: Path, tmp_path: Path) -> None:
    result = run("report", str(folder), "--out", str(tmp_path / "out"), "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["html"] == str(tmp_path / "out" / "report.html")
    assert [cell["keys"] for cell in told["cells"]] == [{"k": 0}, {"k": 10}]
    for cell in told["cells"]:
        assert 0 <= cell["game_share"]["low"] <= cell["game_share"]["estimate"] <= cell["game_share"]["high"]
    assert all(Path(path).exists() for path in told["figures"])


def test_what_is_no_run_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for path in folder.glob("*.*"):
        if path.is_file():
            (damaged / path.name).write_bytes(path.read_bytes())
    (damaged / "cells.parquet").write_bytes(b"no")
    (tmp_path / "empty").mkdir()
    for command in ("report", "compare"):
        for path, code, names in (
            (tmp_path / "nowhere", 2, "no such folder"),
            (tmp_path / "empty", 2, "not a run's folder"),
            (damaged, 1, "damaged"),
        ):
            result = run(command, str(path), *([str(folder)] if command == "compare" else []))
            assert result.exit_code == code, result.output
            assert result.stdout == ""
            (line,) = result.stderr.splitlines()
            assert line.startswith("ginlab: ") and names in line and path.name in line


def test_a_folder_that_cannot_be_written_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run("report", str(folder), "--out", str(tmp_path / "file"))
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("ginlab: ") and "file" in line


def test_compare_tells_settings_and_changes(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    Experiment.from_text(TEXT.replace("[axes]", "[rules]\nundercut_bonus = 0\n[axes]")).run(other)
    result = run("compare", str(folder), str(other))
    assert result.exit_code == 0, result.stderr
    words = " ".join(result.stdout.split())
    assert "rules.undercut_bonus - 0" in words
    assert "2 cells in common" in words and "same decks" in words
    told = json.loads(run("compare", str(folder), str(other), "--json", "--all").stdout)
    assert told["comparisons"] == len(told["changes"])
    assert all(change["paired"] for change in told["changes"])
    same = run("compare", str(folder), str(folder))
    assert "The settings of both runs are the same." in same.stdout
    assert "Every number is exactly the same" in same.stdout
