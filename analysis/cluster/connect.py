"""To a cluster: one that runs somewhere, or workers of one's own on this machine."""

from __future__ import annotations

import importlib.util
import logging
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from analysis.console import UsageError
from sim.run import RunError

SECONDS = 10
"""To wait for a scheduler, and for the workers on this machine to be there."""


ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[0-9a-fA-F:]+\]):(?P<port>[0-9]{1,5})")
"""Of a scheduler."""


def _need_dask(option: str) -> None:
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            f"{option} needs Dask, which comes with ginlab's extra 'cluster': pip install 'dask[distributed]'"
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Dask logs and warns of to itself: what matters to a run is told in a line of our own."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"distributed|dask|tornado")
            warnings.filterwarnings("ignore", category=UserWarning, message=r"(?s).*[Mm]ismatched versions")
            yield
    finally:
        logging.disable(before)


@contextmanager
def scheduler_client(address: str) -> Iterator[Any]:
    """Connect to a scheduler, for as long as the context lasts.

    Parameters
    ----------
    address : str
        Such as ``tcp://host:8786``.

    Yields
    ------
    distributed.Client

    Raises
    ------
    UsageError
        If Dask is not installed, or the address is none.
    RunError
        If nobody answers there.
    """
    _need_dask("--scheduler")
    found = ADDRESS.fullmatch(address)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        raise UsageError(f"--scheduler {address!r}: expected an address such as tcp://host:8786")
    with _quiet():
        client = _connected(address)
        try:
            yield client
        finally:
            client.close(timeout=2)


def _connected(address: str) -> Any:
    """Return a client of the scheduler at an address.

    What answers there may be something else, at which Dask waits for ever: so it waits in a thread.
    """
    from distributed import Client

    class Quiet(Client):
        """One that is closed by us, and says nothing if it never came to be open."""

        def __del__(self) -> None:
            return

    made: Any = Quiet
    told: list[Any] = []

    def connect() -> None:
        try:
            told.append(made(address, timeout=SECONDS, set_as_default=False))
        except Exception as error:
            told.append(error)

    waiting = threading.Thread(target=connect, daemon=True)
    waiting.start()
    waiting.join(1.5 * SECONDS)
    if not told:
        raise RunError(f"--scheduler {address}: what answers there is no scheduler")
    if isinstance(told[0], (OSError, ImportError, RuntimeError)):
        raise RunError(f"--scheduler {address}: no scheduler answers there within {SECONDS} s")
    if isinstance(told[0], Exception):
        reason = (str(told[0]).splitlines() or [type(told[0]).__name__])[0]
        raise RunError(f"--scheduler {address}: no scheduler to be used: {reason}")
    return told[0]


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Start workers of one thread each on this machine, for as long as the context lasts.

    A program that calls this must be importable (``if __name__ == "__main__":``), for its workers are
    processes of their own.

    Parameters
    ----------
    workers : int

    Yields
    ------
    distributed.Client

    Raises
    ------
    UsageError
        If Dask is not installed.
    RunError
        If they cannot be started.
    """
    _need_dask("--local-cluster")
    from distributed import Client, LocalCluster

    with _quiet():
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # play takes the same memory all the time
                silence_logs=logging.CRITICAL,
                preload=["analysis.cluster.deaf"],
            )
        except (OSError, RuntimeError) as error:
            raise RunError(f"--local-cluster {workers}: {str(error).splitlines()[0]}") from None
        try:
            with Client(cluster, timeout=SECONDS, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=60)
                yield client
        finally:
            cluster.close(timeout=10)
