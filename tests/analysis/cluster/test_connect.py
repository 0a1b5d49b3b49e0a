"""Addresses that are none, and what answers at some that is no scheduler."""

from __future__ import annotations

import socket

import pytest

from analysis.cluster import connect
from analysis.cluster.connect import scheduler_client
from analysis.console import UsageError
from sim.run import RunError


@pytest.mark.parametrize(
    "address",
    ["", "nonsense", "127.0.0.1", "http://127.0.0.1:8786", "tcp://127.0.0.1:abc", "tcp://127.0.0.1:0",
     "tcp://127.0.0.1:65536", "tcp://:8786", "inproc://x", "tcp://host:8786/\n"],
)  # fmt: skip
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(UsageError, match="expected an address such as tcp://host:8786"):
        scheduler_client(address).__enter__()


def test_who_listens_but_does_not_answer_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask itself would wait for ever."""
    monkeypatch.setattr(connect, "SECONDS", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(RunError, match=f"{address}: (what answers there is )?no scheduler"):
            scheduler_client(address).__enter__()
