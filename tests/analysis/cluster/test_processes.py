"""Worker processes: they come, go and die, the scheduler dies, Ctrl-C comes; the same bytes in the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from analysis.experiment.runs import resume, start
from analysis.experiment.sweep import SweepProgress
from analysis.match import play
from analysis.store.journal import Journal
from sim.run import RunError
from tests.analysis.cluster.clusters import ROOT, Cluster, command, wait_for
from tests.analysis.cluster.test_luggage import EXAMPLES
from tests.analysis.command_line import refused, run
from tests.analysis.cut_runs import contents, played
from tests.analysis.experiments import SMALL, small

JOURNAL = "journal.sqlite"
PAIRS = 12_000
"""Some seconds of play of a worker: long enough to be killed in."""
ENDLESS = 1_000_000_000
"""Hours: what ends such a run meets it under way, however late it comes."""


def as_in_threads(folder: Path) -> None:
    """Check that a journal has of each cell what threads of this process play of as many pairs."""
    with contextlib.closing(Journal(folder / JOURNAL)) as journal:
        for cell, state in zip(small(ENDLESS).cells, journal.states(), strict=True):
            if state.pairs:
                run = play(cell.match, 2, 0, state.pairs)
                assert journal.tally(cell.number).tobytes() == run.tally.tobytes()


@pytest.mark.requires_jit
def test_two_workers_of_ones_own(tmp_path: Path) -> None:
    """Processes that share nothing with this one: a strategy file and a table go to them."""
    file = tmp_path / "two.toml"
    table = EXAMPLES / "knock_table.csv"
    (tmp_path / "my_gold.py").write_bytes((EXAMPLES / "my_gold.py").read_bytes())
    (tmp_path / "table.csv").write_bytes(table.read_bytes())
    text = SMALL.format(pairs=60).replace('"simple"', '"{b}"')
    text = text.replace("pairs = 60", 'pairs = 60\nstrategy_files = ["my_gold.py"]')
    sides = f"""["my_gold", 'combine(draw=gold, knock=knock_table("{tmp_path}/table.csv"), discard=gold)']"""
    file.write_text(f"{text}b = {sides}\n".replace("undercut_bonus = [0, 25]\n", ""))
    with command("sweep", str(file), "--out", str(tmp_path / "two"), "--local-cluster", "2") as process:
        said, complained = process.communicate(timeout=120)
    assert process.returncode == 0 and complained == "", complained
    assert "4 cells of 60 mirrored pairs" in said
    assert run("sweep", str(file), "--out", str(tmp_path / "one")).exit_code == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


class TestOptions:
    def test_one_place_to_play_in(self, tmp_path: Path) -> None:
        file = tmp_path / "small.toml"
        file.write_text(SMALL.format(pairs=1))
        out = ("--out", str(tmp_path / "run"))
        where = ("--scheduler", "tcp://127.0.0.1:1")
        refused("sweep", str(file), *out, *where, "--threads", "2", names="--threads 2 and --scheduler")
        refused("sweep", str(file), *out, *where, "--local-cluster", "2", names="give one of them")
        refused("resume", "run", "--threads", "2", "--local-cluster", "2", names="give one of them")
        refused("sweep", str(file), *out, "--local-cluster", "0", names="--local-cluster")
        refused(
            "sweep", str(file), *out, "--scheduler", "nowhere at all", names="--scheduler 'nowhere at all'"
        )

    def test_nobody_answers(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("analysis.cluster.connect.SECONDS", 0.2)
        file = tmp_path / "small.toml"
        file.write_text(SMALL.format(pairs=1))
        done = run("sweep", str(file), "--out", str(tmp_path / "run"), "--scheduler", "tcp://127.0.0.1:1")
        assert done.exit_code == 1
        assert (
            done.stderr == "ginlab: --scheduler tcp://127.0.0.1:1: no scheduler answers there within 0.2 s\n"
        )
        assert not (tmp_path / "run").exists()

    def test_without_dask(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        file = tmp_path / "small.toml"
        file.write_text(SMALL.format(pairs=1))
        for where in (("--scheduler", "tcp://127.0.0.1:1"), ("--local-cluster", "2")):
            refused(
                "sweep", str(file), "--out", str(tmp_path / "run"), *where,
                names=f"{where[0]} needs Dask, which comes with ginlab's extra 'cluster': pip install",
            )  # fmt: skip


def test_nothing_else_waits_for_dask() -> None:
    """Not the listings, nor a sweep in this process."""
    code = "import sys, analysis.cli, analysis.experiment.runs, analysis.cluster.connect; "
    code += "sys.exit(bool({'dask', 'distributed'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run of one thread of this process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start(small(PAIRS), folder, threads=1)
    return contents(folder)


@pytest.mark.slow
@pytest.mark.requires_jit
class TestProcesses:
    @pytest.fixture
    def file(self, tmp_path: Path) -> str:
        path = tmp_path / "small.toml"
        path.write_text(SMALL.format(pairs=PAIRS))
        return str(path)

    @pytest.fixture
    def endless(self, tmp_path: Path) -> str:
        path = tmp_path / "endless.toml"
        path.write_text(SMALL.format(pairs=ENDLESS))
        return str(path)

    @pytest.mark.parametrize(
        "where", [("--threads", "2"), ("--local-cluster", "1"), ("--local-cluster", "4")]
    )
    def test_any_number_of_workers(
        self, whole: dict[str, Any], file: str, tmp_path: Path, where: tuple[str, str]
    ) -> None:
        with command("sweep", file, "--out", str(tmp_path / "run"), *where) as process:
            _, complained = process.communicate(timeout=120)
        assert process.returncode == 0 and complained == ""
        assert contents(tmp_path / "run") == whole

    def test_workers_come_go_and_are_killed(self, whole: dict[str, Any], file: str, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        with Cluster(tmp_path) as cluster:
            workers = [cluster.worker(), cluster.worker()]
            with command("sweep", file, "--out", str(folder), "--scheduler", cluster.address) as process:
                for share in range(1, 6):
                    at = 4 * PAIRS * share // 8
                    wait_for(f"{at} pairs", lambda at=at: played(folder / JOURNAL) >= at)
                    workers.append(cluster.worker())
                    if share == 3:  # leaves: what it has finished goes to the others
                        workers[share].terminate()
                    else:
                        workers[share if share > 2 else 0].kill()
                        if share == 2:
                            workers[1].kill()
                _, complained = process.communicate(timeout=120)
        # Both workers were gone at once, before the next was there.
        assert process.returncode == 0
        assert set(complained.splitlines()) <= {
            f"ginlab: no workers at {cluster.address}; waiting for some (Ctrl-C stops)"
        }
        assert contents(folder) == whole

    def test_the_scheduler_is_killed(self, endless: str, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        for words in (("sweep", endless, "--out", str(folder)), ("resume", str(folder))):
            before = played(folder / JOURNAL)
            with Cluster(tmp_path) as cluster:
                cluster.worker()
                with command(*words, "--scheduler", cluster.address) as process:
                    wait_for("more pairs", lambda at=before + PAIRS // 2: played(folder / JOURNAL) > at)
                    cluster.scheduler.kill()
                    _, complained = process.communicate(timeout=60)
            assert process.returncode == 1
            assert complained == (
                f"ginlab: the scheduler {cluster.address} has gone; all that was finished is kept, "
                "'ginlab resume' goes on\n"
            )
        as_in_threads(folder)

    def test_after_the_scheduler_s_death_to_the_same_bytes(
        self, whole: dict[str, Any], tmp_path: Path
    ) -> None:
        """It dies when the first pairs are told: the few tasks then in flight are all that can still come."""
        with Cluster(tmp_path) as cluster:
            cluster.worker()

            def told(state: SweepProgress) -> None:
                if state.pairs:
                    cluster.scheduler.kill()

            with (
                Client(cluster.address, set_as_default=False) as client,
                pytest.raises(RunError, match="^the scheduler .* has gone"),
            ):
                start(small(PAIRS), tmp_path / "run", chunk=100, on_progress=told, client=client)
        assert 0 < played(tmp_path / "run" / JOURNAL) < 4 * PAIRS
        resume(tmp_path / "run", threads=2)
        assert contents(tmp_path / "run") == whole

    def test_ctrl_c(self, whole: dict[str, Any], file: str, endless: str, tmp_path: Path) -> None:
        """In the terminal, where the workers get it too; then on a cluster, which is as usable as before."""
        folder = tmp_path / "run"
        with command("sweep", endless, "--out", str(folder), "--local-cluster", "2") as process:
            wait_for("some pairs", lambda: played(folder / JOURNAL) > PAIRS // 2)
            os.killpg(process.pid, signal.SIGINT)
            said, complained = process.communicate(timeout=60)
        assert process.returncode == 130 and complained == "" and "Interrupted; 'ginlab resume" in said
        before = played(folder / JOURNAL)
        with Cluster(tmp_path) as cluster:
            cluster.worker()
            with command("resume", str(folder), "--scheduler", cluster.address) as process:
                wait_for("more pairs", lambda: played(folder / JOURNAL) > before)
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)
            assert process.returncode == 130
            words = ("sweep", file, "--out", str(tmp_path / "next"), "--scheduler", cluster.address)
            with command(*words) as process:
                process.communicate(timeout=120)
            assert process.returncode == 0
        as_in_threads(folder)
        assert contents(tmp_path / "next") == whole

    def test_ctrl_c_while_there_are_no_workers(self, endless: str, tmp_path: Path) -> None:
        with Cluster(tmp_path) as cluster:
            words = ("--out", str(tmp_path / "run"), "--scheduler", cluster.address)
            with command("sweep", endless, *words) as process:
                assert process.stderr is not None
                line = process.stderr.readline()
                process.send_signal(signal.SIGINT)
                _, complained = process.communicate(timeout=60)
        assert complained == ""
        assert line == f"ginlab: no workers at {cluster.address}; waiting for some (Ctrl-C stops)\n"
        assert process.returncode == 130
