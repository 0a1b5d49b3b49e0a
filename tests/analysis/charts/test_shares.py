"""The threshold chart: its table, what is drawn on given Axes, and files that do not change."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from analysis.charts import SHARES, draw_threshold, save_figure, threshold_info
from analysis.match import match_report, play
from analysis.request import Match
from sim._jit import COMPILED
from sim.rules import Rules
from strategies.base import parse_strategy

ROOT = Path(__file__).resolve().parent.parent.parent
THRESHOLDS = (0, 5, 10)
PAIRS = 60 if COMPILED else 2
PARTS = ("estimate", "low", "high")


@pytest.fixture(scope="module")
def reports() -> list[tuple[int, dict[str, Any]]]:
    """Return real reports, not in the order of their thresholds."""
    rules = Rules.preset("eaai")
    made = []
    for k in reversed(THRESHOLDS):
        match = Match(
            parse_strategy(f"threshold({k})"), parse_strategy("simple"), rules, "eaai", (), PAIRS, 7
        )
        made.append((k, match_report(match, play(match, 1))))
    return made


@pytest.fixture
def axes(reports: list[tuple[int, dict[str, Any]]]) -> Any:
    axes = Figure().add_subplot()
    assert draw_threshold(threshold_info(reports), axes) is axes
    return axes


def test_the_table_is_that_of_the_reports(reports: list[tuple[int, dict[str, Any]]]) -> None:
    info = threshold_info(reports)
    assert [row["k"] for row in info] == list(THRESHOLDS)
    names = {f"{share}_{part}" for share in ("hand_share", "game_share") for part in PARTS}
    by_k = dict(reports)
    for row in info:
        assert set(row) - names == {"k", "pairs"} and names <= set(row)
        assert row["pairs"] == PAIRS
        for share in ("hand_share", "game_share"):
            assert {part: row[f"{share}_{part}"] for part in PARTS} == by_k[row["k"]][share]
            assert 0 <= row[f"{share}_low"] <= row[f"{share}_estimate"] <= row[f"{share}_high"] <= 1


def test_lines_hold_the_shares(reports: list[tuple[int, dict[str, Any]]], axes: Any) -> None:
    info = threshold_info(reports)
    even, *lines = axes.get_lines()
    assert list(even.get_ydata()) == [50, 50]
    assert len(lines) == len(SHARES) == 2
    for line, (share, _, colour, _) in zip(lines, SHARES, strict=True):
        assert list(line.get_xdata()) == list(THRESHOLDS)
        assert list(line.get_ydata()) == pytest.approx([100 * row[f"{share}_estimate"] for row in info])
        assert to_hex(line.get_color()).lower() == colour.lower()


def test_bands_hold_the_intervals(reports: list[tuple[int, dict[str, Any]]], axes: Any) -> None:
    info = threshold_info(reports)
    assert len(axes.collections) == 2
    for band, (share, *_) in zip(axes.collections, SHARES, strict=True):
        corners = band.get_paths()[0].vertices
        for row in info:
            ends = corners[corners[:, 0] == row["k"]][:, 1]
            assert (ends.min(), ends.max()) == pytest.approx(
                (100 * row[f"{share}_low"], 100 * row[f"{share}_high"])
            )


def test_labels(axes: Any) -> None:
    """Each line is named where it ends, in its colour; axes say what and in which unit."""
    assert [text.get_text() for text in axes.texts] == [label for _, label, *_ in SHARES]
    for text, line in zip(axes.texts, axes.get_lines()[1:], strict=True):
        assert text.get_color() == line.get_color()
        assert text.xy == (line.get_xdata()[-1], line.get_ydata()[-1])
    assert "%" in axes.get_ylabel() and "deadwood" in axes.get_xlabel()
    assert list(axes.get_xticks()) == list(THRESHOLDS)


def test_one_threshold_is_drawn_too(reports: list[tuple[int, dict[str, Any]]]) -> None:
    axes = draw_threshold(threshold_info(reports[:1]), Figure().add_subplot())
    assert [list(line.get_xdata()) for line in axes.get_lines()[1:]] == [[10], [10]]


DRAW = """
import sys
from pathlib import Path
from matplotlib.figure import Figure
from analysis.charts import draw_threshold, save_figure

parts = {"estimate": 0.5, "low": 0.4, "high": 0.6}
row = {f"{share}_{part}": value for share in ("hand_share", "game_share") for part, value in parts.items()}
for name in ("one", "two"):
    figure = Figure(figsize=(4, 3), layout="constrained")
    draw_threshold([{"k": k, "pairs": 9, **row} for k in range(3)], figure.add_subplot())
    save_figure(figure, Path(sys.argv[1]) / name)
print("matplotlib.pyplot" in sys.modules)
"""


def test_files_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    """Twice in a process and again in another one; no display and no pyplot is needed."""
    hashes: dict[str, set[str]] = {"svg": set(), "png": set()}
    for run in ("first", "second"):
        folder = tmp_path / run
        folder.mkdir()
        command = [sys.executable, "-c", DRAW, str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["False"]
        for name in ("one", "two"):
            for kind, seen in hashes.items():
                seen.add(hashlib.sha256((folder / f"{name}.{kind}").read_bytes()).hexdigest())
    assert [len(seen) for seen in hashes.values()] == [1, 1]


def test_saving_writes_both_kinds(axes: Any, tmp_path: Path) -> None:
    save_figure(axes.figure, tmp_path / "chart")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chart.png", "chart.svg"]
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert svg.lstrip().startswith("<?xml") and "<dc:date>" not in svg
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_the_committed_chart_can_be_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its script, with few pairs: the same files, columns and rules as the committed ones."""
    folder = ROOT / "results" / "knock_threshold"
    spec = importlib.util.spec_from_file_location("knock_threshold_build", folder / "build.py")
    assert spec is not None and spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    monkeypatch.setattr(build, "HERE", tmp_path)
    monkeypatch.setattr(build, "PAIRS", PAIRS // 2)
    build.main()
    committed = {path.name for path in folder.iterdir() if path.is_file()}
    assert {path.name for path in tmp_path.iterdir()} == committed - {"build.py"}
    old, new = (
        json.loads((path / "manifest.json").read_text(encoding="utf-8")) for path in (folder, tmp_path)
    )
    assert {**old, "pairs": new["pairs"]} == new
    tables = [(path / "shares.csv").read_text(encoding="utf-8").splitlines() for path in (folder, tmp_path)]
    assert tables[0][0] == tables[1][0] and len(tables[0]) == len(tables[1]) == 12
