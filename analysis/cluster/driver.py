"""A sweep on a cluster: a bounded number of tasks in flight, answers into the journal as they come."""

from __future__ import annotations

import functools
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from analysis.cluster.identity import difference, identity
from analysis.cluster.luggage import forget, luggage_of
from analysis.cluster.task import Answer, Task, hold, play
from analysis.cluster.work import Piece, Work
from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.experiment.sweep import SweepProgress
from analysis.store.journal import Journal
from sim.rules import Rules
from sim.run import RunError

if TYPE_CHECKING:
    from distributed import Client, Future

IN_FLIGHT = 2.5
"""Tasks a thread: one that plays, one that waits for it, and some on the way back."""
LOOK_SECONDS = 1.0
"""Between two looks at who is there."""
TELL_SECONDS = 0.1
POLL_SECONDS = 0.01
PATIENCE = 5.0
"""Seconds to wait for the scheduler's word on who is there."""

OnProgress = Callable[[SweepProgress], None] | None


def check_workers(client: Client) -> None:
    """Refuse a cluster of which a worker would not play the same.

    Raises
    ------
    UsageError
        If the client is asynchronous.
    RunError
        Naming a worker and what it has, or that the scheduler does not answer.
    """
    if client.asynchronous:
        raise UsageError("client: asynchronous; make it with asynchronous=False")
    try:
        told = client.run(identity, on_error="return")
    except Exception as error:
        raise _gone(client, error) from None
    for worker, theirs in sorted(told.items()):
        if isinstance(theirs, ImportError):
            raise RunError(f"worker {worker}: cannot load ginlab's tasks: {_line(theirs)}")
        if isinstance(theirs, BaseException):
            raise RunError(f"worker {worker}: {_line(theirs)}")
        if (different := difference(worker, theirs)) is not None:
            raise RunError(different)


def sweep_on(
    client: Client,
    experiment: Experiment,
    journal: Journal,
    on_progress: OnProgress = None,
    chunk: int | None = None,
) -> bool:
    """Play all cells of a run on a cluster from where its journal stands.

    Parameters
    ----------
    client : distributed.Client
        Synchronous; it stays open.
    experiment : Experiment
    journal : Journal
        Begun.
    on_progress : callable, optional
        Called about ten times a second.
    chunk : int, optional
        Pairs of a task, each recorded; by time when left out.

    Returns
    -------
    bool
        True if Ctrl-C came.

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails, a worker is of another version, the scheduler has
        gone, or the journal cannot be written. What was finished is in the journal.
    """
    return _Flight(client, experiment, journal, on_progress, chunk).run()


@contextmanager
def noticed_interrupts() -> Iterator[Callable[[], bool]]:
    """Notice the first Ctrl-C instead of raising it; a second does what it always does.

    Dask's objects do things when they are collected, at any moment: an exception that is raised there is
    printed and forgotten.

    Yields
    ------
    callable
        Tells whether Ctrl-C came.
    """
    came: list[bool] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    asked = before

    def notice(number: int, frame: Any) -> None:
        if came:
            asked(number, frame)
            return
        came.append(True)
        try:
            asked(number, frame)  # the command line's own arranges for a second to leave at once
        except KeyboardInterrupt:
            return

    signal.signal(signal.SIGINT, notice)
    try:
        yield lambda: bool(came)
    finally:
        if signal.getsignal(signal.SIGINT) is notice:
            signal.signal(signal.SIGINT, before)


_canonical = functools.lru_cache(maxsize=256)(Rules.canonical)


class _StrategyFault(Exception):
    """A strategy has broken the rules, or its code has failed."""


