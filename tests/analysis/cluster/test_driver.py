"""The driver, with a cluster in this process: workers that are threads, and everything else as it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, KilledWorker, LocalCluster

from analysis.cluster import driver, luggage, task
from analysis.cluster.identity import SOURCES, difference, identity
from analysis.cluster.work import MOST_TRIES
from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.experiment.runs import resume, start
from analysis.experiment.sweep import SweepProgress
from analysis.store.folder import load
from sim._jit import COMPILED
from sim.run import RunError
from tests.analysis.cluster.test_luggage import with_files
from tests.analysis.cut_runs import contents
from tests.analysis.experiments import small

FEW = 5 if COMPILED else 2


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run of this process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start(small(FEW), folder, threads=1)
    return contents(folder)


class TestSameBytes:
    @pytest.mark.parametrize("chunk", [None, 1, 3])
    def test_for_any_chunks(
        self, client: Any, whole: dict[str, Any], tmp_path: Path, chunk: int | None
    ) -> None:
        told: list[SweepProgress] = []
        start(small(FEW), tmp_path / "run", on_progress=told.append, chunk=chunk, client=client)
        assert contents(tmp_path / "run") == whole
        pairs = [state.pairs for state in told]
        assert pairs == sorted(pairs) and pairs[-1] == told[-1].total == 4 * FEW
        assert {(state.workers, state.notice) for state in told} == {(2, "")}
        assert told[-1].games == 8 * FEW and told[-1].finished == told[-1].cells == 4

    def test_in_memory(self, client: Any) -> None:
        one, two = small(FEW).run(client=client), small(FEW).run()
        for cell in one.cells:
            assert one.tally(cell.number).tobytes() == two.tally(cell.number).tobytes()

    def test_of_an_extended_run(self, client: Any, tmp_path: Path) -> None:
        for name, where in (("one", None), ("two", client)):
            start(small(FEW), tmp_path / name, client=where)
            resume(tmp_path / name, extend=1, client=where)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")

    def test_where_only_outcomes_are_recorded(self, client: Any, tmp_path: Path) -> None:
        for name, where in (("one", None), ("two", client)):
            start(small(FEW, record=[]), tmp_path / name, client=where)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")

    def test_after_ctrl_c(self, client: Any, whole: dict[str, Any], tmp_path: Path) -> None:
        def stop(state: SweepProgress) -> None:
            if state.pairs > FEW:
                signal.raise_signal(signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            cut = start(small(FEW), tmp_path / "run", on_progress=stop, chunk=1, client=client)
        finally:
            signal.signal(signal.SIGINT, before)
        assert cut.manifest["interrupted"] is True and cut.table("cells")["pairs"].sum() > 0
        assert not load(tmp_path / "run").table("cells")["pairs"].isna().any()
        resume(tmp_path / "run", client=client)  # which is as usable as before
        assert contents(tmp_path / "run") == whole

    def test_files_travel_and_are_gone_in_the_end(self, client: Any, tmp_path: Path) -> None:
        homes = [Path(worker.local_directory) for worker in client.cluster.workers.values()]
        start(with_files(tmp_path), tmp_path / "one", threads=1)
        start(with_files(tmp_path), tmp_path / "two", client=client)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")
        assert not luggage._OPEN and not [path for home in homes for path in home.glob("ginlab-*")]


@pytest.mark.requires_jit
def test_stops_are_those_of_one_process(client: Any, tmp_path: Path) -> None:
    experiment = small().changed(pairs=None, half_width=0.02, max_pairs=4_000)
    start(experiment, tmp_path / "one", threads=2)
    start(experiment, tmp_path / "two", client=client)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


class TestFailures:
    BREAKER = """
from dataclasses import dataclass
from typing import ClassVar

from sim.view import discard_rule
from strategies.base import Decisions, Strategy, strategy


@strategy("breaker")
@dataclass(frozen=True)
class Breaker(Strategy):
    \"\"\"Throws no card.\"\"\"

    decisions: ClassVar[Decisions] = Decisions(
        "strategies.compiled.gold", "strategies.compiled.gold", __name__
    )


@discard_rule
def discard(view):
    return 0
