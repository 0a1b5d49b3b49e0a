"""Work in threads: chunks handed out in order, each finished once begun.

So what has been done is always a gap-free run of units from the first, also after Ctrl-C. A unit is a
pair of matches, or a solo game; a chunk's size changes nothing but the time between two looks at the
clock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple, Protocol

from sim.tally import GROUPS

CHUNK_SECONDS = 1.0
"""A chunk is sized to take at most about so long: the longest wait after Ctrl-C."""
FIRST_CHUNK = 1
LARGEST_CHUNK = 256 * GROUPS
POLL_SECONDS = 0.1
MAX_THREADS = 256
"""Each thread has counters of its own, about 7 MB."""
END_OF_UNITS = 2**62
"""Indices of pairs and of solo games are below this."""


class Worker(Protocol):
    """What one thread works with."""

    def play(self, first: int, count: int) -> None:
        """Play so many units from ``first`` on."""


class Done(NamedTuple):
    """What has been done.

    Attributes
    ----------
    units : int
        Units finished, from the first.
    seconds : float
        Wall time.
    interrupted : bool
        True if Ctrl-C came.
    """

    units: int
    seconds: float
    interrupted: bool


def check_span(what: str, first: int, count: int, threads: int, chunk: int | None) -> None:
    """Refuse a run that cannot be.

    Raises
    ------
    ValueError
        Naming the argument.
    """
    if count < 1 or first < 0 or first + count > END_OF_UNITS:
        last = first + count - 1
        raise ValueError(f"{what} {first} ... {last}: expected at least one, of 0-{END_OF_UNITS - 1}")
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"threads {threads}: expected 1-{MAX_THREADS}")
    if chunk is not None and chunk < 1:
        raise ValueError(f"chunk {chunk}: expected at least 1")


class _Chunks:
    """Hands out the next chunk, in order, and remembers how far it has come."""

    def __init__(self, first: int, count: int, size: int | None, threads: int) -> None:
        self.next = first
        self.end = first + count
        self.fixed = size
        self.threads = threads
        self.lock = threading.Lock()
        self.stopped = False

    def take(self, wanted: int) -> tuple[int, int] | None:
        with self.lock:
            if self.stopped or self.next >= self.end:
                return None
            first = self.next
            left = self.end - first
            # Towards the end each thread takes its share of the rest, so that none waits for another;
            # not in the smallest pieces, which cost more than they save.
            size = self.fixed or min(wanted, max(-(-left // self.threads), wanted // 16))
            self.next += min(size, left)
            return first, self.next - first

    def stop(self) -> None:
        with self.lock:
            self.stopped = True


def _work(worker: Worker, chunks: _Chunks) -> None:
    size = FIRST_CHUNK
    while (chunk := chunks.take(size)) is not None:
        started = time.perf_counter()
        try:
            worker.play(*chunk)
        except BaseException:
            chunks.stop()
            raise
        seconds = time.perf_counter() - started
        if seconds < CHUNK_SECONDS / 2:
            # Small chunks cost: each meets the counters of its groups cold. So they grow fast.
            size = min(size * (8 if seconds < CHUNK_SECONDS / 16 else 2), LARGEST_CHUNK)
        elif seconds > CHUNK_SECONDS:
            size = max(size // 2, 1)


def play_in_threads(
    workers: Sequence[Worker],
    first: int,
    count: int,
    chunk: int | None = None,
    on_poll: Callable[[], None] | None = None,
) -> Done:
    """Let each worker play in a thread of its own until all units are played or Ctrl-C comes.

    Parameters
    ----------
    workers : sequence of Worker
        One for each thread.
    first, count : int
        Units ``first`` ... ``first + count - 1``.
    chunk : int, optional
        Units a thread plays between two looks at the clock; chosen by time when left out.
    on_poll : callable, optional
        Called in the calling thread about ten times a second, and at the end.

    Returns
    -------
    Done

    Raises
    ------
    Exception
        What a worker raised; the others finish their chunks.
    """
    chunks = _Chunks(first, count, chunk, len(workers))
    started = time.perf_counter()
    interrupted = False
    with ThreadPoolExecutor(len(workers)) as pool:
        futures: list[Future[None]] = []
        try:
            futures += [pool.submit(_work, worker, chunks) for worker in workers]
            while wait(futures, POLL_SECONDS).not_done:
                if on_poll is not None:
                    on_poll()
        except KeyboardInterrupt:
            chunks.stop()
            interrupted = True
            wait(futures)
        except BaseException:
            chunks.stop()
            raise
    for future in futures:
        future.result()
    if on_poll is not None:
        on_poll()
    return Done(chunks.next - first, time.perf_counter() - started, interrupted)
