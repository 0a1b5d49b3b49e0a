"""The benchmark's report; the compiled cache and memory. Nothing here looks at how fast anything is."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis import bench
from analysis.cli import app
from analysis.console import UsageError

ROOT = Path(__file__).resolve().parent.parent.parent

FIGURES = {
    "deadwood_ns": 8.5,
    "hands_per_cpu_second": 800_000.0,
    "games_per_cpu_second": 70_000.0,
    "ns_per_turn": 97.2,
}
KEYS = {"deadwood_ns", "best_discard_ns", "ns_per_turn", "hands_per_cpu_second", "games_per_second"}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure next to nothing."""
    monkeypatch.setattr(bench, "PAIRS", 20)
    monkeypatch.setattr(bench, "HANDS", 64)
    monkeypatch.setattr(bench, "REPEATS", 1)
    monkeypatch.setattr(bench, "SLICES", 2)


def program(folder: Path, body: str) -> str:
    """Write a program that takes a number of games, as the reference does."""
    file = folder / "reference"
    file.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


@pytest.fixture
def reference(tmp_path: Path) -> str:
    """Return a program that prints the lines of ``docs/bench/gin_limit.c`` with known figures."""
    return program(
        tmp_path,
        "assert int(sys.argv[1]) > 0\n"
        f"print('deadwood_ns {FIGURES['deadwood_ns']} mean 61.2')\n"
        f"print('games_per_cpu_second {FIGURES['games_per_cpu_second']:.0f} hands_per_cpu_second "
        f"{FIGURES['hands_per_cpu_second']:.0f} ns_per_turn {FIGURES['ns_per_turn']}')\n"
        "print('turns/hand 13.0 knock 0.8')",
    )


def last(rounds: int = 1, threads: int = 1, reference: str | None = None) -> dict[str, Any]:
    *_, (_, report) = bench.benchmark(rounds, threads, reference)
    return report


@pytest.mark.requires_jit
def test_report_keys() -> None:
    report = last()
    assert set(report) == KEYS
    assert list(report["games_per_second"]) == ["1"]
    figures = [report[name] for name in KEYS - {"games_per_second"}]
    assert all(isinstance(figure, float) and figure > 0 for figure in figures)
    assert report["games_per_second"]["1"] > 0
    assert json.loads(json.dumps(report)) == report


@pytest.mark.requires_jit
def test_every_round_reports() -> None:
    stages = list(bench.benchmark(rounds=3, threads=2))
    assert [stage for stage, _ in stages] == [f"round {index} of 3" for index in (1, 2, 3)]
    assert all(set(report) == KEYS and set(report["games_per_second"]) == {"1", "2"} for _, report in stages)


@pytest.mark.requires_jit
def test_a_reference_is_run_beside(reference: str) -> None:
    report = last(threads=2, reference=reference)
    assert set(report) == KEYS | {"reference", "ratios"}
    assert report["reference"] == pytest.approx(FIGURES)
    for name in ("hands_per_cpu_second", "deadwood_ns"):
        assert report["ratios"][name] == pytest.approx(report[name] / FIGURES[name])
    assert list(report["ratios"]["games_per_second"]) == list(report["games_per_second"]) == ["1", "2"]
    for count, games in report["games_per_second"].items():
        theirs = int(count) * FIGURES["games_per_cpu_second"]
        assert report["ratios"]["games_per_second"][count] == pytest.approx(games / theirs)
    text = dict(bench.bench_fields(report))
    assert "800,000 hands" in text["Reference program"] and "8.5 ns" in text["Reference program"]
    assert f"{report['ratios']['hands_per_cpu_second']:.2f} x" in text["Engine / reference"]
    assert text["2 threads / 2 references"].startswith(f"{report['ratios']['games_per_second']['2']:.2f} x")


def test_medians_of_rounds_and_of_their_ratios() -> None:
    """A ratio is the median of the rounds' ratios: both programs meet the same noise in a round."""
    figures = {
        "deadwood_ns": [8.0, 10.0, 30.0],
        "best_discard_ns": [20.0, 21.0, 22.0],
        "ns_per_turn": [70.0, 90.0, 80.0],
        "hands_per_cpu_second": [100.0, 300.0, 200.0],
        "games 1": [10.0, 12.0, 11.0],
        "games 2": [20.0, 22.0, 18.0],
        "reference deadwood_ns": [10.0, 10.0, 10.0],
        "reference hands_per_cpu_second": [100.0, 600.0, 400.0],
        "reference games_per_cpu_second": [1.0, 2.0, 3.0],
        "reference ns_per_turn": [97.0, 98.0, 99.0],
        "reference games 1": [1.0, 2.0, 3.0],
        "reference games 2": [2.0, 4.0, 6.0],
    }
    samples = [{name: values[index] for name, values in figures.items()} for index in range(3)]
    report = bench._report(samples, [1, 2])
    assert (report["deadwood_ns"], report["ns_per_turn"]) == (10.0, 80.0)
    assert report["games_per_second"] == {"1": 11.0, "2": 20.0}
    assert report["ratios"] == {
        "hands_per_cpu_second": 0.5,
        "deadwood_ns": 1.0,
        "games_per_second": {"1": 6.0, "2": 5.5},
    }
    text = dict(bench.bench_fields(report))
    assert text["Deadwood of ten cards"] == "10.0 ns" and text["Games a second, 1 thread"] == "11"
    assert "1.82 x one thread" in text["Games a second, 2 threads"]


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (8, [1, 2, 4, 8])])
def test_thread_counts(most: int, counts: list[int]) -> None:
    assert bench.thread_counts(most) == counts


