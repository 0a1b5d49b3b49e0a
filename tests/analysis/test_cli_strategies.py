"""``ginlab strategies export``, and matches of knock tables, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim._jit import COMPILED
from strategies.table_file import read_table
from tests.analysis.command_line import answer, refused, run, told, words

ROOT = Path(__file__).resolve().parents[2]
WARY = ROOT / "docs" / "examples" / "wary.py"
GAMES = ("--games", "40" if COMPILED else "2", "--rules", "eaai")


def test_export_and_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a path with a blank and a quote; the report names the file and its content."""
    monkeypatch.chdir(tmp_path)
    name = "it's a table.csv"
    shown = words("strategies", "export", "two_stage(10, 0, 4)", "--out", name)
    assert shown == (
        f"Knock rule two_stage(early=10, late=0, switch=4) Written to {name}, 22 rows, by deadwood and turn"
    )
    table = f'knock_table("{name}")'
    report = told(table, "gold", *GAMES)
    same = told("two_stage(10, 0, 4)", "gold", *GAMES)
    _, digest = read_table(name)
    assert report.pop("files") == {name: digest} and same.pop("files") == {}
    assert report.pop("a") == table and same.pop("a") == "two_stage(early=10, late=0, switch=4)"
    assert report == same
    text = run("match", table, "gold", *GAMES).stdout
    assert text.split("\n")[:2] == [f"A = {table}", "B = gold(threshold=10, hold_for_gin=false)"]
    assert text.split("\n")[2] == f"{name} has SHA-256 {digest}..."


def test_a_changed_table_is_told_apart(tmp_path: Path) -> None:
    """In every command that plays."""
    path = tmp_path / "t.csv"
    seen = set()
    for most in (10, 4):
        lines = [f"{points},{int(points <= most)}" for points in range(11)]
        path.write_text("\n".join(["deadwood,knock", *lines]), encoding="utf-8")
        table, games = f'knock_table("{path.as_posix()}")', ("--games", "20" if COMPILED else "2")
        reports = [
            answer("match", table, "gold", *games),
            answer("replay", "gold", table, "--pair", "0"),
            answer("variants", table, "gold", "--rules", "eaai,palace", *games),
            answer("solo", table, *games),
        ]
        hashes = {json.dumps(report["files"]) for report in reports}
        assert len(hashes) == 1
        seen |= hashes
        digest = read_table(str(path))[1]
        for command in (["match", table, "gold"], ["variants", table, "gold"], ["solo", table]):
            assert digest in run(*command, *games).stdout
    assert len(seen) == 2


def test_export_as_json(tmp_path: Path) -> None:
    out = str(tmp_path / "t.parquet")
    report = answer("strategies", "export", "threshold(5)", "--out", out)
    assert report == {"strategy": "threshold(k=5)", "out": out, "axis": None, "rows": 11}
    assert read_table(out)[0].shares.ravel().tolist() == [1.0] * 6 + [0.0] * 5


def test_wrong_exports(tmp_path: Path) -> None:
    out = str(tmp_path / "t.csv")
    export = ("strategies", "export")
    refused(*export, "gold", "--out", str(tmp_path / "t.txt"), names="t.txt")
    refused(*export, "gold", "--out", str(tmp_path / "no" / "t.csv"), names="No such file")
    refused(*export, "golden", "--out", out, names="'golden'")
    refused(*export, "random", "--out", out, names="view.big_gin")
    refused(*export, "wary", "--out", out, "--strategy-file", str(WARY), names="view.known")
    refused(*export, "gold", names="--out")
    refused(*export, "--out", out, names="STRATEGY")
    refused("strategies", "exports", names="exports")
    result = run("strategies", "--json", "export", "gold", "--out", out)
    assert result.exit_code == 2 and result.stderr == "ginlab: --json: goes after export\n"
    assert not list(tmp_path.iterdir())


def test_wrong_tables(tmp_path: Path) -> None:
    """One line with file, line and column."""
    path = tmp_path / "t.csv"
    path.write_text("deadwood,knock\n0,1\n1,1.5\n", encoding="utf-8")
    where = f"table {path}: line 3, column knock: '1.5' is not in 0-1"
    refused("match", f"knock_table('{path}')", "gold", names=where)
    refused("match", "knock_table(t.csv)", "gold", names='in quotes, such as "table.csv"')