"""

    def test_a_strategys_fault_is_told_as_in_one_process(self, client: Any, tmp_path: Path) -> None:
        (tmp_path / "breaker.py").write_text(self.BREAKER)
        text = 'title = "x"\nseed = 1\npairs = 3\nstrategy_files = ["breaker.py"]\n'
        text += '[strategies]\na = "breaker"\nb = "gold"\n'
        said = []
        for where in (None, client):
            with pytest.raises(RunError) as caught:
                Experiment.from_text(text, folder=tmp_path).run(threads=None if where else 1, client=where)
            said.append(str(caught.value))
        assert said[0] == said[1] and "breaker" in said[0] and "no card" in said[0]

    def test_workers_of_another_version(
        self, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Refused before there is a folder; the difference and the address are named."""
        theirs = {**identity(), "numpy": "1.0", SOURCES: "0" * 16}
        monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://there:1": theirs})
        with pytest.raises(RunError) as caught:
            start(small(FEW), tmp_path / "run", client=client)
        mine = identity()
        assert str(caught.value) == (
            f"worker tcp://there:1: numpy 1.0 there, {mine['numpy']} here; {SOURCES} {'0' * 16} there, "
            f"{mine[SOURCES]} here: pairs of both would not belong together"
        )
        assert not (tmp_path / "run").exists()

    def test_a_worker_without_ginlab(self, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        error = ModuleNotFoundError("No module named 'analysis'")
        monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://there:1": error})
        with pytest.raises(
            RunError, match=r"^worker tcp://there:1: cannot load ginlab's tasks: .*'analysis'"
        ):
            small(FEW).run(client=client)

    def test_a_worker_of_another_version_that_joins_later(
        self, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its first task says so; what others have played is kept."""
        monkeypatch.setattr(task, "identity", lambda: {**identity(), "Python": "3.99"})
        with pytest.raises(RunError, match=r"^worker inproc://.*: Python 3\.99 there, 3\.\d+ here: pairs"):
            start(small(FEW), tmp_path / "run", client=client)
        monkeypatch.undo()
        assert resume(tmp_path / "run", client=client).manifest["interrupted"] is False

    def test_tasks_that_are_lost_are_played_again(
        self, client: Any, whole: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answered, lost = driver._Flight._answered, iter(range(1, 100))

        def sometimes(self: Any, pieces: Any, answer: Any) -> None:
            if next(lost) in (1, 2, 5):
                killed = KilledWorker("task", None, 3)
                self._lost(pieces, "error", (KilledWorker, killed, None))
            else:
                answered(self, pieces, answer)

        monkeypatch.setattr(driver._Flight, "_answered", sometimes)
        start(small(FEW), tmp_path / "run", chunk=2, client=client)
        assert contents(tmp_path / "run") == whole

    def test_what_kills_every_worker_ends_the_run(self, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(self: Any, pieces: Any, answer: Any) -> None:
            self._lost(pieces, "cancelled", None)

        monkeypatch.setattr(driver._Flight, "_answered", never)
        with pytest.raises(RunError, match=r"cell \d \(threshold.*: every worker that plays them dies"):
            small(1).run(client=client)
        assert MOST_TRIES > 1

    def test_a_failure_of_the_cluster_itself(self, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(self: Any, pieces: Any, answer: Any) -> None:
            self._lost(pieces, "error", (MemoryError, MemoryError("no memory\nat all"), None))

        monkeypatch.setattr(driver._Flight, "_answered", never)
        with pytest.raises(RunError, match=r"^a task failed on the cluster: MemoryError: no memory$"):
            small(1).run(client=client)

    def test_threads_and_a_client(self, client: Any) -> None:
        with pytest.raises(UsageError, match="threads are of play in this process"):
            small(FEW).run(threads=2, client=client)


def test_without_workers_it_says_so_and_waits(whole: dict[str, Any], tmp_path: Path) -> None:
    said: list[tuple[int | None, str]] = []
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def told(state: SweepProgress) -> None:
            if not said:
                cluster.scale(1)
            said.append((state.workers, state.notice))

        start(small(FEW), tmp_path / "run", on_progress=told, client=client)
    assert contents(tmp_path / "run") == whole
    assert said[0][0] == 0 and said[0][1].startswith("no workers at inproc://")
    assert said[0][1].endswith("; waiting for some (Ctrl-C stops)")
    assert said[-1] == (1, "")


def test_ctrl_c_before_anything_is_played(whole: dict[str, Any], tmp_path: Path) -> None:
    """The folder is one of a run of no pairs, which goes on."""
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def told(state: SweepProgress) -> None:
            raise KeyboardInterrupt

        cut = start(small(FEW), tmp_path / "run", on_progress=told, client=client)
    assert cut.manifest["interrupted"] is True and cut.table("cells")["pairs"].sum() == 0
    resume(tmp_path / "run")
    assert contents(tmp_path / "run") == whole


def test_the_scheduler_goes(whole: dict[str, Any], tmp_path: Path) -> None:
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        client = Client(cluster, set_as_default=False)

        def told(state: SweepProgress) -> None:
            if state.pairs:
                client.close()

        with pytest.raises(RunError, match=r"^the scheduler .* has gone; .*'ginlab resume' goes on"):
            start(small(FEW), tmp_path / "run", chunk=1, on_progress=told, client=client)
    resume(tmp_path / "run")
    assert contents(tmp_path / "run") == whole


def test_equal_identities_do_not_differ() -> None:
    assert difference("there", identity()) is None
    assert "numba none there" in str(difference("there", {**identity(), "numba": "none"}))
