"""A scheduler and workers as processes of their own, by the commands that people type."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.analysis.command_line import environment

ROOT = Path(__file__).resolve().parents[3]

MAIN = """
import signal
from analysis.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests run in the background
main()
"""


class Cluster:
    """A scheduler on a free port of this machine, and workers of one thread."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self.processes: list[subprocess.Popen[bytes]] = []
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        log = (self.logs / f"{words[0]}_{len(self.processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                cwd=ROOT, env={**environment(), "PYTHONPATH": str(ROOT)}, stdout=log, stderr=log,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        """Start a worker, without somebody who starts it again when it dies."""
        return self.start(
            "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--local-directory", str(self.logs),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextlib.contextmanager
def command(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command of ginlab's beside the test, in a group of its own as a terminal gives it."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        with process:
            yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)


def wait_for(what: str, condition: object, seconds: float = 60) -> None:
    """Wait until a function tells true."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)
