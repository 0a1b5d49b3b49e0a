"""To a cluster: one that runs somewhere, or workers of one's own on this machine."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from analysis.console import UsageError
from sim.run import RunError

SECONDS = 10
"""To wait for a scheduler, and for the workers on this machine to be there."""


def _need_dask(option: str) -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UsageError(
            f"{option} needs Dask, which comes with ginlab's extra 'cluster': pip install 'dask[distributed]'"
        ) from None


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
    from distributed import Client

    with _quiet():
        try:
            client = Client(address, timeout=SECONDS, set_as_default=False)
        except (ValueError, TypeError):
            raise UsageError(
                f"--scheduler {address!r}: expected an address such as tcp://host:8786"
            ) from None
        except (OSError, ImportError, RuntimeError):
            raise RunError(f"--scheduler {address}: no scheduler answers there within {SECONDS} s") from None
        try:
            yield client
        finally:
            client.close(timeout=2)


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
