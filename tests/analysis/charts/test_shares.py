"""The threshold chart: its table, what is drawn on given Axes, and the committed one."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from analysis.charts import style
from analysis.charts.shares import SHARES, draw_threshold, threshold_info
from analysis.match import match_report, play
from analysis.request import Match
from sim._jit import COMPILED
from sim.rules import Rules
from strategies.base import parse_strategy

ROOT = Path(__file__).resolve().parent.parent.parent.parent
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


def own_lines(axes: Any) -> list[Any]:
    """Return the lines that are no leaders to their names."""
    return [line for line in axes.get_lines() if line.get_label() != "_leader"]


def test_the_table_is_that_of_the_reports(reports: list[tuple[int, dict[str, Any]]]) -> None:
    info = threshold_info(reports)
    assert list(info["k"]) == list(THRESHOLDS)
    names = {f"{share}_{part}" for share in ("hand_share", "game_share") for part in PARTS}
    by_k = dict(reports)
    for row in info.to_dict("records"):
        assert set(row) - names == {"k", "pairs"} and names <= set(row)
        assert row["pairs"] == PAIRS
        for share in ("hand_share", "game_share"):
            assert {part: row[f"{share}_{part}"] for part in PARTS} == by_k[row["k"]][share]
            assert 0 <= row[f"{share}_low"] <= row[f"{share}_estimate"] <= row[f"{share}_high"] <= 1


def test_lines_hold_the_shares(reports: list[tuple[int, dict[str, Any]]], axes: Any) -> None:
    info = threshold_info(reports)
    even, *lines = own_lines(axes)
    assert list(even.get_ydata()) == [50, 50]
    assert len(lines) == len(SHARES) == 2
    for line, (share, _), colour in zip(lines, SHARES, style.LIGHT.colours[:2], strict=True):
        assert list(line.get_xdata()) == list(THRESHOLDS)
        assert list(line.get_ydata()) == pytest.approx(list(100 * info[f"{share}_estimate"]))
        assert to_hex(line.get_color()).lower() == colour.lower()


def test_bands_hold_the_intervals(reports: list[tuple[int, dict[str, Any]]], axes: Any) -> None:
    info = threshold_info(reports)
    assert len(axes.collections) == 2
    for band, (share, _) in zip(axes.collections, SHARES, strict=True):
        corners = band.get_paths()[0].vertices
        for row in info.to_dict("records"):
            ends = corners[corners[:, 0] == row["k"]][:, 1]
            assert (ends.min(), ends.max()) == pytest.approx(
                (100 * row[f"{share}_low"], 100 * row[f"{share}_high"])
            )


def test_labels(axes: Any) -> None:
    """Each line is named where it ends, in its colour; axes say what and in which unit."""
    assert [text.get_text() for text in axes.texts] == [label for _, label in SHARES]
    for text, line in zip(axes.texts, own_lines(axes)[1:], strict=True):
        assert text.get_color() == style.readable(line.get_color(), style.LIGHT)
    higher = sorted(axes.texts, key=lambda text: text.get_position()[1])
    ends = sorted(axes.texts, key=lambda text: own_lines(axes)[1 + axes.texts.index(text)].get_ydata()[-1])
    assert higher == ends
    assert "%" in axes.get_ylabel() and "deadwood" in axes.get_xlabel()
    assert list(axes.get_xticks()) == list(THRESHOLDS)


def test_one_threshold_is_drawn_too(reports: list[tuple[int, dict[str, Any]]]) -> None:
    axes = draw_threshold(threshold_info(reports[:1]), Figure().add_subplot())
    assert [list(line.get_xdata()) for line in own_lines(axes)[1:]] == [[10], [10]]


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
