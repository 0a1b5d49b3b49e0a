"""The command ``reproduce``: every row at a tiny scale, words, files, errors, Ctrl-C."""

from __future__ import annotations

import csv
import dataclasses
import functools
import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.cli import app
from analysis.console import UsageError
from analysis.reproduction import run, surveys
from analysis.reproduction.files import FILES, page, write
from analysis.reproduction.measures import MEASURES
from analysis.reproduction.model import Play, Row, Survey, task_dict
from analysis.reproduction.published import Published
from analysis.reproduction.rows import ROWS, parse_rows
from analysis.reproduction.rows_framework import NUMBERS
from analysis.reproduction.run import Settings, reproduce
from analysis.reproduction.text import estimate_text, published_text
from tests.analysis.command_line import environment
from tests.analysis.made_up import made_up

ROOT = Path(__file__).resolve().parent.parent.parent
BY_NAME = {row.name: row for row in ROWS}
TINY = Settings(scale=1e-5, seed=3, threads=2)


@pytest.fixture(autouse=True, scope="module")
def _counted_once() -> Iterator[None]:
    """Count melds and gin hands, which are the same each time, once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surveys, "count_melds", functools.cache(surveys.count_melds))
        patch.setattr(surveys, "gin_hands", functools.cache(surveys.gin_hands))
        yield


# --- rows ----------------------------------------------------------------------------------------


def test_rows_are_named_once_in_order() -> None:
    names = [row.name for row in ROWS]
    assert names == [*(f"R{number}" for number in range(1, 14)), *(f"H{number}" for number in range(1, 6))]
    assert {row.name for row in ROWS if row.context} == {"R5", "R6", "R11", "R12", "H5"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_are_whole(row: Row) -> None:
    assert row.title and row.conditions and row.source
    judged = [line for line in row.lines if line.published is not None]
    assert row.context or (judged and (row.why or all(_exact(line.task) for line in judged)))
    assert len({line.what + line.measure for line in row.lines}) >= len(judged)
    for line in row.lines:
        assert line.what.startswith("  ") == (line.published is None), line.what
        if isinstance(line.task, Play):
            assert line.measure in MEASURES
            # A share of games says nothing of single hands, and is the share of hands.
            assert not (line.task.single_hands and line.measure == "game_share")
    for play in row.panel:
        assert len(play.name) <= 36


def _exact(task: Any) -> bool:
    return isinstance(task, Survey) and not task.deals


def test_r13_has_all_its_numbers() -> None:
    lines = [line for line in BY_NAME["R13"].lines if line.published is not None]
    assert len(lines) == len(NUMBERS) == 15
    assert all(isinstance(line.task, Play) and line.task.framework for line in lines)


def test_full_scale_is_narrower_than_the_publication() -> None:
    """Of games against samples of known size, but for the Monte Carlo, whose row says so."""
    for row in ROWS:
        for line in row.lines:
            if isinstance(line.published, Published) and line.published.sample:
                size, unit = line.published.sample
                if isinstance(line.task, Survey):
                    assert line.task.deals > size
                    continue
                games = line.task.games * (1 if unit == "games" or line.task.single_hands else 9)
                assert games > size or row.name == "R8"
    assert "twice as wide" in BY_NAME["R8"].reading


@pytest.mark.requires_jit  # Monte Carlo takes minutes without it
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_runs(row: Row) -> None:
    report = reproduce([row], TINY)
    told = report["rows"][0]
    assert (told["row"], report["interrupted"], report["unfinished"]) == (row.name, False, [])
    assert [line["what"] for line in told["lines"]] == [line.what.strip() for line in row.lines]
    for line, asked in zip(told["lines"], row.lines, strict=True):
        assert line["experiment"] == (asked.published is None)
        assert line["judged"] == (asked.published is not None and not row.context)
        assert line["agrees"] is None or line["judged"]
        if line["ours"]["low"] is not None:
            assert line["ours"]["low"] <= line["ours"]["estimate"] <= line["ours"]["high"]
    assert [match["name"] for match in told["panel"]] == [play.name for play in row.panel]
    assert report["manifest"]["tasks"] == [task_dict(task, TINY.scale) for task in row.tasks()]
    json.dumps(report)
    assert page(report).startswith("# Published values and ours\n")


def test_a_reason_is_told_where_one_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    row = BY_NAME["R2"]
    report = reproduce([row], TINY)
    assert (report["judged"], report["agree"], report["rows"][0]["why"]) == (4, 4, None)
    wrong = dataclasses.replace(row.lines[0], published=Published("330"))
    other = dataclasses.replace(row, lines=(wrong, *row.lines[1:]), why="a test")
    report = reproduce([other], TINY)
    assert (report["judged"], report["agree"], report["rows"][0]["why"]) == (4, 3, "a test")


@pytest.mark.requires_jit
def test_numbers_hang_on_seed_and_scale_alone() -> None:
    rows = [BY_NAME["R10"], BY_NAME["H1"]]
    one, two = (reproduce(rows, Settings(0.001, 3, threads)) for threads in (1, 2))
    assert {**one, "seconds": 0} == {**two, "seconds": 0}
    other = reproduce(rows, Settings(0.001, 4, 2))
    assert other["rows"] != one["rows"]


def test_what_several_rows_need_is_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Any] = []
    real = run.play_task

    def counting(task: Any, settings: Settings, on_share: Any = None) -> Any:
        played.append(task)
        return real(dataclasses.replace(task, games=2) if isinstance(task, Play) else task, settings)

    monkeypatch.setattr(run, "play_task", counting)
    rows = [BY_NAME["H2"], dataclasses.replace(BY_NAME["H2"], name="H9")]
    reproduce(rows, TINY)
    assert len(played) == len(set(played)) == len(rows[0].tasks())


# --- words ---------------------------------------------------------------------------------------


def test_texts_of_numbers() -> None:
    def text(value: float, low: float | None, high: float | None) -> str:
        return estimate_text({"estimate": value, "low": low, "high": high}, " %")

    assert text(60.123, 59.9, 60.35) == "60.1 ±0.2 %"
    assert text(60.123, 60.0, 60.25) == "60.12 ±0.12 %"
    assert text(0.03, 0.0, 0.2) == "0.03 % (0.00-0.20)"
    assert text(136_694, 136_694, 136_694) == "136,694 %"
    assert text(13, None, None) == "13 %"
    assert text(-0.001, -0.2, 0.2) == "0.0 ±0.2 %"
    assert estimate_text({"estimate": None, "low": None, "high": None}) == "n/a"
    line = {"percent": True, "published": {"text": "39.4", "interval": [38.5, 40.4]}}
    assert published_text(line) == "39.4 % (38.5-40.4)"
    sample = {"percent": False, "published": {"text": "1", "sample": [240, "games"]}}
    assert published_text(sample) == "1 (n 240)"
    assert published_text({"percent": False, "published": None}) == ""


# --- the command ---------------------------------------------------------------------------------


def typed(*words: str, columns: int = 100) -> Any:
    return CliRunner().invoke(app, ["reproduce", *words], env={"COLUMNS": str(columns)})


WRONG = {
    "unknown": (["--rows", "R1,R99"], "--rows: unknown row 'R99'; known: R1, R2, "),
    "empty": (["--rows", "R1,,R2"], "an empty name"),
    "nothing": (["--rows", ""], "an empty name"),
    "twice": (["--rows", "R1,r1"], "R1 stands twice"),
    "scale word": (["--scale", "much"], "'much' is not a number above 0"),
    "scale zero": (["--scale", "0"], "'0' is not a number above 0"),
    "scale nan": (["--scale", "nan"], "'nan' is not a number above 0"),
    "scale large": (["--scale", "1e9"], "'1e9' is not a number above 0"),
    "file": (["--rows", "R2", "--out", "README.md"], "--out README.md: is not a folder"),
}


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_line(words: list[str], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unplayed(*_: Any) -> None:
        raise AssertionError("played")

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(run, "play_task", unplayed)
    result = typed(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("ginlab: ") and result.stderr.count("\n") == 1
    assert text in result.stderr


def test_rows_from_the_library() -> None:
    assert [row.name for row in parse_rows(" h1 ,r2")] == ["R2", "H1"]
    assert parse_rows(None) == ROWS
    with pytest.raises(UsageError, match="unknown row"):
        parse_rows("X")


@pytest.mark.requires_jit
@pytest.mark.parametrize("columns", [80, 120])
def test_the_tables_fit(columns: int) -> None:
    result = typed("--scale", "0.001", columns=columns)
    assert result.exit_code == 0, result.stderr
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert max(map(len, lines)) <= columns and "…" not in result.stdout
    for row in ROWS:
        assert any(line.startswith(f"{row.name}. {row.title}") for line in lines)
    assert result.stderr.startswith("18 rows: about ")
    assert "\nR8: Monte Carlo against simple\n" in result.stderr


def test_json_is_the_library_s_report() -> None:
    result = typed("--rows", "R2,R11", "--json", "--threads", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    expected = reproduce([BY_NAME["R2"], BY_NAME["R11"]], Settings())
    assert told.pop("subset") is True
    assert {**told, "seconds": 0} == json.loads(json.dumps({**expected, "seconds": 0}))


def test_files_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = typed("--rows", "R2,R12", "--seed", "8", "--out", str(folder))
    assert result.exit_code == 0 and "Written to" in result.stdout
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    with (folder / "values.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["what"] for row in rows] == [line.what for line in BY_NAME["R2"].lines]
    assert {row["agrees"] for row in rows} == {"True"} and rows[0]["ours_estimate"] == "329"
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "ginlab reproduce --rows R2,R12 --seed 8 --out" in text and "## R12. " in text
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == ["R2", "R12"] and manifest["seed"] == 8
    assert manifest["source_hash"] == run.source_hash() and manifest["versions"]["numpy"] == np.__version__


@pytest.mark.requires_jit
def test_the_same_bytes_again(tmp_path: Path) -> None:
    for name, threads in (("one", "1"), ("two", "2")):
        words = ("--rows", "R4,H2", "--scale", "0.001", "--threads", threads, "--out", str(tmp_path / name))
        assert typed(*words).exit_code == 0
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_report_can_be_written_over(tmp_path: Path) -> None:
    report = reproduce([BY_NAME["R2"]], TINY)
    for _ in range(2):
        write(report, tmp_path)
        assert (tmp_path / "README.md").read_text(encoding="utf-8") == page(report)
        lines = (tmp_path / "values.csv").read_text(encoding="utf-8").splitlines()
        assert len(lines) == 1 + len(BY_NAME["R2"].lines)


def _stop_in(name: str, by: Callable[[], None]) -> Callable[..., Any]:
    """Return a `play_task` that is stopped when a row of a name is to be played."""
    real = run.play_task
    stopped = BY_NAME[name].tasks()[0]

    def play(task: Any, settings: Settings, on_share: Any = None) -> Any:
        if task == stopped:
            by()
        return real(task, settings, on_share)

    return play


@pytest.mark.parametrize("kind", [KeyboardInterrupt, run._Stopped])
def test_a_stopped_run_keeps_the_finished_rows(
    kind: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop() -> None:
        raise kind

    monkeypatch.setattr(run, "play_task", _stop_in("R3", stop))
    folder = tmp_path / "results"
    result = typed("--rows", "R2,R3,R4", "--out", str(folder))
    assert result.exit_code == 130
    assert result.stdout.startswith("Interrupted; these rows were not finished: R3, R4.\n")
    assert "R2. Melds" in result.stdout and "R3. " not in result.stdout
    assert "4 of 4 judged values agree." in result.stdout
    assert not folder.exists() and f"nothing is written to {folder}" in " ".join(result.stderr.split())


def test_a_match_that_is_stopped_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    real = run.play_match

    def interrupted(*words: Any, **more: Any) -> Any:
        return dataclasses.replace(real(*words, **{**more, "pairs": 1}), interrupted=True)

    monkeypatch.setattr(run, "play_match", interrupted)
    report = reproduce([BY_NAME["R2"], BY_NAME["R9"]], TINY)
    assert report["interrupted"] and report["unfinished"] == ["R9"]
    assert [row["row"] for row in report["rows"]] == ["R2"] == report["manifest"]["rows"]


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to another process")
def test_ctrl_c_in_a_long_match(tmp_path: Path) -> None:
    """In a process of its own, while Monte Carlo plays; it has a minute to stop."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from analysis.cli import main; main()"
    )
    words = ["reproduce", "--rows", "R2,R8", "--threads", "1", "--out", str(tmp_path / "results")]
    child = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stderr is not None
        while not (line := child.stderr.readline()).startswith("R8: "):
            assert line, "it ended before it began"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 130, err
    assert out.startswith("Interrupted; these rows were not finished: R8.\n")
    assert "R2. Melds" in out and "R8. " not in out and not (tmp_path / "results").exists()


def test_examples_of_the_help_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "play_task", lambda task, *_: made_up(task))
    monkeypatch.chdir(tmp_path)
    text = CliRunner().invoke(app, ["reproduce", "--help"]).stdout
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("ginlab ")]
    assert len(examples) == 3
    for example in examples:
        assert typed(*shlex.split(example)[2:]).exit_code == 0, example
    assert sorted(path.name for path in (tmp_path / "results" / "reproduction").iterdir()) == sorted(FILES)
