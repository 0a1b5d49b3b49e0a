"""Runs cut and gone on with: by Ctrl-C, by kill -9, by a full disk; the same bytes in the end."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.experiment.runs import resume, start
from analysis.experiment.sweep import SweepProgress
from analysis.metrics import METRICS
from analysis.stats.estimates import ratio
from analysis.stats.sequential import Sprt
from analysis.store.folder import load
from analysis.store.journal import Journal, alone
from sim._jit import COMPILED
from sim.run import RunError
from tests.analysis.command_line import environment
from tests.analysis.cut_runs import KILLS, PAIRS, contents
from tests.analysis.experiments import small

ROOT = Path(__file__).resolve().parent.parent.parent
FEW = 7 if COMPILED else 2


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run that nobody has disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start(small(FEW), folder, threads=1)
    return contents(folder)


class TestSameBytes:
    @pytest.mark.parametrize(("threads", "chunk"), [(1, 1), (2, 5), (5, 7)])
    def test_for_any_threads_and_chunks(
        self, whole: dict[str, Any], tmp_path: Path, threads: int, chunk: int
    ) -> None:
        start(small(FEW), tmp_path / "run", threads=threads, chunk=chunk)
        assert contents(tmp_path / "run") == whole

    def test_in_memory_as_in_a_folder(self, tmp_path: Path) -> None:
        kept = start(small(FEW), tmp_path / "run")
        free = small(FEW).run()
        assert free.tables == kept.tables
        for name in free.tables:
            assert free.table(name).equals(kept.table(name)), name
        for cell in free.cells:
            assert free.tally(cell.number).tobytes() == kept.tally(cell.number).tobytes()
        assert free.cells == kept.cells and free.axes == kept.axes
        assert {**free.manifest, "timings": 0} == {
            name: one for name, one in {**kept.manifest, "timings": 0}.items() if name != "tables"
        }

    @pytest.mark.parametrize("stop", [1, 7, 20])
    def test_after_ctrl_c_between_two_chunks(
        self, whole: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
    ) -> None:
        cut_after(monkeypatch, stop)
        cut = start(small(FEW), tmp_path / "run", chunk=2)
        monkeypatch.undo()
        played = cut.table("cells")["pairs"].sum()
        assert 0 < played <= 4 * FEW
        if played < 4 * FEW:
            assert cut.manifest["interrupted"] is True
        # What was interrupted is loaded as the prefix it is.
        again = load(tmp_path / "run")
        assert again.table("cells").equals(cut.table("cells"))
        resume(tmp_path / "run")
        assert contents(tmp_path / "run") == whole

    def test_after_ctrl_c_during_play(self, whole: dict[str, Any], tmp_path: Path) -> None:
        """The interrupt comes where the sweep waits for its threads."""

        def stop(state: SweepProgress) -> None:
            if state.finished or state.pairs > 2 * FEW:
                signal.raise_signal(signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            cut = start(small(FEW), tmp_path / "run", on_progress=stop)
        finally:
            signal.signal(signal.SIGINT, before)
        assert cut.manifest["interrupted"] is True
        resume(tmp_path / "run")
        assert contents(tmp_path / "run") == whole


@pytest.mark.requires_jit
def test_an_interrupted_run_is_the_prefix_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells have the numbers of a run of so many pairs, and an interval that holds at any stop."""
    cut_after(monkeypatch, 2 * len(small().cells) + 2)
    cut = start(small(FEW), None)
    monkeypatch.undo()
    rows = cut.table("cells").to_dict(orient="records")
    assert {row["stopped"] for row in rows} == {"interrupted"} and len({row["pairs"] for row in rows}) == 2
    for pairs in {row["pairs"] for row in rows}:
        fresh = small(pairs).run(threads=1)
        for row in rows:
            if row["pairs"] == pairs:
                number = row["cell"]
                assert fresh.tally(number).tobytes() == cut.tally(number).tobytes()
    for row in rows:
        wide = row["points_per_hand_anytime_high"] - row["points_per_hand_anytime_low"]
        assert wide > row["points_per_hand_high"] - row["points_per_hand_low"]


# --- kills and full disks ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)  # one test is played by somebody else
        yield Path(home)


