"""Faults from outside: altered files, clocks that jump, a cache that goes, no home, Ctrl-C twice.

Nothing that was finished is lost, and nothing wrong is accepted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.experiment.runs import resume, start
from analysis.store.folder import load
from analysis.store.manifest import file_hash
from sim._jit import COMPILED
from sim.run import RunError
from tests.analysis.command_line import environment
from tests.analysis.cut_runs import contents
from tests.analysis.experiments import SMALL, small
from tests.analysis.test_sweep import cut_after

ROOT = Path(__file__).resolve().parent.parent.parent
FEW = 7 if COMPILED else 2
JOURNAL = "journal.sqlite"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, with its journal."""
    folder = tmp_path_factory.mktemp("played") / "run"
    start(small(FEW), folder, threads=1)
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(played, tmp_path / "run"))


# --- journals ------------------------------------------------------------------------------------


def change(folder: Path, *queries: tuple[str, tuple[Any, ...]] | str) -> None:
    with contextlib.closing(sqlite3.connect(folder / JOURNAL)) as base, base:
        for query in queries:
            base.execute(*((query,) if isinstance(query, str) else query))


def flipped(blob: bytes, rng: random.Random) -> bytes:
    data = bytearray(blob)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("table", ["cells", "stages"])
def test_no_flipped_bit_in_the_journal_is_accepted(folder: Path, table: str) -> None:
    """Of flipped bits in counters that are packed and no more, about half gave other counters."""
    column = {"cells": "tally", "stages": "moments"}[table]
    with contextlib.closing(sqlite3.connect(folder / JOURNAL)) as base:
        ((row, blob),) = base.execute(
            f"SELECT rowid, {column} FROM {table} WHERE cell = 2 LIMIT 1"
        ).fetchall()
    rng = random.Random(7)
    for _ in range(8):
        change(folder, (f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (flipped(blob, rng), row)))
        with pytest.raises(RunError, match="journal.sqlite: damaged: the counters of cell 2 are not whole"):
            resume(folder, threads=1)
    change(folder, (f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (blob, row)))
    resume(folder, threads=1)


