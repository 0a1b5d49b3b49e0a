"""Statistics, experiments, charts and the command line. Imports `sim` and `strategies`.

What a notebook begins with stands here too: ``analysis.Experiment`` and ``analysis.load``. They are
imported when first used, so that the command line's help does not wait for them.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {"Experiment": "analysis.experiment.experiment", "load": "analysis.store.folder"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
