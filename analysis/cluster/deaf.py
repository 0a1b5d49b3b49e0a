"""Loaded by the workers that a sweep starts on its own machine: Ctrl-C in the terminal is not for them.

It comes to every process of the terminal; the sweep stops them itself, after what they have finished is kept.
"""

from __future__ import annotations

import signal
import threading
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C; called by Dask in the worker's process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