ALTERED = {
    "row gone": ("DELETE FROM cells WHERE cell = 1", "there is no cell 1"),
    "last row gone": ("DELETE FROM cells WHERE cell = 3", "3 cells of 4"),
    "row too many": (
        "INSERT INTO cells SELECT 4, pairs, target, stopped, seconds, tally FROM cells WHERE cell = 3",
        "5 cells of 4",
    ),
    "rows swapped": (
        "UPDATE cells SET tally = (SELECT tally FROM cells WHERE cell = 0) WHERE cell = 1",
        "cell 1 are not whole",
    ),
    "pairs": ("UPDATE cells SET pairs = 'x' WHERE cell = 1", "cell 1 are not whole"),
    "negative": ("UPDATE cells SET pairs = -1 WHERE cell = 1", "cell 1 are not whole"),
    "target": ("UPDATE cells SET target = 'x' WHERE cell = 1", "cell 1 are not whole"),
    "stopped": ("UPDATE cells SET stopped = 'qairs' WHERE cell = 1", "cell 1 are not whole"),
    "no counters": ("UPDATE cells SET tally = NULL WHERE cell = 1", "cell 1 are not whole"),
    "text": ("UPDATE cells SET tally = 'x' WHERE cell = 1", "cell 1 are not whole"),
    "stage": ("UPDATE stages SET pairs = pairs + 1000 WHERE cell = 1", "cell 1 are not whole"),
    "fact gone": ("DELETE FROM facts WHERE name = 'files'", "does not say files"),
    "fact": ("UPDATE facts SET value = '{' WHERE name = 'experiment'", "what the run is cannot be read"),
    "other experiment": (
        "UPDATE facts SET value = replace(value, '\"seed\": 5', '\"seed\": 6') WHERE name = 'experiment'",
        "other presets",
    ),
    "no table": ("DROP TABLE stages", "cell 0 are not whole"),
    "foreign": ("DROP TABLE facts", "remove this file"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_journal_is_refused(folder: Path, name: str) -> None:
    query, message = ALTERED[name]
    change(folder, query)
    before = contents(folder)
    try:
        resume(folder, threads=1)
    except RunError as error:
        assert JOURNAL in str(error) or "other presets" in str(error)
        assert any(part in str(error) for part in message.split("|")), error
        assert len(str(error).splitlines()) == 1
    else:
        pytest.fail("accepted")
    assert contents(folder) == before  # what was finished is there still


@pytest.mark.parametrize("kept", [0, 100, 4096, 0.5, 0.99])
def test_a_truncated_journal_is_refused(folder: Path, kept: float) -> None:
    journal = folder / JOURNAL
    size = journal.stat().st_size
    os.truncate(journal, int(kept * size) if 0 < kept < 1 else int(kept))
    for rest in folder.glob(f"{JOURNAL}-*"):
        rest.unlink()
    with pytest.raises(RunError, match=r"journal\.sqlite: ") as error:
        resume(folder, threads=1)
    assert len(str(error.value).splitlines()) == 1
    load(folder)  # the tables are whole as they were


def test_a_foreign_database_is_refused(folder: Path) -> None:
    (folder / JOURNAL).unlink()
    change(folder, "CREATE TABLE cells (x)", "CREATE TABLE mine (y)", "INSERT INTO mine VALUES (1)")
    with pytest.raises(RunError, match=r"journal\.sqlite: "):
        resume(folder, threads=1)
    load(folder)


# --- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table", ["cells", "endings", "knocks", "lengths", "points", "groups", "convergence"]
)
def test_an_altered_table_is_refused_though_its_hash_is_right(folder: Path, table: str) -> None:
    """Whatever whole numbers a table tells must be those of the exact counters."""
    path = folder / f"{table}.parquet"
    told = pq.read_table(path)
    named = {"cells": "pairs", "groups": "hands", "convergence": "pairs"}
    numbers = [field.name for field in told.schema if str(field.type) == "int64" and field.name != "cell"]
    column = named.get(table) or numbers[-1]
    values = told[column].to_pylist()
    if isinstance(values[0], list):
        values[0][0] += 1
    else:
        values[0] += 1
    at = told.schema.get_field_index(column)
    kind = told.schema.field(at)
    pq.write_table(told.set_column(at, kind, pa.array(values, kind.type)), path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["tables"][table]["sha256"] = file_hash(path)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match="damaged: ") as error:
        load(folder)
    assert len(str(error.value).splitlines()) == 1


# --- clocks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [-3600.0, 7200.0, 0.0])
def test_nothing_hangs_on_clocks(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    """Clocks that stand, go back or jump by hours at every look: the same bytes."""
    for name in ("time", "monotonic", "perf_counter"):
        looks = itertools.count()
        base = getattr(time, name)()
        monkeypatch.setattr(time, name, lambda base=base, looks=looks: base + step * (next(looks) % 5))
    cut_after(monkeypatch, 3)
    start(small(FEW), tmp_path / "run", threads=2)
    resume(tmp_path / "run", threads=2)
    monkeypatch.undo()
    resume(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(played)


# --- where compiled code is kept -----------------------------------------------------------------

# A kernel of its own file, so that nothing else is compiled.
KERNEL = """
import os, shutil, sys
from sim import _jit

folder = _jit.cache_folder()
{before}
@_jit.kernel
def double(number):
    return 2 * number

@_jit.typed_kernel("int64(int64)")
def triple(number):
    return 3 * number

{between}
assert (double(4), triple(4)) == (8, 12)
print(_jit.CACHE_TROUBLE or "kept", oct(folder.stat().st_mode & 0o777), folder)
"""


def kernel(tmp_path: Path, changes: dict[str, str | None], before: str = "", between: str = "") -> Any:
    """Run a kernel in a process whose environment is changed; return the process."""
    file = tmp_path / "small_kernel.py"
    file.write_text(KERNEL.format(before=before, between=between))
    told = {**environment(), "PYTHONPATH": str(ROOT), **{name: one for name, one in changes.items() if one}}
    for name in ("NUMBA_CACHE_DIR", *(name for name, one in changes.items() if one is None)):
        if not changes.get(name):
            told.pop(name, None)
    return subprocess.run([sys.executable, str(file)], env=told, capture_output=True, text=True, check=False)


NO_HOME = {"HOME": "/dev/null", "XDG_CACHE_HOME": None}
"""A home in which nobody, not even root, can make a folder."""


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such folders")
class TestCacheFolder:
    def test_without_a_home_it_is_a_private_folder_that_goes(self, tmp_path: Path) -> None:
        done = kernel(tmp_path, {**NO_HOME, "TMPDIR": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("/dev/null/.cache/ginlab/") and "Not a directory 0o700" in done.stdout
        assert Path(done.stdout.split()[-1]).parent == tmp_path
        assert not list(tmp_path.glob("ginlab_*")) and not (tmp_path / "__pycache__").exists()

    def test_a_folder_that_was_named_and_is_none(self, tmp_path: Path) -> None:
        """numba alone would keep code beside the sources, where that of older ones may stand."""
        done = kernel(tmp_path, {"NUMBA_CACHE_DIR": "/dev/null/cache", "TMPDIR": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("/dev/null/cache: Not a directory")
        assert not (tmp_path / "__pycache__").exists()

    @pytest.mark.parametrize("when", ["before", "between"])
    def test_it_is_deleted(self, tmp_path: Path, when: str) -> None:
        """After the import, and after the first function has been compiled."""
        gone: dict[str, Any] = {when: "shutil.rmtree(folder)"}
        done = kernel(tmp_path, {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}, **gone)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("kept") and list((tmp_path / "cache").rglob("*.nbi"))


@pytest.mark.slow
@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such folders")
def test_the_program_runs_without_a_home(tmp_path: Path) -> None:
    told = {
        name: one for name, one in environment().items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    done = subprocess.run(
        [sys.executable, "-m", "analysis.cli", "match", "gold", "simple", "--games", "2", "--json"],
        cwd=ROOT, env={**told, "HOME": "/dev/null", "TMPDIR": str(tmp_path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pairs"] == 1
    first, second = done.stderr.splitlines()
    assert first.startswith("Compiled code cannot be kept (/dev/null/") and "for this run alone" in first
    assert second.startswith("Compiling the engine")
    assert not list(tmp_path.iterdir())


# --- Ctrl-C twice --------------------------------------------------------------------------------

# A run that finishes nothing once Ctrl-C has come, as a disk that hangs would.
DRIVER = """
import signal, sys, time
from analysis.cli import main
from analysis.experiment import runs

signal.signal(signal.SIGINT, signal.default_int_handler)

def slow(folder, experiment, journal):
    try:  # around the word as well: what reads it may be faster than this
        print("WRITING", file=sys.stderr, flush=True)
        time.sleep(300)
    except KeyboardInterrupt:
        print("AGAIN", file=sys.stderr, flush=True)
        time.sleep(300)

runs.write_folder = slow
main()
"""


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to another process")
def test_the_second_ctrl_c_leaves_at_once_and_loses_nothing(played: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "small.toml", tmp_path / "run"
    file.write_text(SMALL.format(pairs=FEW))
    child = subprocess.Popen(
        [sys.executable, "-c", DRIVER, "sweep", str(file), "--out", str(folder)],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stderr is not None
        said = [""]
        for word in ("WRITING", "AGAIN"):
            while word not in said[-1]:
                said.append(child.stderr.readline())
                assert said[-1], "".join(said)
            child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
    finally:
        child.kill()
        child.communicate()
    resume(folder, threads=1)
    assert contents(folder) == contents(played)
