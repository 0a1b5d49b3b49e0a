"""The manifest: what a run is, what its numbers hang on, and a hash of each of its tables."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.experiment.experiment import Experiment
from analysis.request import available_threads
from analysis.store.journal import State
from analysis.versions import versions
from sim._jit import source_hash
from sim.rules import Rules

FORMAT = "ginlab run"
SCHEMA = 2
"""Version of the folder: of the manifest's keys and of the tables' columns."""

APART = ("machine", "timings")
"""Keys that two runs of the same experiment may differ in; all else is the same to the byte."""


FACTS = (
    "format",
    "schema",
    "experiment",
    "seed",
    "strategies",
    "rules",
    "cells",
    "files",
    "versions",
    "source_hash",
)
"""Keys of what is known before a run is played."""


def facts(experiment: Experiment) -> dict[str, Any]:
    """Return what is known of a run before it is played; this is what a resumed run must find unchanged.

    Returns
    -------
    dict
        ``experiment`` resolved, ``seed``; ``strategies``: canonical texts of those that are written;
        ``rules``: every set of rules in full, by hash; ``cells``: a hash over all of what is played;
        ``files``: hashes of what strategies were read from; ``versions``; ``source_hash`` of the engine and
        the strategies.
    """
    files = {file.name: file_hash(file) for file in experiment.strategy_files}
    for cell in experiment.cells.examples():
        files |= cell.match.a.files() | cell.match.b.files()
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "experiment": experiment.to_dict(),
        "seed": experiment.spec.seed,
        "strategies": dict(experiment.written),
        "rules": {rules.hash: rules.to_dict() for rules in experiment.cells.rule_sets()},
        "cells": cells_hash(experiment),
        "files": files,
        "versions": versions("numba", "numpy", "scipy", "pandas", "pyarrow"),
        "source_hash": source_hash(),
    }


def cells_hash(experiment: Experiment) -> str:
    """Return a hash over what all cells play: sides, rules, seed, start."""
    canonical = functools.cache(Rules.canonical)
    digest = hashlib.sha256(b"[")
    for cell in experiment.cells:
        told = [cell.a, cell.b, canonical(cell.rules), cell.seed, cell.scores, cell.dealer]
        digest.update(f"{', ' if cell.number else ''}{json.dumps(told)}".encode())
    digest.update(b"]")
    return digest.hexdigest()


def state_facts(states: Sequence[State]) -> dict[str, Any]:
    """Return how far a run has come, and how long it took.

    Returns
    -------
    dict
        ``interrupted``: some cell has not reached its end; ``extended``: pairs were added to a finished
        run; ``machine`` and ``timings`` (seconds of play).
    """
    return {
        "interrupted": any(state.stopped is None for state in states),
        "extended": any(state.target is not None for state in states),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "processors": os.cpu_count(),
            "available": available_threads(),
        },
        "timings": {"seconds": round(sum(state.seconds for state in states), 3)},
    }


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