def test_random_hands_are_hands() -> None:
    for cards in (10, 11):
        hands = bench._random_hands(cards, 64)
        assert len(hands) == 64 and len(set(hands.tolist())) == 64
        assert {int(hand).bit_count() for hand in hands} == {cards}
        assert (hands == bench._random_hands(cards, 64)).all()


# --- a reference that fails ----------------------------------------------------------------------

FAILING = {
    "prints nothing": "pass",
    "prints something else": "print('hello')",
    "prints half": "print('deadwood_ns 8.5 ns_per_turn 97')",
    "fails": "sys.exit(3)",
}


@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_a_failing_reference_is_named(tmp_path: Path, body: str) -> None:
    path = program(tmp_path, body)
    with pytest.raises(UsageError, match=path):
        bench.run_reference(path)


def test_a_reference_that_cannot_be_run(tmp_path: Path) -> None:
    missing, plain = tmp_path / "missing", tmp_path / "plain"
    plain.write_text("no program", encoding="utf-8")
    for path in (missing, plain, tmp_path):
        with pytest.raises(UsageError, match=str(path)):
            bench.run_reference(str(path))


def test_reads_the_figures(reference: str) -> None:
    assert bench.run_reference(reference) == FIGURES


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.requires_jit
def test_the_command_prints_its_report(reference: str) -> None:
    words = ["bench", "--rounds", "1", "--threads", "2", "--reference", reference]
    data = CliRunner().invoke(app, [*words, "--json"])
    assert (data.exit_code, data.stderr) == (0, "round 1 of 1\n")
    report = json.loads(data.stdout)
    assert set(report) == KEYS | {"reference", "ratios"} and set(report["games_per_second"]) == {"1", "2"}
    text = CliRunner().invoke(app, words)
    assert text.exit_code == 0
    for label, _ in bench.bench_fields(report):
        assert label in text.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--reference", "nowhere/at_all"], "nowhere/at_all"),
        (["--rounds", "0"], "--rounds"),
        (["--threads", "0"], "--threads"),
    ],
)
def test_wrong_input_is_named(words: list[str], text: str) -> None:
    result = CliRunner().invoke(app, ["bench", *words])
    assert result.exit_code == 2
    assert result.stderr.startswith("ginlab: ") and result.stderr.count("\n") == 1
    assert text in result.stderr and result.stdout == ""


# --- caches and memory ---------------------------------------------------------------------------

PACKAGES = ("sim", "strategies", "analysis")
BONUS = ("rules.gin_bonus + defender_deadwood", "rules.gin_bonus + defender_deadwood + 1")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a folder with a copy of the packages, without compiled leftovers."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def python(folder: Path, *words: str, **changes: str) -> str:
    """Run Python on the packages of a folder, with a cache of its own, and return what it prints."""
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env |= {"XDG_CACHE_HOME": str(folder / "cache"), **changes}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rewrite(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.requires_jit
def test_each_source_has_its_own_cache(copied: Path) -> None:
    """GR-168: an edit anywhere in the engine or the strategies leads to another folder, and back."""
    code = "from sim._jit import cache_folder; print(cache_folder())"

    def folder(**changes: str) -> Path:
        return Path(python(copied, "-c", code, **changes).strip())

    first = folder()
    if sys.platform.startswith("linux"):
        assert first.is_relative_to(copied / "cache")
    rewrite(copied / "sim" / "scoring.py", *BONUS)
    assert folder() != first
    rewrite(copied / "sim" / "scoring.py", *reversed(BONUS))
    assert folder() == first
    rewrite(copied / "strategies" / "helpers.py", "2.0**-53", "2.0**-52")
    assert folder() != first
    assert folder(NUMBA_CACHE_DIR=str(copied / "own")) == copied / "own"


@pytest.mark.slow
@pytest.mark.requires_jit
def test_changed_source_is_played(copied: Path) -> None:
    """GR-168: a bonus changed in an imported module changes the points, with the cache warm."""
    words = ["match", "gold", "simple", "--rules", "eaai", "--pairs", "50", "--json"]

    def report() -> dict[str, Any]:
        told = json.loads(python(copied, "-m", "analysis.cli", *words))
        return {name: value for name, value in told.items() if name not in ("seconds", "games_per_second")}

    first = report()
    assert report() == first
    rewrite(copied / "sim" / "scoring.py", *BONUS)
    changed = report()
    assert changed["points_per_hand"] != first["points_per_hand"]
    rewrite(copied / "sim" / "scoring.py", *reversed(BONUS))
    assert report() == first


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(most / (1024 if sys.platform == "darwin" else 1))
"""
"""Run a command and print its largest resident memory in KiB: from a small process, for a child
begins with its parent's figure."""


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource module to measure with")
def test_memory_does_not_grow_with_games() -> None:
    """GR-174: ten times the games, at most 50 MB more; and a match stays below 300 MB."""
    used = {}
    for pairs in (2_000, 20_000):
        words = ["match", "gin_only", "threshold(10)", "--rules", "eaai", "--pairs", str(pairs)]
        command = [sys.executable, "-c", MEASURE, sys.executable, "-m", "analysis.cli", *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        used[pairs] = float(done.stdout) / 1024
    assert used[20_000] - used[2_000] < 50
    assert used[20_000] < 300
