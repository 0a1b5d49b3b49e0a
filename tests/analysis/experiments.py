"""A small experiment for tests."""

from __future__ import annotations

from typing import Any

from analysis.experiment.experiment import Experiment

SMALL = """
title = "Small"
seed = 5
pairs = {pairs}

[strategies]
a = "threshold({{k}})"
b = "simple"

[rules]
base = "eaai"

[axes]
k = [0, 7]
undercut_bonus = [0, 25]
"""


def small(pairs: int = 40, **changes: Any) -> Experiment:
    """Return an experiment of four cells."""
    experiment = Experiment.from_text(SMALL.format(pairs=pairs), "small.toml")
    return experiment.changed(**changes) if changes else experiment