class _Flight:
    """A sweep under way."""

    def __init__(
        self,
        client: Client,
        experiment: Experiment,
        journal: Journal,
        on_progress: OnProgress,
        chunk: int | None,
    ) -> None:
        self.client = client
        self.experiment = experiment
        self.work = Work(experiment, journal, chunk)
        self.begun_with = self.work.standing.pairs
        self.on_progress = on_progress
        self.luggage = luggage_of(experiment)
        self.name = f"ginlab-{self.luggage['run']}"
        self.held: Any = None  # the luggage, at the cluster
        self.tasks: dict[Future[Any], tuple[int, list[Piece]]] = {}  # with its place among all sent
        self.sent = 0
        self.failed: tuple[int, RunError] | None = None  # the first of the tasks that have failed
        self.workers: dict[str, int] = {}  # threads by address
        self.looked = self.told = -math.inf
        self.started = time.perf_counter()

    def run(self) -> bool:
        from distributed import as_completed

        interrupted = False
        with noticed_interrupts() as came:
            try:
                self.answers = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
                while not self.work.done and not (interrupted := came()):
                    self._look()
                    self._end_if_failed()
                    self._send()
                    self._take()
                    self._tell()
            except KeyboardInterrupt:  # raised by who is told of the progress
                interrupted = True
            finally:
                try:
                    self.work.flush()
                finally:
                    self._leave()
        return interrupted

    # --- the cluster -----------------------------------------------------------------------------

    def _look(self) -> None:
        """See who is there, now and then, and whether the scheduler still is."""
        if self.client.status != "running":
            raise _gone(self.client)
        if time.monotonic() - self.looked < LOOK_SECONDS:
            return
        try:
            scheduler: Any = self.client.scheduler
            self.workers = self.client.sync(scheduler.ncores, callback_timeout=PATIENCE)
        except Exception as error:
            if self.client.status != "running":
                raise _gone(self.client, error) from None
        self.looked = time.monotonic()

    def _leave(self) -> None:
        """Cancel what is out, and let the workers remove what they have unpacked."""
        if self.client.status != "running":
            return
        futures = [*self.tasks, *([] if self.held is None else [self.held])]
        try:
            self.client.cancel(futures, reason="the run ended")
            self.client.run(forget, [self.luggage["run"]], on_error="ignore")
        except Exception:  # the cluster goes down with us: the folders go with the workers
            return

    # --- out and in ------------------------------------------------------------------------------

    def _send(self) -> None:
        """Keep so many tasks in flight as the workers of the moment can use."""
        threads = sum(self.workers.values())
        if not threads or self.failed is not None:
            return
        if self.held is None or self.held.status in ("cancelled", "lost", "error"):
            self.held = self.client.submit(
                hold, self.luggage, key=f"{self.name}-files-{self.sent}", pure=False
            )  # fmt: skip
        while len(self.tasks) < math.ceil(IN_FLIGHT * threads):
            pieces = self.work.task(threads)
            if not pieces:
                return
            self.sent += 1
            task = self._task(pieces, 2 * self.work.task_seconds(threads))
            key = f"{self.name}-{self.sent}"
            future = self.client.submit(play, task, self.held, key=key, pure=False)
            self.tasks[future] = self.sent, pieces
            self.answers.add(future)

    def _task(self, pieces: list[Piece], seconds: float) -> Task:
        told = []
        for piece in pieces:
            cell = self.experiment.cells[piece.cell]
            told.append(
                {
                    "cell": piece.cell,
                    "a": cell.a,
                    "b": cell.b,
                    "rules": _canonical(cell.rules),
                    "seed": cell.seed,
                    "scores": list(cell.scores),
                    "dealer": cell.dealer,
                    "first": piece.first,
                    "pairs": piece.pairs,
                }
            )
        return {
            "identity": identity(),
            "fields": list(self.work.fields),
            "seconds": seconds,
            "pieces": told,
        }

    def _take(self) -> None:
        """Take the answers that have come; wait a little if there are none."""
        if not self.answers.has_ready():
            time.sleep(POLL_SECONDS)
        for future, answer in self.answers.next_batch(block=False):
            if self.client.status != "running":
                raise _gone(self.client)
            place, pieces = self.tasks.pop(future)
            if future.status != "finished":
                self._lost(pieces, future.status, answer)
                continue
            try:
                self._answered(pieces, answer)
            except _StrategyFault as fault:
                if self.failed is None or place < self.failed[0]:
                    self.failed = place, RunError(str(fault))

    def _end_if_failed(self) -> None:
        """Raise a strategy's fault when the answers to all earlier tasks are in: one may have it earlier."""
        if self.failed is not None and not any(place < self.failed[0] for place, _ in self.tasks.values()):
            raise self.failed[1]

    def _answered(self, pieces: list[Piece], answer: Answer) -> None:
        if answer["refused"] is not None:
            raise RunError(
                difference(answer["worker"], answer["refused"]) or f"worker {answer['worker']}: refused"
            )
        if answer["error"] is not None:
            if answer["whose"]:
                raise RunError(f"worker {answer['worker']}: {answer['error']}")
            raise _StrategyFault(answer["error"])
        for piece, told in zip(pieces, answer["played"], strict=False):
            self.work.played(piece, told["seconds"], told["games"], told["counters"])
        self.work.put_back(pieces[len(answer["played"]) :])

    def _lost(self, pieces: list[Piece], status: str, answer: Any) -> None:
        """Give out again what workers took with them; end the run at any other failure."""
        from distributed import KilledWorker

        error = answer[1] if isinstance(answer, tuple) else answer
        if status == "error" and not isinstance(error, KilledWorker):
            if isinstance(error, ImportError):
                check_workers(self.client)  # which names the worker
            raise RunError(f"a task failed on the cluster: {_line(error)}")
        self.work.put_back(pieces, lost=True)

    # --- progress --------------------------------------------------------------------------------

    def _tell(self) -> None:
        if self.on_progress is None or (
            time.monotonic() - self.told < TELL_SECONDS and not self.work.done
        ):  # fmt: skip
            return
        self.told = time.monotonic()
        work, standing = self.work, self.work.standing
        notice = (
            "" if self.workers else f"no workers at {_address(self.client)}; waiting for some (Ctrl-C stops)"
        )
        self.on_progress(
            SweepProgress(
                standing.finished, len(standing.states), self.begun_with + work.pairs, standing.total,
                work.games, time.perf_counter() - self.started, self.experiment.cells[work.cell].text,
                len(self.workers), notice,
            )
        )  # fmt: skip


def _gone(client: Client, error: BaseException | None = None) -> RunError:
    """Return the error that a scheduler which does not answer amounts to."""
    reason = f" ({_line(error)})" if error is not None and client.status == "running" else ""
    return RunError(
        f"the scheduler {_address(client)} has gone{reason}; all that was finished is kept, "
        "'ginlab resume' goes on"
    )


def _address(client: Client) -> str:
    """Return the scheduler's address."""
    return str(getattr(client.scheduler, "address", None) or "of the cluster")


def _line(error: Any) -> str:
    told = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {told}"[:300]