@pytest.fixture(scope="module")
def cuts(home: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.analysis.cut_runs", str(home)],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    start(small(PAIRS), home / "undisturbed")
    return json.loads(done.stdout)


@pytest.mark.requires_jit
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
class TestCuts:
    """Whatever cuts a run, it says so in one line, loses nothing, and is resumed to the same bytes."""

    def one_line(self, told: dict[str, Any], *names: str) -> None:
        assert told["code"] == 1, told
        (line,) = told["said"].splitlines()
        assert line.startswith("ginlab: ") and all(name in line for name in names)

    def same(self, home: Path, name: str) -> None:
        assert contents(home / name) == contents(home / "undisturbed")
        assert not list((home / name).glob(".*"))

    def test_kill_at_ten_moments(self, home: Path, cuts: dict[str, Any]) -> None:
        assert cuts["killed"] >= KILLS - 1  # the last may come too late
        self.same(home, "killed")

    def test_the_disk_is_full_for_the_journal(self, home: Path, cuts: dict[str, Any]) -> None:
        self.one_line(cuts["journal_full"], "journal_full/journal.sqlite", "what was played before is kept")
        assert 0 < cuts["journal_full"]["kept"] < 4 * PAIRS
        self.same(home, "journal_full")

    def test_the_disk_is_full_for_the_tables(self, home: Path, cuts: dict[str, Any]) -> None:
        self.one_line(
            cuts["tables_full"], "tables_full: File too large; nothing is lost, 'ginlab resume' goes on"
        )
        assert cuts["tables_full"]["left"] == []
        self.same(home, "tables_full")

    def test_no_leave_to_write_in_the_folder(self, home: Path, cuts: dict[str, Any]) -> None:
        self.one_line(cuts["read_only"], "read_only/journal.sqlite")
        self.same(home, "read_only")

    def test_no_leave_to_make_a_folder(self, home: Path, cuts: dict[str, Any]) -> None:
        self.one_line(cuts["shut"], str(home / "shut" / "run"), "ermission denied")
        assert not list((home / "shut").iterdir())


# --- stops ---------------------------------------------------------------------------------------


def wide(**changes: Any) -> Experiment:
    return small().changed(pairs=None, **changes)


@pytest.mark.requires_jit
class TestStops:
    @pytest.mark.parametrize("metric", ["game_share", "points_per_hand"])
    def test_width_is_reached_at_a_checkpoint(self, metric: str) -> None:
        half = {"game_share": 0.0184, "points_per_hand": 0.22}[metric]
        results = wide(half_width=half, max_pairs=16_000, metric=metric).run()
        cells, course = results.table("cells"), results.table("convergence")
        assert set(cells["stopped"]) == {"width"}
        assert set(cells["pairs"]) <= {1000, 2000, 4000, 8000} and cells["pairs"].nunique() > 1
        for number, pairs in enumerate(cells["pairs"]):
            mine = course[course["cell"] == number]
            assert list(mine["pairs"]) == [1000 * 2**k for k in range(len(mine))]
            halves = (mine[f"{metric}_high"] - mine[f"{metric}_low"]) / 2
            assert (halves.iloc[:-1] > half).all() and halves.iloc[-1] <= half
            assert mine["pairs"].iloc[-1] == pairs
        assert (cells[f"{metric}_anytime_high"] > cells[f"{metric}_high"]).all()

    def test_no_width_is_reached_between_checkpoints(self) -> None:
        """The cap is no checkpoint: a cell that comes there has not been looked at."""
        results = wide(half_width=0.014, max_pairs=1_300).only(k=7, undercut_bonus=25).run()
        (row,) = results.table("cells").to_dict(orient="records")
        assert (row["pairs"], row["stopped"]) == (1300, "max_pairs")
        moments = results.tally(0).total("moments")
        told = ratio(moments, METRICS["game_share"].numerator, "games", factor=2, share=True)
        assert (row["game_share_low"], row["game_share_high"]) == (told.low, told.high)

    def test_a_sequential_test_decides_at_a_checkpoint(self) -> None:
        test = Sprt(0.48, 0.52)
        part = {"k": ["0", "7"], "undercut_bonus": ["25"]}
        results = wide(sprt={"s0": test.s0, "s1": test.s1}, max_pairs=4_000).only(part).run()
        cells = results.table("cells")
        assert {"H0", "H1"} <= set(cells["stopped"]) and set(cells["pairs"]) <= {1000, 2000, 4000}
        for looked_at in (1000, 2000, 4000):
            fresh = small(looked_at).only(part).run()
            for number, (pairs, stopped) in enumerate(zip(cells["pairs"], cells["stopped"], strict=True)):
                if looked_at <= pairs:
                    decided = test.decide(fresh.tally(number).total("pair_scores"))
                    expected = None if looked_at < pairs else stopped
                    assert (decided or ("max_pairs" if looked_at == 4000 else None)) == expected

    def test_nothing_changes_with_chunks(self, tmp_path: Path) -> None:
        experiment = wide(half_width=0.02, max_pairs=4_000)
        start(experiment, tmp_path / "one", threads=2)
        start(experiment, tmp_path / "two", threads=1, chunk=333)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")


# --- extension -----------------------------------------------------------------------------------


class TestExtension:
    @pytest.mark.parametrize("journal", ["kept", "removed"])
    def test_pairs_are_added(self, tmp_path: Path, journal: str) -> None:
        folder = tmp_path / "run"
        start(small(FEW), folder)
        if journal == "removed":
            (folder / "journal.sqlite").unlink()
        longer = resume(folder, extend=3, chunk=2)
        fresh = small(FEW + 3).run()
        cells = longer.table("cells")
        assert longer.manifest["extended"] is True
        assert set(cells["stopped"]) == {"extended"} and set(cells["pairs"]) == {FEW + 3}
        for cell in fresh.cells:
            assert longer.tally(cell.number).tobytes() == fresh.tally(cell.number).tobytes()
        # The numbers are those of as many pairs; the interval for any stop stands beside them.
        same = [name for name in cells if name != "stopped" and "anytime" not in name]
        assert cells[same].equals(fresh.table("cells")[same])
        assert cells["hand_share_anytime_low"].notna().all()
        assert fresh.table("cells")["hand_share_anytime_low"].isna().all()
        course = longer.table("convergence")
        assert list(course[course["cell"] == 0]["pairs"])[-2:] == [FEW, FEW + 3]

    def test_with_and_without_a_journal_the_same_bytes(self, tmp_path: Path) -> None:
        start(small(FEW), tmp_path / "one")
        shutil.copytree(tmp_path / "one", tmp_path / "two")
        (tmp_path / "two" / "journal.sqlite").unlink()
        for name, chunk in (("one", None), ("two", 1)):
            resume(tmp_path / name, extend=2, chunk=chunk)
            resume(tmp_path / name, extend=1, chunk=chunk)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")

    def test_an_unfinished_run_is_not_extended(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        cut_after(monkeypatch, 1)
        start(small(FEW), tmp_path / "run")
        monkeypatch.undo()
        with pytest.raises(UsageError, match="not finished; 'ginlab resume"):
            resume(tmp_path / "run", extend=5)

    def test_a_finished_run_is_left_alone(self, whole: dict[str, Any], tmp_path: Path) -> None:
        start(small(FEW), tmp_path / "run")
        resume(tmp_path / "run")
        assert contents(tmp_path / "run") == whole
        (tmp_path / "run" / "journal.sqlite").unlink()
        resume(tmp_path / "run")
        assert contents(tmp_path / "run") == whole and not (tmp_path / "run" / "journal.sqlite").exists()


def cut_after(monkeypatch: pytest.MonkeyPatch, records: int) -> None:
    """Let Ctrl-C come after so many records of the journal."""
    record, calls = Journal.record, iter(range(1, 1000))

    def stopped(self: Journal, *args: Any) -> None:
        record(self, *args)
        if next(calls) == records:
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "record", stopped)


class TestRefused:
    """A run that cannot go on says why."""

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        cut_after(monkeypatch, 2)
        start(small(FEW), tmp_path / "run")
        monkeypatch.undo()
        return tmp_path / "run"

    def test_other_sources(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("analysis.experiment.runs.source_hash", lambda: "0" * 16)
        with pytest.raises(RunError, match="begun by other sources"):
            resume(folder)

    def test_other_rules(self, folder: Path) -> None:
        base = Journal(folder / "journal.sqlite")
        told = base.facts()
        base._change(("UPDATE facts SET value = ? WHERE name = 'cells'", (json.dumps("0" * 64),)))
        base.close()
        assert told["cells"] != "0" * 64
        with pytest.raises(RunError, match="other presets or knock tables"):
            resume(folder)

    def test_a_journal_that_is_none(self, folder: Path) -> None:
        (folder / "journal.sqlite").write_text("hello " * 1000)
        with pytest.raises(RunError, match=r"journal\.sqlite: file is not a database"):
            resume(folder)

    def test_stopped_before_it_began(self, tmp_path: Path) -> None:
        Journal(tmp_path / "journal.sqlite").close()
        with pytest.raises(RunError, match="before it began"):
            resume(tmp_path)

    def test_a_run_that_another_process_plays(self, folder: Path) -> None:
        with alone(folder), pytest.raises(RunError, match="another process is playing this run"):
            resume(folder)
        resume(folder)

    def test_an_extension_without_its_journal(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        resume(folder)
        cut_after(monkeypatch, 1)
        resume(folder, extend=3)
        monkeypatch.undo()
        (folder / "journal.sqlite").unlink()
        with pytest.raises(RunError, match="stopped while it was extended"):
            resume(folder)

    def test_a_folder_in_use(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="holds a run already"):
            start(small(FEW), folder)
        (tmp_path / "else").mkdir()
        (tmp_path / "else" / "thing").touch()
        with pytest.raises(UsageError, match="exists already"):
            start(small(FEW), tmp_path / "else")
        (tmp_path / "empty").mkdir()
        start(small(1), tmp_path / "empty")

    def test_no_run(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no such folder"):
            resume(tmp_path / "none")
        with pytest.raises(UsageError, match="not a run's folder"):
            resume(tmp_path)
        with pytest.raises(UsageError, match="--extend 0"):
            resume(tmp_path, extend=0)


def test_a_strategy_of_ones_own_goes_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder has a copy; the file itself may be gone."""
    file = tmp_path / "my_gold.py"
    file.write_bytes((ROOT / "docs" / "examples" / "my_gold.py").read_bytes())
    text = f'title = "x"\nseed = 1\npairs = {FEW}\nstrategy_files = ["my_gold.py"]\n'
    text += '[strategies]\na = "my_gold"\nb = "gold"\n'
    folder = tmp_path / "run"
    cut_after(monkeypatch, 2)
    start(Experiment.from_text(text, folder=tmp_path), folder)
    monkeypatch.undo()
    file.unlink()
    done = resume(folder)
    assert done.cells[0].a.startswith("my_gold(") and done.pairs(0) == FEW
    (folder / "strategy_files" / "my_gold.py").write_text("print('other')")
    with pytest.raises(RunError, match="not the strategy file"):
        resume(folder, extend=1)


def test_progress_goes_up_to_the_end() -> None:
    told: list[SweepProgress] = []
    small(FEW).run(on_progress=told.append)
    pairs = [state.pairs for state in told]
    assert pairs == sorted(pairs) and pairs[-1] == told[-1].total == 4 * FEW
    assert {state.cell for state in told} == {cell.text for cell in small().cells}
    assert all(state.cells == 4 and state.finished < 4 for state in told)


def test_sums_that_would_not_be_exact_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.experiment.sweep.LARGEST_SUM", 128)
    with pytest.raises(RunError, match="cell 0: sums of squares pass 64 bits after"):
        small(FEW).run()


class TestDamagedJournal:
    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ("UPDATE cells SET tally = x'0011' WHERE cell = 1", "cell 1 are not whole"),
            ("UPDATE cells SET pairs = 1 WHERE cell = 1", "cell 1 are not whole"),
            ("DELETE FROM facts", "remove this file"),
        ],
    )
    def test_is_refused_by_name(self, tmp_path: Path, change: str, named: str) -> None:
        folder = tmp_path / "run"
        start(small(FEW), folder, threads=1)
        with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as base, base:
            base.execute(change)
        with pytest.raises(RunError, match=f"journal.sqlite: .*{named}"):
            resume(folder, extend=1, threads=1)
